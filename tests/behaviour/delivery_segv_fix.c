// SPDX-License-Identifier: MIT
// A handler of faults that makes the page writable: the instruction is repeated.
#include "t.h"
#include <sys/mman.h>

static volatile int runs;
static volatile char *area;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	runs++;
	char *page = (char *)((uintptr_t)info->si_addr & ~(uintptr_t)4095);
	EQ(mprotect(page, 4096, PROT_READ | PROT_WRITE), 0);
}

int main(void)
{
	t_start();
	area = mmap(NULL, 64 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(area != MAP_FAILED);
	t_handle_info(SIGSEGV, handler, 0, 0);
	for (int i = 0; i < 64; i++) {
		area[i * 4096 + i] = (char)i;
		EQ(area[i * 4096 + i], i);
		EQ(runs, i + 1);
		MASK(0);
	}
	return 0;
}
