// SPDX-License-Identifier: MIT
// A shell's way with children: SIGCHLD is blocked around fork and around looking for who has
// ended, and waited for by sigsuspend. Each child is found once.
#include "lazy.h"

#define CHILDREN 120
static volatile pid_t living[CHILDREN];
static volatile int ended, wrong;

static void handler(int sig)
{
	(void)sig;
	int err = errno, status;
	pid_t pid;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		int i = WEXITSTATUS(status);
		if (i >= CHILDREN || living[i] != pid)
			wrong++;
		else
			living[i] = 0;
		ended++;
	}
	errno = err;
}

static void start(int i)
{
	sigset_t set = t_set(BIT(SIGCHLD)), old;
	EQ(sigprocmask(SIG_BLOCK, &set, &old), 0);
	pid_t pid = fork();
	if (pid == 0) {
		if (i % 3)
			t_pause_ms(i % 3);
		_exit(i);
	}
	t_setmask(t_view() | BIT(SIGINT));
	living[i] = pid; // its end may not be seen before this
	EQ(sigprocmask(SIG_SETMASK, &old, NULL), 0);
}

static void await(int n)
{
	sigset_t set = t_set(BIT(SIGCHLD)), old;
	EQ(sigprocmask(SIG_BLOCK, &set, &old), 0);
	while (ended < n)
		EQ(sigsuspend(&old), -1);
	EQ(sigprocmask(SIG_SETMASK, &old, NULL), 0);
	EQ(wrong, 0);
}

int main(void)
{
	t_hot();
	for (int flags = 0; flags < 2; flags++) {
		t_handle(SIGCHLD, handler, flags ? SA_RESTART : 0, 0);
		ended = 0;
		for (int i = 0; i < CHILDREN; i++) {
			start(i);
			if (i % 10 == 9)
				await(i - i % 7);
		}
		await(CHILDREN);
		EQ(ended, CHILDREN);
		EQ(waitpid(-1, NULL, WNOHANG), -1);
		EQ(errno, ECHILD);
	}
	return 0;
}
