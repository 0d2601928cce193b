// SPDX-License-Identifier: MIT
// How a process died by a default action, as its parent is told: by waitid, and in SIGCHLD.
#include "lazy.h"

static siginfo_t last;
static volatile int runs;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	last = *info;
	runs++;
}

static void check(int sig)
{
	siginfo_t info;
	runs = 0;
	pid_t pid = fork();
	if (pid == 0) {
		signal(SIGCHLD, SIG_DFL);
		t_setmask(BIT(sig));
		kill(getpid(), sig);
		t_setmask(0);
		_exit(0);
	}
	while (waitid(P_PID, (id_t)pid, &info, WEXITED) < 0)
		EQ(errno, EINTR);
	AWAIT(runs);
	CHECK(info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED);
	EQ(info.si_status, sig);
	EQ(last.si_code, info.si_code);
	EQ(last.si_status, sig);
	EQ(last.si_pid, pid);
}

int main(void)
{
	t_hot();
	t_handle_info(SIGCHLD, handler, 0, 0);
	check(SIGTERM);
	check(SIGUSR1);
	check(SIGQUIT);
	check(SIGALRM);
	return 0;
}
