// SPDX-License-Identifier: MIT
// Which stack this thread runs on, as far as scopes and coroutines are concerned.
#include "fuzz.h"

static __thread struct stack *now;
static __thread struct stack transit;

struct stack *fz_stack(void)
{
	__asm__ volatile("" ::: "memory");
	return now;
}

void fz_set_stack(struct stack *stack)
{
	now = stack;
	__asm__ volatile("" ::: "memory");
}

// A signal that a switch lets in may run on the old stack or on the new one.
void fz_set_transit(void)
{
	transit.name = "transit";
	transit.in_transit = 1;
	transit.depth = 1;
	transit.top = transit.floor = 0;
	fz_set_stack(&transit);
}

int fz_errno(void)
{
	__asm__ volatile("" ::: "memory");
	return errno;
}

void fz_clear_errno(void)
{
	errno = 0;
	__asm__ volatile("" ::: "memory");
}

int fz_on_alternate_stack(void)
{
	stack_t state;
	t_syscall(SYS_sigaltstack, 0, (long)&state, 0, 0);
	return state.ss_flags & SS_ONSTACK;
}

// Another stack would let the kernel reuse the alternate one from its top.
int fz_may_switch(void)
{
	return !fz_stack()->in_transit && !fz_restricted && !fz_on_alternate_stack();
}
