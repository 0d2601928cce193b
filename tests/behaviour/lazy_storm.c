// SPDX-License-Identifier: MIT
// Under a storm of signals that are blocked and opened all the time: no handler runs while they
// are blocked, and calls under them know of none, with SA_RESTART or without it.
#include "lazy.h"
#include <sys/time.h>

static volatile int runs, blocked;

static void handler(int sig)
{
	(void)sig;
	CHECK(!blocked);
	runs++;
}

static void calls_under_the_mask(int ends[2])
{
	char byte = 0;
	for (int i = 0; i < 20; i++) {
		errno = 0;
		EQ(write(ends[1], &byte, 1), 1);
		EQ(read(ends[0], &byte, 1), 1);
		EQ(errno, 0);
	}
}

static void sleep_under_the_mask(void)
{
	struct timespec little = {0, 300000};
	EQ(nanosleep(&little, NULL), 0);
	int status;
	pid_t pid = fork();
	if (pid == 0)
		_exit(3);
	EQ(waitpid(pid, &status, 0), pid);
	EQ(WEXITSTATUS(status), 3);
}

static void storm(int flags)
{
	int ends[2];
	struct itimerval often = {{0, 100}, {0, 100}}, off = {{0, 0}, {0, 0}};
	EQ(pipe(ends), 0);
	t_handle(SIGALRM, handler, flags, 0);
	runs = 0;
	EQ(setitimer(ITIMER_REAL, &often, NULL), 0);
	long long end = t_now_ms() + 300;
	for (int i = 0; t_now_ms() < end || runs < 100; i++) {
		t_setmask(BIT(SIGALRM) | (i % 2 ? BIT(SIGHUP) : 0));
		blocked = 1;
		calls_under_the_mask(ends);
		if (i % 64 == 0)
			sleep_under_the_mask();
		blocked = 0;
		t_setmask(0);
	}
	EQ(setitimer(ITIMER_REAL, &off, NULL), 0);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	t_hot();
	storm(0);
	storm(SA_RESTART);
	return 0;
}
