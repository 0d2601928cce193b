// SPDX-License-Identifier: MIT
// Frames that are not the common ones: the CFA in a register that calls preserve, a stack that is
// aligned anew, code in memory without a file. Built without frame pointers.
#include <alloca.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

__attribute__((noinline)) void asks(void)
{
	sigset_t old;

	sigprocmask(SIG_SETMASK, NULL, &old);
	__asm__ volatile("");
}

/* Its frame is found through r12. */
void by_register(void (*function)(void));
__asm__(".text\n"
	".globl by_register\n"
	".type by_register, @function\n"
	"by_register:\n"
	"	.cfi_startproc\n"
	"	push %r12\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset r12, -16\n"
	"	mov %rsp, %r12\n"
	"	.cfi_def_cfa_register r12\n"
	"	sub $264, %rsp\n"
	"	and $-64, %rsp\n"
	"	call *%rdi\n"
	"	mov %r12, %rsp\n"
	"	.cfi_def_cfa_register rsp\n"
	"	pop %r12\n"
	"	.cfi_restore r12\n"
	"	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size by_register, . - by_register\n");

__attribute__((noinline)) void aligned(void (*function)(void), int more)
{
	_Alignas(128) volatile char room[256];
	volatile char *rest = alloca(more);

	room[more] = rest[0] = 1;
	function();
	room[more + 1] = rest[0];
}

__attribute__((noinline)) void through_register(void)
{
	by_register(asks);
	__asm__ volatile("");
}

__attribute__((noinline)) void through_aligned(void)
{
	aligned(asks, 40);
	__asm__ volatile("");
}

/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };

__attribute__((noinline)) void through_memory(void (*made)(void (*)(void)))
{
	made(asks);
	__asm__ volatile("");
}

int main(void)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(memory, code, sizeof(code));
	mprotect(memory, 4096, PROT_READ | PROT_EXEC);
	for (int i = 0; i < 20000; i++) {
		through_register();
		through_aligned();
		through_memory((void (*)(void (*)(void)))memory);
	}
	return 0;
}
