// SPDX-License-Identifier: GPL-2.0
// What the tests share: numbered cases in the form that kernel/check counts.
#ifndef TEST_H
#define TEST_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

static int test_count, test_failures;

// One case: what must be true, and whether it is.
__attribute__((format(printf, 2, 3), unused))
static bool check(bool good, const char *what, ...)
{
	va_list arguments;

	printf("%sok %d ", good ? "" : "not ", ++test_count);
	va_start(arguments, what);
	vprintf(what, arguments);
	va_end(arguments);
	putchar('\n');
	fflush(stdout);
	test_failures += !good;
	return good;
}

// For the end of main.
__attribute__((unused)) static int test_status(void) { return test_failures != 0; }

__attribute__((unused)) static double test_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

#endif
