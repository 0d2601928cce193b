// SPDX-License-Identifier: MIT
// Masks are a thread's own: changes in lock step, seen by none of the others.
#include "t.h"

#define N 4
static pthread_barrier_t barrier;

static uint64_t mask_of(int me, int step)
{
	return (UINT64_C(0x10001) << (me * 3)) << (step % 7) & ~(BIT(SIGKILL) | BIT(SIGSTOP)) &
	       ~(BIT(32) | BIT(33));
}

static void *body(void *arg)
{
	int me = (int)(intptr_t)arg;
	for (int step = 0; step < 50; step++) {
		t_setmask(mask_of(me, step));
		pthread_barrier_wait(&barrier);
		MASK(mask_of(me, step));
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread[N];
	t_start();
	pthread_barrier_init(&barrier, NULL, N);
	for (int i = 0; i < N; i++)
		EQ(pthread_create(&thread[i], NULL, body, (void *)(intptr_t)i), 0);
	for (int i = 0; i < N; i++)
		EQ(pthread_join(thread[i], NULL), 0);
	MASK(0);
	return 0;
}
