// SPDX-License-Identifier: MIT
// A handler that edits the interrupted registers: steps over an instruction, sets a result.
#include "t.h"

static volatile int runs;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info;
	ucontext_t *uc = context;
	uc->uc_mcontext.gregs[REG_RIP] += 2;
	uc->uc_mcontext.gregs[REG_RBX] = 0x1234567890abcdef;
	runs++;
}

int main(void)
{
	t_start();
	t_handle_info(SIGILL, handler, 0, 0);
	for (int i = 1; i < 100; i++) {
		uint64_t rbx = 0;
		__asm__ volatile("ud2" : "+b"(rbx));
		EQ(rbx, 0x1234567890abcdef);
		EQ(runs, i);
		MASK(0);
	}
	return 0;
}
