// SPDX-License-Identifier: MIT
// A backtrace in a handler shows what it shows without us: the handler, one frame for the
// signal, and the interrupted function. Crash reporters skip a fixed number of frames.
#include "t.h"
#include <execinfo.h>

static void *frames[64];
static volatile int depth;
static volatile uintptr_t at;

__attribute__((noinline)) static void handler(int sig, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	(void)sig;
	(void)info;
	depth = backtrace(frames, 64);
	at = (uintptr_t)registers[REG_RIP];
	registers[REG_RIP] += 2; // over ud2
}

__attribute__((noinline)) static void *interrupted(void)
{
	__asm__ volatile("ud2" : : : "memory");
	return __builtin_return_address(0);
}

int main(void)
{
	t_start();
	t_handle_info(SIGILL, handler, 0, 0);
	for (int i = 0; i < 3; i++) {
		void *caller = interrupted();
		CHECK(depth > 4);
		// The compiler may tell where the handler ends only roughly: its call of backtrace
		// is in its first bytes.
		CHECK((uintptr_t)frames[0] - (uintptr_t)handler < 128);
		EQ((uintptr_t)frames[2], at);
		CHECK(frames[3] == caller);
	}
	return 0;
}
