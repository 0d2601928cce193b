// SPDX-License-Identifier: MIT
// A cancelled sigsuspend leaves nothing behind: a signal that interrupts a later call, while the
// clean-up runs deep in the same stack, is not taken for one that the wait let in.
#include "t.h"
#include <sys/time.h>
#include <time.h>

static volatile int runs;
static volatile pid_t tid;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)info;
	ucontext_t *uc = context;
	MASK(BIT(SIGHUP) | BIT(sig));
	EQ(t_bits(&uc->uc_sigmask), BIT(SIGHUP));
	runs++;
}

static void cleanup(void *arg)
{
	volatile char deep[100000];
	struct itimerval soon = {{0, 0}, {0, 5000}};
	struct timespec moment = {10, 0};
	(void)arg;
	memset((void *)deep, 0, sizeof deep);
	t_setmask(BIT(SIGHUP));
	for (int i = 1; i <= 5; i++) {
		EQ(setitimer(ITIMER_REAL, &soon, NULL), 0);
		while (runs < i)
			nanosleep(&moment, NULL);
		MASK(BIT(SIGHUP));
	}
}

static void *body(void *arg)
{
	sigset_t temporary = t_set(BIT(SIGUSR2));
	pthread_cleanup_push(cleanup, NULL);
	tid = gettid();
	sigsuspend(&temporary);
	pthread_cleanup_pop(0);
	return arg;
}

int main(void)
{
	t_start();
	t_handle_info(SIGALRM, handler, 0, 0);
	pthread_t thread;
	EQ(pthread_create(&thread, NULL, body, NULL), 0);
	while (!tid)
		usleep(100);
	t_await_mask(tid, BIT(SIGUSR2));
	t_setmask(BIT(SIGALRM));
	EQ(pthread_cancel(thread), 0);
	EQ(pthread_join(thread, NULL), 0);
	EQ(runs, 5);
	return 0;
}
