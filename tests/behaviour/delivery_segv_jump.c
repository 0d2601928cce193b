// SPDX-License-Identifier: MIT
// A handler of faults that jumps out, on the alternate stack and off it, many times.
#include "t.h"
#include <setjmp.h>
#include <sys/mman.h>

static sigjmp_buf env;
static volatile int runs;
static char *wall;
static char stack[64 * 1024];

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)context;
	EQ(sig, SIGSEGV);
	CHECK(info->si_addr == wall + 5);
	EQ(info->si_code, SEGV_ACCERR);
	MASK(BIT(SIGSEGV) | BIT(SIGHUP));
	runs++;
	siglongjmp(env, 1);
}

static void faults(int flags)
{
	t_handle_info(SIGSEGV, handler, flags, BIT(SIGHUP));
	for (int i = 0; i < 200; i++) {
		if (sigsetjmp(env, 1) == 0) {
			*(volatile char *)(wall + 5) = 1;
			CHECK(!"reached");
		}
		MASK(0);
	}
}

int main(void)
{
	t_start();
	wall = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(wall != MAP_FAILED);
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
	EQ(sigaltstack(&alternate, NULL), 0);
	faults(0);
	faults(SA_ONSTACK);
	EQ(runs, 400);
	return 0;
}
