// SPDX-License-Identifier: MIT
// Many switches among many contexts, each with its own mask, and jumps inside them.
#include "t.h"
#include <setjmp.h>
#include <ucontext.h>

#define N 16
static ucontext_t contexts[N], here;
static char stacks[N][32 * 1024];
static volatile uint32_t random_state = 12345;
static volatile int total;

static uint32_t next_random(void)
{
	random_state = random_state * 1664525u + 1013904223u;
	return random_state >> 16;
}

__attribute__((noinline)) static void check_mask(uint64_t want)
{
	MASK(want);
}

static void body(int i)
{
	volatile uint64_t mask = i & 3 ? BIT(SIGRTMIN + i) : 0;
	sigjmp_buf env;
	for (;;) {
		check_mask(mask);
		total++;
		if (next_random() % 4 == 0) {
			mask = BIT(SIGRTMIN + (int)(next_random() % 30));
			t_setmask(mask);
		}
		if (sigsetjmp(env, 1) == 0) {
			t_setmask(mask | BIT(SIGTERM));
			siglongjmp(env, 1);
		}
		uint32_t to = next_random() % (N + 1);
		if (to == (uint32_t)i)
			continue;
		EQ(swapcontext(&contexts[i], to == N ? &here : &contexts[to]), 0);
	}
}

int main(void)
{
	t_start();
	for (int i = 0; i < N; i++) {
		EQ(getcontext(&contexts[i]), 0);
		contexts[i].uc_stack.ss_sp = stacks[i];
		contexts[i].uc_stack.ss_size = sizeof stacks[i];
		contexts[i].uc_sigmask = t_set(i & 3 ? BIT(SIGRTMIN + i) : 0);
		makecontext(&contexts[i], (void (*)(void))(void *)body, 1, i);
	}
	for (int i = 0; i < 3000; i++) {
		volatile uint64_t mask = i % 3 ? BIT(SIGINT) : 0;
		t_setmask(mask);
		EQ(swapcontext(&here, &contexts[i % N]), 0);
		MASK(mask);
	}
	CHECK(total > 3000);
	return 0;
}
