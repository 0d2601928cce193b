// SPDX-License-Identifier: MIT
// backtrace() inside a context ends, and finds the context's own functions.
#include "t.h"
#include <execinfo.h>
#include <ucontext.h>

static ucontext_t here, there;
static char stack[128 * 1024];
static void *frames[100];
static volatile int count;

__attribute__((noinline)) static int inner(int depth)
{
	volatile char pad[32];
	pad[0] = (char)depth;
	if (depth > 0)
		return inner(depth - 1) + pad[0];
	count = backtrace(frames, 100);
	return pad[0];
}

static void body(int depth)
{
	inner(depth);
}

static void handler(int sig)
{
	(void)sig;
	inner(3);
}

int main(void)
{
	t_start();
	for (int args = 1; args <= 9; args += 4) {
		EQ(getcontext(&there), 0);
		there.uc_stack.ss_sp = stack;
		there.uc_stack.ss_size = sizeof stack;
		there.uc_link = &here;
		makecontext(&there, (void (*)(void))(void *)body, args, 5, 0, 0, 0, 0, 0, 0, 0, 0);
		EQ(swapcontext(&here, &there), 0);
		// Six of inner, one of body, and the one body returns to.
		CHECK(count >= 7 && count <= 9);
	}
	// Through a signal frame down to main.
	t_handle(SIGUSR1, handler, 0, 0);
	count = 0;
	raise(SIGUSR1);
	int found = 0;
	for (int i = 0; i < count; i++)
		found |= (uintptr_t)frames[i] >= (uintptr_t)main &&
		         (uintptr_t)frames[i] < (uintptr_t)main + 2000;
	CHECK(found);
	CHECK(count < 40);
	return 0;
}
