// SPDX-License-Identifier: MIT
// Built against an installed sigzero: prints what a consumer must get.
#include <sigzero.h>

#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

int main(void)
{
	signal(SIGUSR1, handler);
	sigzero_block();
	raise(SIGUSR1);
	printf("inside %d, ", (int)runs);
	sigzero_unblock();
	printf("outside %d\n", (int)runs);
	return 0;
}
