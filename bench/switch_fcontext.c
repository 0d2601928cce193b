// SPDX-License-Identifier: MIT
// One switch by Boost.Context's assembly, which keeps no signal mask.
#include "bench.h"

#include <stddef.h>

// Boost declares these in a C++ header; the functions themselves follow the C ABI.
typedef void *fcontext_t;
typedef struct {
	fcontext_t from;
	void *data;
} transfer_t;
transfer_t jump_fcontext(fcontext_t to, void *data);
fcontext_t make_fcontext(void *stack_top, size_t size, void (*entry)(transfer_t));

static fcontext_t other;
static char stack[64 * 1024] __attribute__((aligned(16)));

static void echo(transfer_t t)
{
	for (;;)
		t = jump_fcontext(t.from, NULL);
}

static void ping_pong(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		other = jump_fcontext(other, NULL).from;
}

int main(void)
{
	static const struct bench_case cases[] = {{"Boost fcontext", ping_pong, 2}};

	other = make_fcontext(stack + sizeof stack, sizeof stack, echo);
	bench_run(cases, 1);
	return 0;
}
