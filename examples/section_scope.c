// SPDX-License-Identifier: MIT
// SIGZERO_SECTION: the rest of a block is a section, by whichever way it is left.
//
// Build:  cc -O2 -g -o section_scope examples/section_scope.c $(pkg-config --cflags --libs sigzero)
// Then:   ./section_scope
#include <sigzero.h>

#include <signal.h>
#include <stdio.h>

#define JOBS 8

static int jobs[JOBS], count;

static int push(int job)
{
	SIGZERO_SECTION;

	if (count == JOBS)
		return -1;
	for (int i = 0; i < count; i++)
		if (jobs[i] == job)
			return 0;
	jobs[count++] = job;
	return 1;
}

static void on_signal(int sig)
{
	push(sig);
}

int main(void)
{
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	for (int i = 0; i < 5; i++) {
		push(i % 2);
		raise(i % 2 ? SIGUSR1 : SIGUSR2);
	}
	for (int i = 0; i < count; i++)
		printf("job %d\n", jobs[i]);
	printf("outside of a section: %s\n", sigzero_blocked() ? "NO" : "yes");
	return count != 4 || sigzero_blocked();
}
