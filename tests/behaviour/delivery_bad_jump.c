// SPDX-License-Identifier: MIT
// A jump into nowhere with -EINTR in the result register: the handler of the fault runs, and
// nobody reads the instruction in front of a program counter where there is no memory.
#include "t.h"
#include <setjmp.h>
#include <sys/mman.h>

static sigjmp_buf back;
static volatile uintptr_t at;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	siglongjmp(back, 1);
}

static void jump_to(void *target)
{
	at = 0;
	if (sigsetjmp(back, 1) == 0)
		__asm__ volatile("jmp *%1" : : "a"((long)-EINTR), "r"(target) : "memory");
	EQ(at, (uintptr_t)target);
	MASK(BIT(SIGHUP));
}

int main(void)
{
	t_start();
	t_handle_info(SIGSEGV, handler, 0, 0);
	t_handle_info(SIGILL, handler, 0, 0);
	t_setmask(BIT(SIGHUP));
	// The first instruction of a page whose predecessor is not there.
	char *pages = mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(pages != MAP_FAILED);
	EQ(mprotect(pages + 4096, 4096, PROT_READ | PROT_WRITE), 0);
	memcpy(pages + 4096, "\x0f\x0b", 2); // ud2
	EQ(mprotect(pages + 4096, 4096, PROT_READ | PROT_EXEC), 0);
	for (int i = 0; i < 5; i++) {
		jump_to((void *)0x1234);
		jump_to(NULL);
		jump_to((void *)1);
		jump_to(pages + 1);
		jump_to(pages + 4096);
		jump_to(pages + 2 * 4096);
	}
	return 0;
}
