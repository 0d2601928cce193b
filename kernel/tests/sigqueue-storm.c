// SPDX-License-Identifier: GPL-2.0
// A fork/exec/SIGCHLD storm, as shells and make raise it: two parents on two processors, each with
// a handler for SIGCHLD and two children at a time. At least 70 of 100 sigqueues must come from the
// cache. COUNT children.
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>
#include "sigqueue.h"

static void ignore(int signal)
{
	(void)signal;
}

// vfork() in a frame of its own.
static void __attribute__((noinline)) execute(void)
{
	pid_t child = vfork();

	if (!child) {
		execl("/proc/self/exe", "sigqueue-storm", "leave", NULL);
		_exit(1);
	}
	must(child > 0, "vfork");
}

static void parent(long count)
{
	struct sigaction action = { .sa_handler = ignore, .sa_flags = SA_RESTART };
	int running = 0, status;

	sigaction(SIGCHLD, &action, NULL);
	while (count > 0 || running) {
		while (count > 0 && running < 2) {
			execute();
			running++;
			count--;
		}
		if (wait(&status) > 0) {
			must(status == 0, "a child ended with %x", status);
			running--;
		}
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	long count = setting("CHILDREN", 4000), share;
	struct sigqueue_counts first, c;
	double start = seconds();
	int bad;

	(void)argv;
	if (argc > 1)
		_exit(0);
	sigqueue_read(&first);
	for (int i = 0; i < 2; i++)
		if (!fork())
			parent(count / 2);
	while (wait(&bad) > 0)
		must(bad == 0, "a parent ended with %x", bad);
	sigqueue_read(&c);
	c.slab -= first.slab;
	c.cache -= first.cache;
	share = c.cache * 1000 / (c.cache + c.slab ?: 1);
	bad = share < 700 || c.cache + c.slab < count / 4;
	printf("# %ld children in %.1f s, %ld sigqueues: %ld from the cache, %ld from the slab\n", count,
	       seconds() - start, c.cache + c.slab, c.cache, c.slab);
	printf("%sok %ld.%ld %% from the cache in a storm of children\n", bad ? "not " : "", share / 10,
	       share % 10);
	return bad | sigqueue_settled();
}
