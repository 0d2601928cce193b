// SPDX-License-Identifier: MIT
// Contexts that move between threads in lock step take their mask along; thread-local
// storage stays with the thread.
#include "t.h"
#include <semaphore.h>
#include <ucontext.h>

#define TURNS 200
static sem_t turn_of[2];
static ucontext_t coroutine, home[2];
static char stack[64 * 1024];
static volatile int current, steps;
static __thread volatile int self;

__attribute__((noinline)) static int whoami(void)
{
	__asm__ volatile("" ::: "memory");
	return self;
}

static void body(void)
{
	for (int i = 0;; i++) {
		uint64_t mask = i & 1 ? BIT(SIGUSR1) | BIT(SIGRTMIN) : BIT(SIGHUP);
		EQ(whoami(), current);
		t_setmask(mask);
		MASK(mask);
		steps++;
		EQ(swapcontext(&coroutine, &home[current]), 0);
		MASK(mask);
	}
}

static void *thread(void *arg)
{
	int me = (int)(intptr_t)arg;
	uint64_t mine = me ? BIT(SIGTERM) : BIT(SIGALRM);
	self = me;
	t_setmask(mine);
	for (int i = 0; i < TURNS; i++) {
		while (sem_wait(&turn_of[me]))
			EQ(errno, EINTR);
		current = me;
		EQ(swapcontext(&home[me], &coroutine), 0);
		EQ(whoami(), me);
		MASK(mine);
		// Every third turn the same thread goes twice.
		if (i % 3 == 0) {
			EQ(swapcontext(&home[me], &coroutine), 0);
			MASK(mine);
		}
		sem_post(&turn_of[!me]);
	}
	return NULL;
}

int main(void)
{
	pthread_t other;
	t_start();
	EQ(getcontext(&coroutine), 0);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = sizeof stack;
	makecontext(&coroutine, body, 0);
	sem_init(&turn_of[0], 0, 1);
	sem_init(&turn_of[1], 0, 0);
	EQ(pthread_create(&other, NULL, thread, (void *)1), 0);
	thread((void *)0);
	EQ(pthread_join(other, NULL), 0);
	EQ(steps, 2 * (TURNS + (TURNS + 2) / 3));
	MASK(BIT(SIGALRM));
	return 0;
}
