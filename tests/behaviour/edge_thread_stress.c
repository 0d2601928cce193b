// SPDX-License-Identifier: MIT
// Many threads that come, change, jump, signal each other and go, for two seconds.
#include "t.h"
#include <setjmp.h>
#include <time.h>

#define N 4
static volatile int stop, generations;
static pthread_t volatile group[N];
static pthread_barrier_t leaving;

static void handler(int sig)
{
	uint64_t view = t_view();
	EQ(view & BIT(sig), BIT(sig));
	KERNEL_MASK(view);
}

static void *short_lived(void *arg)
{
	uint64_t want = (uint64_t)(uintptr_t)arg;
	EQ(t_view(), want);
	KERNEL_MASK(want);
	t_setmask(BIT(SIGTERM));
	MASK(BIT(SIGTERM));
	return NULL;
}

static void *body(void *arg)
{
	int me = (int)(intptr_t)arg;
	sigjmp_buf env;
	unsigned seed = (unsigned)me * 7919 + 1;
	while (!stop) {
		uint64_t mask = rand_r(&seed) % 2 ? BIT(SIGUSR1) : BIT(SIGHUP + me);
		t_setmask(mask);
		MASK(mask);
		if (sigsetjmp(env, 1) == 0) {
			t_setmask(mask | BIT(SIGINT));
			siglongjmp(env, 1);
		}
		pthread_kill(pthread_self(), SIGUSR2);
		pthread_kill(group[rand_r(&seed) % N], SIGUSR1);
		if (rand_r(&seed) % 16 == 0) {
			pthread_t thread;
			uint64_t now = t_view();
			EQ(pthread_create(&thread, NULL, short_lived, (void *)now), 0);
			EQ(pthread_join(thread, NULL), 0);
			__atomic_add_fetch(&generations, 1, __ATOMIC_RELAXED);
		}
	}
	// The threads stay addressable until all have left their loops.
	pthread_barrier_wait(&leaving);
	return NULL;
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, SA_RESTART, 0);
	t_handle(SIGUSR2, handler, 0, BIT(SIGUSR1));
	for (int i = 0; i < N; i++)
		group[i] = pthread_self();
	pthread_t started[N];
	pthread_barrier_init(&leaving, NULL, N);
	for (int i = 0; i < N; i++)
		EQ(pthread_create(&started[i], NULL, body, (void *)(intptr_t)i), 0);
	for (int i = 0; i < N; i++)
		group[i] = started[i];
	time_t end = time(NULL) + 2;
	while (time(NULL) < end)
		usleep(50000);
	stop = 1;
	for (int i = 0; i < N; i++)
		EQ(pthread_join(started[i], NULL), 0);
	CHECK(generations > 10);
	return 0;
}
