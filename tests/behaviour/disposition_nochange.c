// SPDX-License-Identifier: MIT
// Setting again what is set, and changing one detail at a time: all details take effect.
#include "t.h"

static volatile int runs, other_runs;
static volatile uint64_t seen;

static void handler(int sig)
{
	(void)sig;
	seen = t_view();
	KERNEL_MASK(seen);
	runs++;
}

static void other(int sig)
{
	(void)sig;
	other_runs++;
}

static void expect(uint64_t in_handler)
{
	int before = runs;
	raise(SIGUSR1);
	EQ(runs, before + 1);
	EQ(seen, in_handler);
	MASK(0);
}

int main(void)
{
	t_start();
	for (int i = 0; i < 5; i++) {
		t_handle(SIGUSR1, handler, 0, BIT(SIGHUP));
		expect(BIT(SIGHUP) | BIT(SIGUSR1));
	}
	t_handle(SIGUSR1, handler, 0, BIT(SIGINT));
	expect(BIT(SIGINT) | BIT(SIGUSR1));
	t_handle(SIGUSR1, handler, SA_NODEFER, BIT(SIGINT));
	expect(BIT(SIGINT));
	t_handle(SIGUSR1, handler, SA_NODEFER, 0);
	expect(0);
	t_handle(SIGUSR1, other, SA_NODEFER, 0);
	raise(SIGUSR1);
	EQ(other_runs, 1);
	t_handle(SIGUSR1, SIG_IGN, 0, 0);
	t_handle(SIGUSR1, SIG_IGN, 0, 0);
	raise(SIGUSR1);
	EQ(other_runs, 1);
	t_handle(SIGUSR1, handler, SA_RESETHAND, 0);
	expect(BIT(SIGUSR1));
	// The kernel has put the default back: the same call must install it afresh.
	t_handle(SIGUSR1, handler, SA_RESETHAND, 0);
	expect(BIT(SIGUSR1));
	struct sigaction act;
	EQ(sigaction(SIGUSR1, NULL, &act), 0);
	CHECK(act.sa_handler == SIG_DFL);
	return 0;
}
