// SPDX-License-Identifier: MIT
// State Threads: its bare register switch, and a switch through its scheduler.
// Neither keeps a signal mask.
#include "bench.h"

#include <st.h>
#include <stdint.h>
#include <stdlib.h>

// The library's own save and restore, not in st.h; the static archive has them.
int _st_md_cxt_save(long *registers);
void _st_md_cxt_restore(long *registers, int value);

enum { REGISTERS = 8, SP = 6, PC = 7 };

static long caller[REGISTERS], other[REGISTERS];
static char stack[64 * 1024] __attribute__((aligned(16)));

static void echo(void)
{
	for (;;)
		if (!_st_md_cxt_save(other))
			_st_md_cxt_restore(caller, 1);
}

static void prepare_raw(void)
{
	_st_md_cxt_save(other);
	// As if `echo` had been called: 8 below a multiple of 16.
	other[SP] = (long)(intptr_t)(stack + sizeof stack - 8);
	other[PC] = (long)(intptr_t)echo;
}

static void raw(unsigned long n)
{
	for (volatile unsigned long i = 0; i < n; i++)
		if (!_st_md_cxt_save(caller))
			_st_md_cxt_restore(other, 1);
}

static st_cond_t to_other, to_caller;

static void *answer(void *unused)
{
	(void)unused;
	for (;;) {
		st_cond_wait(to_other);
		st_cond_signal(to_caller);
	}
	return NULL;
}

static void scheduled(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		st_cond_signal(to_other);
		st_cond_wait(to_caller);
	}
}

int main(void)
{
	static const struct bench_case cases[] = {
		{"State Threads save+restore", raw, 2},
		{"State Threads scheduler", scheduled, 2},
	};

	if (st_init())
		return 1;
	prepare_raw();
	to_other = st_cond_new();
	to_caller = st_cond_new();
	if (!st_thread_create(answer, NULL, 0, 0))
		return 1;
	st_usleep(0);
	bench_run(cases, 2);
	return 0;
}
