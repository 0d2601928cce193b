// SPDX-License-Identifier: MIT
// Time-outs by alarm: out of a read by a jump, and by EINTR; the handler was set with the signal
// blocked and is taken back after.
#include "lazy.h"
#include <setjmp.h>
#include <sys/time.h>

static sigjmp_buf env;
static int ends[2], way;
static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
	if (way == 1)
		siglongjmp(env, 1);
}

static void set(void (*to)(int), int flags)
{
	sigset_t all, old;
	sigfillset(&all);
	EQ(sigprocmask(SIG_SETMASK, &all, &old), 0);
	t_handle(SIGALRM, to, flags, 0);
	EQ(sigprocmask(SIG_SETMASK, &old, NULL), 0);
}

static void timed_read(void)
{
	struct itimerval soon = {{0, 0}, {0, 3000}};
	char byte;
	runs = 0;
	set(handler, way == 2 ? SA_RESTART : 0);
	setitimer(ITIMER_REAL, &soon, NULL);
	if (sigsetjmp(env, 1) == 0) {
		errno = 0;
		if (way == 2) {
			EQ(write(ends[1], "x", 1), 1);
			EQ(read(ends[0], &byte, 1), 1);
			while (!runs)
				;
		} else {
			EQ(read(ends[0], &byte, 1), -1);
			EQ(errno, EINTR);
			CHECK(way == 0);
		}
	} else {
		EQ(way, 1);
	}
	EQ(runs, 1);
	set(SIG_DFL, 0);
	MASK(0);
}

int main(void)
{
	t_hot();
	EQ(pipe(ends), 0);
	for (int i = 0; i < 60; i++) {
		way = i % 3;
		timed_read();
	}
	return 0;
}
