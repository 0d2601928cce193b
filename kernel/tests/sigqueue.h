// SPDX-License-Identifier: GPL-2.0
// The counters of the sigqueue cache, and what must be true of them.
#ifndef SIGQUEUE_H
#define SIGQUEUE_H
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct sigqueue_counts {
	long slab, cache, timer, kept, dropped, flushed, released, filled, tasks;
};

static inline void sigqueue_read(struct sigqueue_counts *c)
{
	const struct {
		const char *name;
		long *number;
	} lines[] = {
		{ "slab", &c->slab },	    { "cache", &c->cache },	{ "timer", &c->timer },
		{ "kept", &c->kept },	    { "dropped", &c->dropped }, { "flushed", &c->flushed },
		{ "released", &c->released }, { "filled", &c->filled },	{ "tasks", &c->tasks },
	};
	FILE *file = fopen("/sys/kernel/debug/sigqueue", "re");
	unsigned int found = 0;
	char name[32];
	long number;

	if (!file) {
		printf("skip: this kernel has no /sys/kernel/debug/sigqueue\n");
		exit(77);
	}
	while (fscanf(file, "%31s %ld", name, &number) == 2)
		for (unsigned int i = 0; i < sizeof lines / sizeof *lines; i++)
			if (!strcmp(name, lines[i].name)) {
				*lines[i].number = number;
				found++;
			}
	fclose(file);
	if (found != sizeof lines / sizeof *lines) {
		printf("%u lines of /sys/kernel/debug/sigqueue are known\n", found);
		exit(1);
	}
}

static inline void sigqueue_print(const char *what, const struct sigqueue_counts *c)
{
	printf("%s: slab %ld cache %ld timer %ld kept %ld dropped %ld flushed %ld released %ld"
	       " filled %ld tasks %ld\n",
	       what, c->slab, c->cache, c->timer, c->kept, c->dropped, c->flushed, c->released,
	       c->filled, c->tasks);
}

// What the counters say is in slots, against the slots themselves: a positive number was put into
// the slot of a task that was gone; a negative one is in two slots.
static inline long sigqueue_strays(const struct sigqueue_counts *c)
{
	return c->kept - c->cache - c->released - c->filled;
}

// Sigqueues that came from the slab and did not go back.
static inline long sigqueue_in_use(const struct sigqueue_counts *c)
{
	return c->slab + c->timer - c->dropped - c->flushed - c->released;
}

// Waits until the tasks that are on their way out are gone: then nothing is in use but what lies
// in slots, one a task at most. 1 if that does not come true.
static inline int sigqueue_settled(void)
{
	static int tries = 60;
	struct sigqueue_counts c = { 0 };

	for (int i = 0; i < tries; i++) {
		sigqueue_read(&c);
		if (!sigqueue_strays(&c) && sigqueue_in_use(&c) == c.filled && c.filled <= c.tasks)
			return 0;
		usleep(50000);
	}
	// What is lost once does not come back.
	tries = 2;
	sigqueue_print("not settled", &c);
	printf("%ld in use, %ld strays\n", sigqueue_in_use(&c), sigqueue_strays(&c));
	return 1;
}

static inline double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

// A number from the environment: the kernel's command line sets it.
static inline long setting(const char *name, long otherwise)
{
	return getenv(name) ? atol(getenv(name)) : otherwise;
}

static inline void must(int good, const char *format, ...)
{
	va_list list;

	if (good)
		return;
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	printf(": %s\n", strerror(errno));
	fflush(stdout);
	_exit(1);
}
#endif
