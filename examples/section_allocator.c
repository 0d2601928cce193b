// SPDX-License-Identifier: MIT
// An allocator that signal handlers may use: a free list whose every change is a section. A
// handler never finds the list half changed, since it does not run there; and the lock that
// keeps threads apart is only held inside a section, so that no handler can wait for what
// its own thread holds.
//
// Build:  cc -O2 -g -pthread -o section_allocator examples/section_allocator.c $(pkg-config --cflags --libs sigzero)
// Then:   ./section_allocator
#include <sigzero.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#define BLOCKS 4096
#define THREADS 2

struct block {
	struct block *next;
	atomic_int owners;
};

static struct block blocks[BLOCKS];
static struct block *list;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static atomic_long in_handlers, wrong;

static void enter(void)
{
	sigzero_block(); // the section first: then the holder of the lock is not interrupted
	while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
		;
}

static void leave(void)
{
	atomic_flag_clear_explicit(&lock, memory_order_release);
	sigzero_unblock();
}

static struct block *allocate(void)
{
	struct block *b;

	enter();
	b = list;
	if (b)
		list = b->next;
	leave();
	if (b && atomic_fetch_add(&b->owners, 1) != 0)
		wrong++; // handed out twice
	return b;
}

static void release(struct block *b)
{
	atomic_fetch_sub(&b->owners, 1);
	enter();
	b->next = list;
	list = b;
	leave();
}

static void on_alarm(int sig)
{
	struct block *some[8];

	(void)sig;
	for (int i = 0; i < 8; i++)
		some[i] = allocate();
	for (int i = 0; i < 8; i++)
		if (some[i])
			release(some[i]);
	in_handlers++;
}

static void *work(void *turns)
{
	for (long i = 0; i < *(long *)turns; i++) {
		struct block *a = allocate(), *b = allocate();

		if (a)
			release(a);
		if (b)
			release(b);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long turns = argc > 1 ? atol(argv[1]) : 500000;
	struct sigaction act = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	pthread_t threads[THREADS];
	int left = 0;

	for (int i = 0; i < BLOCKS; i++) {
		blocks[i].next = list;
		list = &blocks[i];
	}
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &turns);
	work(&turns);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	while (allocate())
		left++;
	printf("%d blocks of %d are left, %ld were handed out twice\n", left, BLOCKS, (long)wrong);
	return left != BLOCKS || wrong;
}
