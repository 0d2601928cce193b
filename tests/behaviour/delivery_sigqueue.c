// SPDX-License-Identifier: MIT
// sigqueue: values in order, one by one, and lost only for a standard signal already pending.
#include "t.h"

static volatile int values[64], count;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	EQ(info->si_code, SI_QUEUE);
	EQ(info->si_pid, getpid());
	values[count++] = info->si_value.sival_int;
}

static void queue(int sig, int value)
{
	union sigval v = {.sival_int = value};
	EQ(sigqueue(getpid(), sig, v), 0);
}

int main(void)
{
	t_start();
	t_handle_info(SIGRTMIN, handler, 0, 0);
	t_handle_info(SIGRTMIN + 1, handler, 0, BIT(SIGRTMIN));
	t_handle_info(SIGUSR1, handler, 0, 0);
	t_setmask(BIT(SIGRTMIN) | BIT(SIGUSR1));
	for (int i = 0; i < 20; i++)
		queue(SIGRTMIN, i);
	queue(SIGUSR1, 100);
	queue(SIGUSR1, 101);
	EQ(count, 0);
	t_setmask(BIT(SIGRTMIN));
	EQ(count, 1);
	EQ(values[0], 100);
	t_setmask(0);
	EQ(count, 21);
	for (int i = 0; i < 20; i++)
		EQ(values[i + 1], i);
	queue(SIGRTMIN + 1, 7);
	EQ(count, 22);
	EQ(values[21], 7);
	return 0;
}
