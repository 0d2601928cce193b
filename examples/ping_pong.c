// SPDX-License-Identifier: MIT
// Two coroutines that hand a number to and fro: each swapcontext saves and restores the
// signal mask, though nobody ever changes it.
//
// Build:  cc -O2 -g -o ping_pong examples/ping_pong.c
// Then:   sigzero stat -- ./ping_pong
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static ucontext_t ping, pong;
static char stack[64 * 1024];
static long ball;

static void return_ball(void)
{
	for (;;) {
		ball++;
		swapcontext(&pong, &ping);
	}
}

int main(int argc, char **argv)
{
	long rallies = argc > 1 ? atol(argv[1]) : 1000000;

	getcontext(&pong);
	pong.uc_stack.ss_sp = stack;
	pong.uc_stack.ss_size = sizeof stack;
	makecontext(&pong, return_ball, 0);
	for (long i = 0; i < rallies; i++) {
		ball++;
		swapcontext(&ping, &pong);
	}
	printf("%ld rallies, the ball was hit %ld times\n", rallies, ball);
	return 0;
}
