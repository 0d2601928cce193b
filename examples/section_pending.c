// SPDX-License-Identifier: MIT
// sigzero_blocked and sigzero_pending: long work in a section that makes way as soon as a
// signal waits, instead of keeping it waiting to the end.
//
// Build:  cc -O2 -g -o section_pending examples/section_pending.c $(pkg-config --cflags --libs sigzero)
// Then:   ./section_pending
#include <sigzero.h>

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#define ITEMS 20000000L

static volatile long done, served;

static void on_alarm(int sig)
{
	(void)sig;
	served++;
}

// Must be in a section. Returns early if somebody waits.
static void work_on(void)
{
	if (!sigzero_blocked())
		return;
	while (done < ITEMS && !sigzero_pending())
		done++;
}

int main(void)
{
	struct sigaction act = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval every_ms = {{0, 1000}, {0, 1000}};
	long pauses = 0;

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every_ms, NULL);
	while (done < ITEMS) {
		sigzero_block();
		work_on();
		sigzero_unblock();
		pauses++;
	}
	printf("%ld signals were served in %ld pauses of one long job\n", served, pauses);
	return 0;
}
