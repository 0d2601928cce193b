// SPDX-License-Identifier: MIT
// How keeping signals out grows with the threads of a process: rt_sigprocmask takes a lock that
// all of them share. Prints one line for each number of threads: name, ns a pair of one thread,
// least, most; every thread works all the time.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef WITH_SECTIONS
#include <sigzero.h>
#endif

enum { MOST_THREADS = 64, BATCHES = 11 };

static const double BATCH_NS = 1e7;

#ifdef WITH_SECTIONS
static const char name[] = "sigzero_block+unblock";

static void pairs(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		sigzero_block();
		sigzero_unblock();
	}
}
#else
static const char name[] = "pthread_sigmask block+restore";

static void pairs(unsigned long n)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	for (unsigned long i = 0; i < n; i++) {
		pthread_sigmask(SIG_BLOCK, &set, &old);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
}
#endif

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

struct worker {
	pthread_t thread;
	unsigned long n;
	pthread_barrier_t *start;
	double started, ended;
};

static void *work(void *argument)
{
	struct worker *w = argument;

	pairs(1000);
	pthread_barrier_wait(w->start);
	w->started = now_ns();
	pairs(w->n);
	w->ended = now_ns();
	return NULL;
}

// ns a pair: the wall time in which each thread made n.
static double batch(int threads, unsigned long n)
{
	struct worker workers[MOST_THREADS];
	pthread_barrier_t barrier;
	double start = 0, end = 0;

	pthread_barrier_init(&barrier, NULL, (unsigned)threads);
	for (int i = 0; i < threads; i++) {
		workers[i] = (struct worker){.n = n, .start = &barrier};
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			abort();
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(workers[i].thread, NULL);
		start = i && start < workers[i].started ? start : workers[i].started;
		end = end > workers[i].ended ? end : workers[i].ended;
	}
	pthread_barrier_destroy(&barrier);
	return (end - start) / (double)n;
}

// So many that the start of the threads does not count.
static unsigned long batch_size(void)
{
	unsigned long n = 10000;
	double start;

	for (;; n *= 2) {
		start = now_ns();
		pairs(n);
		if (now_ns() - start >= BATCH_NS)
			return n;
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(int threads)
{
	double ns[BATCHES];
	unsigned long n = batch_size();

	for (int i = 0; i < BATCHES; i++)
		ns[i] = batch(threads, n);
	qsort(ns, BATCHES, sizeof *ns, by_value);
	printf("%s, %d thread%s\t%.3f\t%.3f\t%.3f\n", name, threads, threads == 1 ? "" : "s",
	       ns[BATCHES / 2], ns[0], ns[BATCHES - 1]);
}

int main(int argc, char **argv)
{
	int most = argc > 1 ? atoi(argv[1]) : 8;

	for (int threads = 1; threads <= most && threads <= MOST_THREADS; threads *= 2)
		measure(threads);
	return 0;
}
