// SPDX-License-Identifier: MIT
// A library that is opened at run time and changes the mask by itself.
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

int library_block(int sig)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, sig);
	return sigprocmask(SIG_BLOCK, &set, NULL);
}

int library_jump(int sig)
{
	sigjmp_buf env;
	if (sigsetjmp(env, 1) == 0) {
		library_block(sig);
		siglongjmp(env, 1);
	}
	return 0;
}

int library_blocks(int sig)
{
	sigset_t set;
	return sigprocmask(SIG_BLOCK, NULL, &set) == 0 && sigismember(&set, sig);
}
