// SPDX-License-Identifier: MIT
// Of several of the same kind that come while they are blocked the first is kept. One sent to
// the thread and one sent to the process are two.
#include "lazy.h"

static volatile int runs;
static int values[4];

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	if (runs < 4)
		values[runs] = info->si_value.sival_int;
	runs++;
}

static void to_process(int n)
{
	sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = n});
}

static void to_thread(int n)
{
	pthread_sigqueue(pthread_self(), SIGUSR1, (union sigval){.sival_int = n});
}

static void check(void (*first)(int), void (*second)(int), int want, int one, int two)
{
	runs = 0;
	t_setmask(BIT(SIGUSR1));
	first(1);
	second(2);
	first(3);
	second(4);
	EQ(runs, 0);
	t_setmask(0);
	EQ(runs, want);
	EQ(values[0], one);
	if (want > 1)
		EQ(values[1], two);
}

int main(void)
{
	t_hot();
	t_handle_info(SIGUSR1, handler, 0, 0);
	for (int i = 0; i < 20; i++) {
		check(to_process, to_process, 1, 1, 0);
		check(to_thread, to_thread, 1, 1, 0);
		// The thread's own comes first.
		check(to_process, to_thread, 2, 2, 1);
		check(to_thread, to_process, 2, 1, 2);
	}
	return 0;
}
