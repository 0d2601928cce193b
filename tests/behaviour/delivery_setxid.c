// SPDX-License-Identifier: MIT
// setuid() reaches every thread by a signal of libc's own. It ends a sigsuspend that held
// SIGUSR1 back; SIGUSR1 then comes under the thread's own mask, not the temporary one.
#include "t.h"

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

static void *body(void *arg)
{
	sigset_t temporary = t_set(BIT(SIGUSR1) | BIT(SIGUSR2));
	t_setmask(BIT(SIGHUP));
	tid = gettid();
	EQ(sigsuspend(&temporary), -1);
	EQ(errno, EINTR);
	EQ(runs, 1);
	MASK(BIT(SIGHUP));
	return arg;
}

int main(void)
{
	t_start();
	t_handle_info(SIGUSR1, handler, 0, 0);
	for (int i = 0; i < 10; i++) {
		pthread_t thread;
		runs = 0;
		tid = 0;
		EQ(pthread_create(&thread, NULL, body, NULL), 0);
		while (!tid)
			usleep(100);
		t_await_mask(tid, BIT(SIGUSR1) | BIT(SIGUSR2));
		pthread_kill(thread, SIGUSR1);
		EQ(setuid(getuid()), 0);
		EQ(pthread_join(thread, NULL), 0);
		EQ(runs, 1);
	}
	return 0;
}
