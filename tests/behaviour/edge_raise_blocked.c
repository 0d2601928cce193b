// SPDX-License-Identifier: MIT
// A signal to oneself while blocked stays pending, for the thread or for the process.
#include "t.h"

static volatile int runs, last_code, last_value;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	last_code = info->si_code;
	last_value = info->si_value.sival_int;
	runs++;
}

static void *check(void *arg)
{
	union sigval value = {.sival_int = 12};
	for (int i = 0; i < 4; i++) {
		runs = 0;
		t_setmask(BIT(SIGUSR1));
		if (i == 0)
			EQ(raise(SIGUSR1), 0);
		if (i == 1)
			EQ(pthread_kill(pthread_self(), SIGUSR1), 0);
		if (i == 2)
			EQ(pthread_sigqueue(pthread_self(), SIGUSR1, value), 0);
		if (i == 3)
			EQ(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1), 0);
		EQ(runs, 0);
		MASK(BIT(SIGUSR1));
		EQ(t_pending(), BIT(SIGUSR1));
		t_setmask(0);
		EQ(runs, 1);
		EQ(last_code, i == 2 ? SI_QUEUE : SI_TKILL);
		if (i == 2)
			EQ(last_value, 12);
	}
	EQ(pthread_kill(pthread_self(), 0), 0);
	EQ(pthread_kill(pthread_self(), 1000), EINVAL);
	EQ(pthread_kill(pthread_self(), 32), EINVAL);
	errno = 0;
	EQ(raise(1000), -1);
	EQ(errno, EINVAL);
	return arg;
}

int main(void)
{
	pthread_t thread;
	t_start();
	t_handle_info(SIGUSR1, handler, 0, 0);
	check(NULL);
	EQ(pthread_create(&thread, NULL, check, NULL), 0);
	EQ(pthread_join(thread, NULL), 0);
	return 0;
}
