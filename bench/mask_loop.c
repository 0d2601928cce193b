// SPDX-License-Identifier: MIT
// Asks for the signal mask again and again: nothing but the query and its cost.
#include <signal.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	long turns = argc > 1 ? atol(argv[1]) : 1000000;
	sigset_t old;

	for (long i = 0; i < turns; i++)
		if (sigprocmask(SIG_SETMASK, NULL, &old))
			return 1;
	return 0;
}
