// SPDX-License-Identifier: MIT
// Under a storm of signals a disposition goes through default and ignored and back, always
// blocked meanwhile: the process lives, and the handler in force is the only one to run.
#include "lazy.h"

static volatile int runs[2], in_force;

static void first(int sig)
{
	(void)sig;
	EQ(in_force, 0);
	runs[0]++;
}

static void second(int sig)
{
	(void)sig;
	EQ(in_force, 1);
	runs[1]++;
}

static void rain(pid_t us)
{
	for (int i = 0; kill(us, i % 2 ? SIGUSR1 : SIGUSR2) == 0; i++)
		for (volatile int j = 0; j < 200; j++)
			;
	_exit(0);
}

static void flip(int i)
{
	t_setmask(BIT(SIGUSR1) | BIT(SIGUSR2));
	signal(SIGUSR1, SIG_DFL);
	if (i % 3 == 0)
		signal(SIGUSR1, SIG_IGN);
	if (i % 5 == 0)
		signal(SIGUSR2, SIG_DFL);
	in_force = i % 2;
	t_handle(SIGUSR1, in_force ? second : first, i % 4 < 2 ? 0 : SA_RESTART, 0);
	t_handle(SIGUSR2, in_force ? second : first, 0, BIT(SIGUSR1));
	t_setmask(0);
	for (volatile int j = 0; j < 300; j++)
		;
}

int main(void)
{
	t_hot();
	t_handle(SIGUSR1, first, 0, 0);
	t_handle(SIGUSR2, first, 0, 0);
	t_stranger(rain);
	long long end = t_now_ms() + 700, most = t_now_ms() + T_PATIENCE;
	for (int i = 0; t_now_ms() < end || runs[0] < 20 || runs[1] < 20; i++) {
		flip(i);
		CHECK(t_now_ms() < most);
	}
	return 0;
}
