// SPDX-License-Identifier: MIT
// A counter that a timer's handler changes too: the main program really blocks the
// signal around each change. These calls are needed; `sigzero stat` says so.
//
// Build:  cc -O2 -g -o critical_section examples/critical_section.c
// Then:   sigzero stat -- ./critical_section
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile long steps, ticks;

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
	sigset_t alarms, old;

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every_ms, NULL);
	for (long i = 0; i < turns; i++) {
		sigprocmask(SIG_BLOCK, &alarms, &old);
		steps++;
		sigprocmask(SIG_SETMASK, &old, NULL);
	}
	sigprocmask(SIG_BLOCK, &alarms, NULL);
	printf("no step was lost: %s\n", steps == turns + ticks ? "yes" : "NO");
	return steps != turns + ticks;
}
