// SPDX-License-Identifier: GPL-2.0
// A control task signals workers, and each answers by a signal: the time from sending until the
// answer is there, one in flight per worker. Workers are threads of the process, which wait in
// sigwait() or sleep until a handler runs, and processes that do the same.
// By the fair scheduler, who decides whether the woken or the waking task goes on, round by round, and
// so what work a round is; and by the first-in first-out one ("fifo-"), under which on one processor
// each round is the same: all orders are given before the first worker runs, and all answers before the
// control task does.
//   ROUNDS (5000), WORKERS (2)
// Prints nanoseconds: the mean, the median and the tail of each; and in how many per cent of the
// rounds the control task slept and was preempted just as often as in most.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "phase.h"

enum { ORDER = 40, ANSWER = 41, END = 42 };

static pid_t control;
static int by_handler;
static volatile sig_atomic_t over;

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void answer(int signal)
{
	(void)signal;
	syscall(SYS_tkill, control, ANSWER);
}

static void end(int signal)
{
	(void)signal;
	over = 1;
}

static void *worker(void *unused)
{
	sigset_t orders;
	int signal;

	(void)unused;
	sigemptyset(&orders);
	sigaddset(&orders, ORDER);
	sigaddset(&orders, END);
	if (by_handler) {
		sigset_t open;

		sigprocmask(SIG_BLOCK, NULL, &open);
		sigdelset(&open, ORDER);
		sigdelset(&open, END);
		while (!over)
			sigsuspend(&open);
		return NULL;
	}
	while (!sigwait(&orders, &signal) && signal == ORDER)
		answer(0);
	return NULL;
}

static void *thread(void *id)
{
	__atomic_store_n((pid_t *)id, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	return worker(NULL);
}

static int ascending(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

static const char *prefix = "";

static void print(const char *how, int workers, const char *what, long value)
{
	printf("%s%s-%d-%s %ld\n", prefix, how, workers, what, value);
}

// How often the control task has slept and was preempted, in one number.
static long switches(void)
{
	struct rusage use;

	getrusage(RUSAGE_THREAD, &use);
	return use.ru_nvcsw * 1000000 + use.ru_nivcsw;
}

static int most_frequent(const long *sorted, int count)
{
	int most = 0, same = 0;

	for (int i = 0; i < count; i++) {
		same = i && sorted[i] == sorted[i - 1] ? same + 1 : 1;
		if (same > most)
			most = same;
	}
	return most;
}

static void measure(const char *how, int processes, int handler, int workers, int rounds)
{
	long *took = calloc(rounds, sizeof *took), *order = calloc(rounds, sizeof *order), sum = 0;
	pid_t id[16] = { 0 };
	pthread_t threads[16];
	sigset_t answers;
	int signal;

	by_handler = handler;
	over = 0;
	control = syscall(SYS_gettid);
	sigemptyset(&answers);
	sigaddset(&answers, ANSWER);
	for (int i = 0; i < workers; i++) {
		if (processes) {
			id[i] = fork();
			if (!id[i]) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				worker(NULL);
				_exit(0);
			}
		} else {
			pthread_create(&threads[i], NULL, thread, &id[i]);
			while (!__atomic_load_n(&id[i], __ATOMIC_SEQ_CST))
				usleep(100);
		}
	}
	usleep(20000);
	phase();
	for (int i = -100; i < rounds; i++) {
		long before = switches(), start = now();

		for (int w = 0; w < workers; w++)
			syscall(SYS_tkill, id[w], ORDER);
		for (int w = 0; w < workers; w++)
			sigwait(&answers, &signal);
		if (i >= 0) {
			took[i] = now() - start;
			order[i] = switches() - before;
		}
	}
	for (int w = 0; w < workers; w++) {
		syscall(SYS_tkill, id[w], END);
		if (processes)
			waitpid(id[w], NULL, 0);
		else
			pthread_join(threads[w], NULL);
	}
	for (int i = 0; i < rounds; i++)
		sum += took[i];
	qsort(took, rounds, sizeof *took, ascending);
	qsort(order, rounds, sizeof *order, ascending);
	print(how, workers, "mean", sum / rounds);
	print(how, workers, "p50", took[rounds / 2]);
	print(how, workers, "p99", took[rounds * 99l / 100]);
	print(how, workers, "p999", took[rounds * 999l / 1000]);
	print(how, workers, "alike", most_frequent(order, rounds) * 100l / rounds);
	fflush(stdout);
	free(took);
	free(order);
}

static void measure_all(int workers, int rounds)
{
	for (int count = 1; count <= workers; count += workers - 1 ?: 1) {
		measure("thread-sigwait", 0, 0, count, rounds);
		measure("thread-handler", 0, 1, count, rounds);
		measure("process-sigwait", 1, 0, count, rounds);
		measure("process-handler", 1, 1, count, rounds);
	}
}

int main(void)
{
	int rounds = getenv("ROUNDS") ? atoi(getenv("ROUNDS")) : 5000;
	int workers = getenv("WORKERS") ? atoi(getenv("WORKERS")) : 2;
	struct sigaction action = { .sa_handler = answer };
	sigset_t all;

	// RT signals: each takes a sigqueue, and none is merged with another.
	sigemptyset(&all);
	sigaddset(&all, ORDER);
	sigaddset(&all, ANSWER);
	sigaddset(&all, END);
	sigprocmask(SIG_BLOCK, &all, NULL);
	sigaction(ORDER, &action, NULL);
	action.sa_handler = end;
	sigaction(END, &action, NULL);
	measure_all(workers, rounds);
	prefix = "fifo-";
	if (!sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 1 }))
		measure_all(workers, rounds);
	return 0;
}
