// SPDX-License-Identifier: MIT
// SA_RESETHAND: one delivery, whether the signal came open or blocked; then the default.
#include "lazy.h"

static volatile int runs;

static void handler(int sig)
{
	struct sigaction act;
	EQ(sigaction(sig, NULL, &act), 0);
	CHECK(act.sa_handler == SIG_DFL);
	runs++;
}

static void arm(void)
{
	t_handle(SIGUSR1, handler, (int)SA_RESETHAND, 0);
}

static void check(int blocked)
{
	struct sigaction act;
	runs = 0;
	arm();
	t_setmask(blocked ? BIT(SIGUSR1) : 0);
	raise(SIGUSR1);
	EQ(runs, !blocked);
	EQ(sigaction(SIGUSR1, NULL, &act), 0);
	CHECK(act.sa_handler == (blocked ? handler : SIG_DFL));
	t_setmask(0);
	EQ(runs, 1);
	EQ(sigaction(SIGUSR1, NULL, &act), 0);
	CHECK(act.sa_handler == SIG_DFL);
}

static void second_is_the_end(void)
{
	arm();
	t_setmask(BIT(SIGUSR1));
	raise(SIGUSR1);
	t_setmask(0);
	EQ(runs, 1);
	t_setmask(BIT(SIGUSR1));
	raise(SIGUSR1);
	t_setmask(0);
}

static void two_at_once(void)
{
	arm();
	t_setmask(BIT(SIGUSR1));
	raise(SIGUSR1);
	kill(getpid(), SIGUSR1);
	t_setmask(0);
}

static void dies(void (*body)(void))
{
	runs = 0;
	int status = t_child(body);
	EQ(WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGUSR1);
}

int main(void)
{
	t_hot();
	for (int i = 0; i < 50; i++) {
		check(0);
		check(1);
	}
	dies(second_is_the_end);
	dies(two_at_once);
	return 0;
}
