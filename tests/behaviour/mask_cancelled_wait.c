// SPDX-License-Identifier: MIT
// A thread is cancelled in a wait with a temporary mask. The wait never returns, so its mask
// stays in force: the clean-up sees it, and what it blocks there is blocked.
#include "t.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#define TEMPORARY BIT(SIGUSR2)

static const struct timespec long_enough = {60, 0};
static volatile int runs, cleaned;
static volatile pid_t tid;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void by_sigsuspend(const sigset_t *set)
{
	sigsuspend(set);
}

static void by_ppoll(const sigset_t *set)
{
	ppoll(NULL, 0, &long_enough, set);
}

static void by_pselect(const sigset_t *set)
{
	pselect(0, NULL, NULL, NULL, &long_enough, set);
}

static void by_epoll_pwait(const sigset_t *set)
{
	struct epoll_event event;
	epoll_pwait(epoll_create1(EPOLL_CLOEXEC), &event, 1, 60000, set);
}

static void cleanup(void *arg)
{
	(void)arg;
	EQ(t_view() & ~LIBC_OWN, TEMPORARY);
	EQ(t_kernel_mask() & ~LIBC_OWN, TEMPORARY);
	sigset_t set = t_set(BIT(SIGUSR1));
	runs = 0;
	EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
	FITS(t_kernel_mask() & ~LIBC_OWN, TEMPORARY | BIT(SIGUSR1));
	pthread_kill(pthread_self(), SIGUSR1);
	EQ(runs, 0);
	EQ(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
	EQ(runs, 1);
	cleaned++;
}

static void *body(void *wait)
{
	sigset_t temporary = t_set(TEMPORARY);
	pthread_cleanup_push(cleanup, NULL);
	t_setmask(BIT(SIGUSR1));
	tid = gettid();
	((void (*)(const sigset_t *))wait)(&temporary);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	void (*waits[])(const sigset_t *) = {by_sigsuspend, by_ppoll, by_pselect, by_epoll_pwait};
	int n = sizeof waits / sizeof *waits;
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	for (int i = 0; i < n; i++) {
		pthread_t thread;
		tid = 0;
		EQ(pthread_create(&thread, NULL, body, (void *)waits[i]), 0);
		while (!tid)
			usleep(100);
		t_await_mask(tid, TEMPORARY);
		EQ(pthread_cancel(thread), 0);
		EQ(pthread_join(thread, NULL), 0);
	}
	EQ(cleaned, n);
	MASK(0);
	return 0;
}
