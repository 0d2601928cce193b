// SPDX-License-Identifier: MIT
// sigzero_block and sigzero_unblock: a counter that a timer's handler changes too. The same as
// critical_section.c, which makes two system calls a turn; this makes none unless a signal
// arrives in the section.
//
// Build:  cc -O2 -g -o section examples/section.c $(pkg-config --cflags --libs sigzero)
// Then:   strace -c ./section
#include <sigzero.h>

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

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every_ms, NULL);
	for (long i = 0; i < turns; i++) {
		sigzero_block();
		steps++;
		sigzero_unblock();
	}
	sigzero_block();
	printf("no step was lost: %s\n", steps == turns + ticks ? "yes" : "NO");
	sigzero_unblock();
	return steps != turns + ticks;
}
