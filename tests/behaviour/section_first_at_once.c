// SPDX-License-Identifier: MIT
// Threads that enter their first sections at one moment, which is when a runtime prepares for
// them, find what the program installed untouched.
#include <sigzero.h>

#include <stdatomic.h>

#include "t.h"

#define THREADS 4
#define ROUNDS 40
#define SECTIONS 70 // enough for any runtime to begin with it

static atomic_int waiting, came;

static void handler(int sig)
{
	(void)sig;
	came++;
}

static void *work(void *unused)
{
	waiting++;
	while (waiting < THREADS)
		;
	for (int i = 0; i < SECTIONS; i++) {
		sigzero_block();
		sigzero_unblock();
	}
	return unused;
}

static void child(void)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGCHLD};
	pthread_t threads[THREADS];
	struct sigaction act;

	for (int i = 0; i < 7; i++)
		t_handle(signals[i], handler, i % 2 ? SA_RESTART : 0, BIT(SIGWINCH));
	for (int i = 0; i < THREADS; i++)
		EQ(pthread_create(&threads[i], NULL, work, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		EQ(pthread_join(threads[i], NULL), 0);
	for (int i = 0; i < 7; i++) {
		EQ(sigaction(signals[i], NULL, &act), 0);
		CHECK(act.sa_handler == handler);
		EQ(act.sa_flags & ~0x04000000, i % 2 ? SA_RESTART : 0);
		EQ(t_bits(&act.sa_mask), BIT(SIGWINCH));
		EQ(raise(signals[i]), 0);
		EQ(came, i + 1);
	}
}

int main(void)
{
	t_start();
	for (int i = 0; i < ROUNDS; i++)
		EQ(t_child(child), 0);
	return 0;
}
