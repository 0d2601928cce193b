// SPDX-License-Identifier: MIT
// Exceptions by sigsetjmp: each TRY saves the signal mask and each THROW restores it,
// one system call each, so that a throw out of a signal handler would be right.
//
// Build:  cc -O2 -g -o try_catch examples/try_catch.c
// Then:   sigzero stat -- ./try_catch
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static sigjmp_buf *handler;

#define TRY(env)           \
	handler = &(env); \
	if (sigsetjmp(env, 1) == 0)
#define CATCH else
#define THROW() siglongjmp(*handler, 1)

static unsigned long parse_digit(char c)
{
	if (c < '0' || c > '9')
		THROW();
	return c - '0';
}

static unsigned long parse(const char *text)
{
	unsigned long value = 0;

	while (*text)
		value = value * 10 + parse_digit(*text++);
	return value;
}

int main(int argc, char **argv)
{
	static const char *const texts[] = {"12", "345", "6x", "78"};
	long turns = argc > 1 ? atol(argv[1]) : 1000000;
	volatile unsigned long sum = 0, bad = 0;
	sigjmp_buf env;

	for (volatile long i = 0; i < turns; i++) {
		TRY(env) {
			sum += parse(texts[i % 4]);
		} CATCH {
			bad++;
		}
	}
	printf("sum %lu, %lu texts were no numbers\n", sum, bad);
	return 0;
}
