// SPDX-License-Identifier: MIT
// Sections before main: in a constructor, and in a function of .preinit_array, which runs before
// the runtime has started.
#include <sigzero.h>

#include "t.h"

static volatile int runs, early, constructed;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void preinit(int argc, char **argv, char **envp)
{
	(void)argc;
	(void)argv;
	(void)envp;
	sigzero_block();
	early = sigzero_blocked();
	sigzero_unblock();
	early += sigzero_blocked();
}

__attribute__((section(".preinit_array"), used)) static void (*const entry)(int, char **,
                                                                            char **) = preinit;

__attribute__((constructor)) static void construct(void)
{
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	sigzero_block();
	raise(SIGUSR1);
	EQ(runs, 0);
	constructed = 1;
}

int main(void)
{
	EQ(early, 1);
	EQ(constructed, 1);
	EQ(runs, 0);
	EQ(sigzero_blocked(), 1);
	sigzero_unblock();
	EQ(runs, 1);
	MASK(0);
	return 0;
}
