// SPDX-License-Identifier: MIT
// Handlers that jump out while signals are blocked, and jumps in and out of blocked sections:
// the mask is the saved one, or with none saved that of where the jump began.
#include "lazy.h"
#include <setjmp.h>

static sigjmp_buf env;
static volatile int runs, hup_runs, way;

static void hup(int sig)
{
	(void)sig;
	hup_runs++;
}

static void handler(int sig)
{
	(void)sig;
	runs++;
	if (way == 1) {
		sigset_t set = t_set(BIT(SIGHUP));
		sigprocmask(SIG_BLOCK, &set, NULL);
		raise(SIGHUP);
		EQ(hup_runs, 0);
	}
	siglongjmp(env, 1);
}

static void out_of_a_handler(int save)
{
	runs = hup_runs = 0;
	t_setmask(BIT(SIGTERM));
	if (sigsetjmp(env, save) == 0) {
		raise(SIGUSR1);
		CHECK(0);
	}
	EQ(runs, 1);
	uint64_t own = save ? 0 : BIT(SIGUSR1) | (way == 1 ? BIT(SIGHUP) : 0);
	MASK(BIT(SIGTERM) | own);
	EQ(hup_runs, way == 1 && save);
	t_setmask(0);
	EQ(hup_runs, way == 1);
}

static void out_of_a_section(int save)
{
	hup_runs = 0;
	t_setmask(BIT(SIGTERM));
	if (sigsetjmp(env, save) == 0) {
		t_setmask(BIT(SIGHUP));
		raise(SIGHUP);
		EQ(hup_runs, 0);
		siglongjmp(env, 1);
	}
	EQ(hup_runs, save != 0);
	MASK(save ? BIT(SIGTERM) : BIT(SIGHUP));
	t_setmask(0);
	EQ(hup_runs, 1);
}

static void into_a_section(void)
{
	hup_runs = 0;
	t_setmask(BIT(SIGHUP));
	if (sigsetjmp(env, 1) == 0) {
		t_setmask(0);
		siglongjmp(env, 1);
	}
	raise(SIGHUP);
	EQ(hup_runs, 0);
	MASK(BIT(SIGHUP));
	t_setmask(0);
	EQ(hup_runs, 1);
}

int main(void)
{
	t_hot();
	t_handle(SIGUSR1, handler, 0, 0);
	t_handle(SIGHUP, hup, 0, 0);
	for (int i = 0; i < 200; i++) {
		way = i % 2;
		out_of_a_handler(1);
		out_of_a_handler(0);
		out_of_a_section(1);
		out_of_a_section(0);
		into_a_section();
	}
	return 0;
}
