// SPDX-License-Identifier: MIT
// sigfastblock: FreeBSD's protocol with a word of one's own, and the real mask where it is
// refused.
//
// Build:  cc -O2 -g -o sigfastblock examples/sigfastblock.c $(pkg-config --cflags --libs sigzero)
// Then:   ./sigfastblock
#include <sigzero.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static _Thread_local uint32_t word;
static _Thread_local int registered;
static sigset_t everything, before;

static volatile long steps, ticks;

static void enter(void)
{
	if (!registered) {
		sigprocmask(SIG_BLOCK, &everything, &before);
		return;
	}
	__atomic_fetch_add(&word, SIGFASTBLOCK_INC, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static void leave(void)
{
	if (!registered) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return;
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__atomic_fetch_sub(&word, SIGFASTBLOCK_INC, __ATOMIC_RELAXED) ==
	    (SIGFASTBLOCK_PEND | SIGFASTBLOCK_INC))
		sigfastblock(SIGFASTBLOCK_UNBLOCK, NULL);
}

static void on_alarm(int sig)
{
	(void)sig;
	steps++;
	ticks++;
}

int main(int argc, char **argv)
{
	long turns = argc > 1 ? atol(argv[1]) : 1000000;
	struct sigaction act = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval every_ms = {{0, 1000}, {0, 1000}};

	sigfillset(&everything);
	registered = sigfastblock(SIGFASTBLOCK_SETPTR, &word) == 0;
	if (!registered && errno != ENOSYS) {
		perror("sigfastblock");
		return 1;
	}
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every_ms, NULL);
	for (long i = 0; i < turns; i++) {
		enter();
		steps++;
		leave();
	}
	enter();
	printf("%s; no step was lost: %s\n", registered ? "by a word" : "by the mask",
	       steps == turns + ticks ? "yes" : "NO");
	leave();
	if (registered && sigfastblock(SIGFASTBLOCK_UNSETPTR, NULL) != 0)
		perror("sigfastblock");
	return steps != turns + ticks;
}
