// SPDX-License-Identifier: MIT
// Jumps to and fro with the mask saved: two rt_sigprocmask a turn on plain glibc.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	sigjmp_buf buffer;
	volatile long turns = 0;
	long wanted = argc > 1 ? atol(argv[1]) : 0;
	while (turns < wanted) {
		if (sigsetjmp(buffer, 1) == 0)
			siglongjmp(buffer, 1);
		turns++;
	}
	printf("%ld\n", turns);
	return 0;
}
