// SPDX-License-Identifier: MIT
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCHES = 51 };

static const double BATCH_NS = 1e6;

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static double time_ns(const struct bench_case *c, unsigned long n)
{
	double start = now_ns();

	c->run(n);
	return now_ns() - start;
}

static unsigned long batch_size(const struct bench_case *c)
{
	unsigned long n = 16;

	while (time_ns(c, n) < BATCH_NS)
		n *= 2;
	return n;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(const struct bench_case *c, double *ns)
{
	qsort(ns, BATCHES, sizeof *ns, by_value);
	printf("%s\t%.3f\t%.3f\t%.3f\n", c->name, ns[BATCHES / 2],
	       ns[BATCHES / 4], ns[BATCHES * 3 / 4]);
}

void bench_run(const struct bench_case *cases, int count)
{
	unsigned long size[count];
	double(*ns)[BATCHES] = calloc(count, sizeof *ns);

	if (!ns)
		abort();
	for (int i = 0; i < count; i++)
		size[i] = batch_size(&cases[i]);
	for (int b = 0; b < BATCHES; b++)
		for (int i = 0; i < count; i++) {
			unsigned long per_run = cases[i].per_run ? cases[i].per_run : 1;

			ns[i][b] = time_ns(&cases[i], size[i]) / ((double)size[i] * per_run);
		}
	for (int i = 0; i < count; i++)
		print(&cases[i], ns[i]);
	free(ns);
}
