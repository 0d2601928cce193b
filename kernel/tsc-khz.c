// SPDX-License-Identifier: GPL-2.0
// Prints the rate of the time stamp counter in kHz, the median of nine measurements of 20 ms.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	double rates[9];

	for (int i = 0; i < 9; i++) {
		double start = now(), end;
		unsigned long long first = __rdtsc();

		while ((end = now()) - start < 20)
			;
		rates[i] = (__rdtsc() - first) / (end - start);
	}
	qsort(rates, 9, sizeof rates[0], compare);
	printf("%.0f\n", rates[4]);
}
