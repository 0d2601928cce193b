// SPDX-License-Identifier: GPL-2.0
// What the other tests rely on: two processors that run at the same time, a clock that is finer
// than a tick, and slabs with a cache per processor.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

static atomic_int turn;
static atomic_bool stop;

// Two threads that spin for each other's writes; on one processor a turn takes a time slice.
static void *spin(void *mine)
{
	cpu_set_t set;
	int me = (int)(long)mine;

	CPU_ZERO(&set);
	CPU_SET(me, &set);
	sched_setaffinity(0, sizeof set, &set);
	while (!stop)
		if (atomic_load(&turn) % 2 == me)
			atomic_fetch_add(&turn, 1);
	return NULL;
}

// The most turns in any of the windows of 4 ms, since the host may be busy with other things.
static int turns(void)
{
	pthread_t threads[2];
	int most = 0;

	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, spin, (void *)i);
	for (int i = 0; i < 1000 && most < 100; i++) {
		int before = turn;

		usleep(4000);
		if (turn - before > most)
			most = turn - before;
	}
	stop = true;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return most;
}

static int number_of_slab(const char *name)
{
	char path[64], number[32] = "";
	FILE *file;

	snprintf(path, sizeof path, "/sys/kernel/slab/sighand_cache/%s", name);
	file = fopen(path, "r");
	if (file) {
		if (!fgets(number, sizeof number, file))
			number[0] = 0;
		fclose(file);
	}
	return atoi(number);
}

int main(void)
{
	struct timespec resolution;

	check(sysconf(_SC_NPROCESSORS_ONLN) >= 2, "there are two processors");
	clock_getres(CLOCK_MONOTONIC, &resolution);
	check(resolution.tv_sec == 0 && resolution.tv_nsec < 1000, "the clock is finer than a microsecond");
	check(turns() >= 100, "they run at the same time");
	check(number_of_slab("cpu_partial") > 0 || number_of_slab("sanity_checks"),
	      "the slabs have caches per processor, unless they are debugged");
	return test_status();
}
