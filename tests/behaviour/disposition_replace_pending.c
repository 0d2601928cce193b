// SPDX-License-Identifier: MIT
// Handlers replaced while signals are on their way: the kernel settles who runs.
#include "t.h"

static volatile int old_runs, new_runs, order, old_at, replacer_at;

static void fresh(int sig)
{
	(void)sig;
	new_runs++;
}

static void stale(int sig)
{
	(void)sig;
	old_runs++;
	old_at = ++order;
}

// The frames of both signals are made before either handler runs, so that the one
// that was chosen first runs with the handler of that moment.
static void replacer(int sig)
{
	(void)sig;
	replacer_at = ++order;
	t_handle(SIGUSR1, fresh, 0, 0);
	t_handle(SIGHUP, fresh, 0, 0);
}

static void unblocked_at_once(int victim)
{
	old_runs = new_runs = order = old_at = replacer_at = 0;
	t_handle(victim, stale, 0, 0);
	t_handle(SIGUSR2, replacer, 0, 0);
	t_setmask(BIT(victim) | BIT(SIGUSR2));
	raise(victim);
	raise(SIGUSR2);
	t_setmask(0);
	EQ(replacer_at, 1);
	EQ(old_runs, 1);
	EQ(new_runs, 0);
	EQ(old_at, 2);
	raise(victim);
	EQ(old_runs, 1);
	EQ(new_runs, 1);
}

static void replaced_while_pending(void)
{
	old_runs = new_runs = 0;
	t_handle(SIGUSR1, stale, 0, 0);
	t_setmask(BIT(SIGUSR1));
	raise(SIGUSR1);
	t_handle(SIGUSR1, fresh, 0, 0);
	t_setmask(0);
	EQ(old_runs, 0);
	EQ(new_runs, 1);
}

int main(void)
{
	t_start();
	unblocked_at_once(SIGUSR1);
	unblocked_at_once(SIGHUP);
	replaced_while_pending();
	return 0;
}
