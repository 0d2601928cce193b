// SPDX-License-Identifier: GPL-2.0
// What a sigqueue costs: one signal in flight, which the cache serves, against many, which the slab
// serves in any kernel; signals of children; and what a task costs that never gets one.
//   ROUNDS (20000)
// Prints nanoseconds a signal or a task.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "phase.h"

enum { QUEUED = 64 };

static sigset_t waited;

static void ignore(int signal)
{
	(void)signal;
}

static void take(void)
{
	syscall(SYS_rt_sigtimedwait, &waited, NULL, NULL, 8);
}

static void one_handled(void)
{
	syscall(SYS_tkill, getpid(), SIGUSR1);
}

static void one_waited(void)
{
	syscall(SYS_tkill, getpid(), SIGRTMIN);
	take();
}

static void process_waited(void)
{
	syscall(SYS_kill, getpid(), SIGRTMIN);
	take();
}

static void many_waited(void)
{
	for (int i = 0; i < QUEUED; i++)
		syscall(SYS_tkill, getpid(), SIGRTMIN);
	for (int i = 0; i < QUEUED; i++)
		take();
}

static void child_handled(void)
{
	pid_t child = vfork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

static void measure(const char *name, void (*run)(void), int rounds, int signals)
{
	double best = 1e18;

	phase();
	for (int i = 0; i < 5; i++) {
		struct timespec a, b;
		double took;

		clock_gettime(CLOCK_MONOTONIC, &a);
		for (int round = 0; round < rounds / 5; round++)
			run();
		clock_gettime(CLOCK_MONOTONIC, &b);
		took = ((b.tv_sec - a.tv_sec) * 1e9 + b.tv_nsec - a.tv_nsec) / (rounds / 5) / signals;
		if (took < best)
			best = took;
	}
	printf("%s %.1f\n", name, best);
	fflush(stdout);
}

int main(void)
{
	int rounds = getenv("ROUNDS") ? atoi(getenv("ROUNDS")) : 20000;

	setrlimit(RLIMIT_SIGPENDING, &(struct rlimit){ 2 * QUEUED, 2 * QUEUED });
	signal(SIGUSR1, ignore);
	sigemptyset(&waited);
	sigaddset(&waited, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &waited, NULL);
	measure("one-handled", one_handled, rounds, 1);
	measure("one-waited", one_waited, rounds, 1);
	measure("process-waited", process_waited, rounds, 1);
	measure("queued-waited", many_waited, rounds / QUEUED * 4, QUEUED);
	measure("child-unsignalled", child_handled, rounds / 10, 1);
	signal(SIGCHLD, ignore);
	measure("child-handled", child_handled, rounds / 10, 1);
	return 0;
}
