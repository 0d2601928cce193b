// SPDX-License-Identifier: MIT
// Sections are a thread's own: a new thread is in none, even if made in one; a signal to the
// process reaches a thread that is in none, and one to a thread waits for that thread.
#include <sigzero.h>

#include <threads.h>

#include "t.h"

static volatile int runs;
static pthread_t ran_in, section_thread;

static void handler(int sig)
{
	(void)sig;
	ran_in = pthread_self();
	__atomic_fetch_add(&runs, 1, __ATOMIC_SEQ_CST);
}

static void await_runs(int n)
{
	for (int i = 0; __atomic_load_n(&runs, __ATOMIC_SEQ_CST) != n; i++) {
		if (i == 5000)
			t_fail(__FILE__, __LINE__, "the handler did not run");
		usleep(1000);
	}
}

static void *open_thread(void *expected)
{
	EQ(sigzero_blocked(), 0);
	EQ(t_view(), (uintptr_t)expected);
	EQ(t_kernel_mask() & BIT(SIGUSR1), 0);
	kill(getpid(), SIGUSR1); // the other thread is in a section
	await_runs(1);
	CHECK(pthread_equal(ran_in, pthread_self()));
	pthread_kill(section_thread, SIGUSR2);
	usleep(5000);
	EQ(runs, 1);
	sigzero_block();
	pthread_kill(pthread_self(), SIGUSR1);
	EQ(runs, 1);
	sigzero_unblock();
	EQ(runs, 2);
	return NULL;
}

static void once(int pending)
{
	pthread_t thread;

	runs = 0;
	sigzero_block();
	if (pending)
		raise(SIGUSR2);
	EQ(pthread_create(&thread, NULL, open_thread, (void *)(uintptr_t)BIT(SIGHUP)), 0);
	EQ(pthread_join(thread, NULL), 0);
	EQ(runs, 2);
	EQ(sigzero_blocked(), 1);
	sigzero_unblock();
	EQ(runs, 3);
	CHECK(pthread_equal(ran_in, pthread_self()));
	MASK(BIT(SIGHUP));
}

static int c11_thread(void *unused)
{
	(void)unused;
	EQ(sigzero_blocked(), 0);
	MASK(BIT(SIGHUP));
	return 0;
}

static void once_by_c11(void)
{
	thrd_t thread;

	runs = 0;
	sigzero_block();
	EQ(thrd_create(&thread, c11_thread, NULL), thrd_success);
	EQ(thrd_join(thread, NULL), thrd_success);
	raise(SIGUSR2);
	EQ(runs, 0);
	sigzero_unblock();
	EQ(runs, 1);
	MASK(BIT(SIGHUP));
}

int main(void)
{
	t_start();
	section_thread = pthread_self();
	t_handle(SIGUSR1, handler, SA_RESTART, 0);
	t_handle(SIGUSR2, handler, SA_RESTART, 0);
	t_setmask(BIT(SIGHUP));
	for (int i = 0; i < 45; i++) {
		once(0);
		once(1);
		once_by_c11();
	}
	return 0;
}
