// SPDX-License-Identifier: GPL-2.0
// Threads that enter and leave sections, wait for signals, change their mask, register, end and are born,
// are stopped, continued and traced, while another process sends signals to theirs: each is taken once,
// and soon, since there is always a thread that may take it.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/sigfastblock.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

enum { THREADS = 4 };

static struct {
	volatile int sent, taken, inside, end, stop, births;
	volatile pid_t tid[THREADS];
	volatile int doing[THREADS];
} *shared;

static __thread volatile uint32_t word;
static __thread volatile int in;
static int idle; // whether a thread that sleeps outside of sections is there

static void handler(int sig)
{
	if (in)
		__atomic_fetch_add(&shared->inside, 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&shared->taken, 1, __ATOMIC_SEQ_CST);
}

static void enter(void)
{
	__atomic_fetch_add(&word, SIGFASTBLOCK_INC, __ATOMIC_SEQ_CST);
	in++;
}

static void leave(void)
{
	in--;
	if (__atomic_fetch_sub(&word, SIGFASTBLOCK_INC, __ATOMIC_SEQ_CST) ==
	    (SIGFASTBLOCK_PEND | SIGFASTBLOCK_INC))
		syscall(__NR_sigfastblock, SIGFASTBLOCK_UNBLOCK, NULL);
}

static void some(unsigned int *seed)
{
	unsigned int kind = rand_r(seed) % 4;

	if (kind == 0)
		usleep(rand_r(seed) % 2000);
	else if (kind == 1)
		sched_yield();
	else
		for (int i = rand_r(seed) % 20000; i; i--)
			__asm__ volatile("");
}

static void *life(void *argument)
{
	long self = (long)argument;
	unsigned int seed = self * 7919 + __atomic_fetch_add(&shared->births, 1, __ATOMIC_SEQ_CST);
	struct timespec brief = { 0, 0 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	shared->tid[self] = syscall(SYS_gettid);
	syscall(__NR_sigfastblock, SIGFASTBLOCK_SETPTR, &word);
	while (!shared->end) {
		int what = rand_r(&seed) % 12;

		shared->doing[self] = what;
		switch (what) {
		case 0 ... 3:
			enter();
			some(&seed);
			leave();
			break;
		case 4:
			enter();
			enter();
			some(&seed);
			leave();
			some(&seed);
			leave();
			break;
		case 5:
		case 6:
			if (what == 5)
				enter();
			brief.tv_nsec = rand_r(&seed) % 2000000;
			if (sigtimedwait(&set, NULL, &brief) == SIGRTMIN)
				__atomic_fetch_add(&shared->taken, 1, __ATOMIC_SEQ_CST);
			if (what == 5)
				leave();
			break;
		case 7:
			enter();
			pthread_sigmask(SIG_BLOCK, &set, NULL);
			some(&seed);
			leave();
			some(&seed);
			pthread_sigmask(SIG_UNBLOCK, &set, NULL);
			break;
		case 8:
			if (syscall(__NR_sigfastblock, SIGFASTBLOCK_UNSETPTR, NULL))
				abort();
			word = 0;
			some(&seed);
			syscall(__NR_sigfastblock, SIGFASTBLOCK_SETPTR, &word);
			break;
		case 9: // Ends, now and then in a section; the word goes with the thread.
			if (rand_r(&seed) % 4)
				break;
			if (rand_r(&seed) % 2) {
				enter();
				some(&seed);
			}
			pthread_sigmask(SIG_BLOCK, &set, NULL);
			syscall(SYS_exit, 0);
		case 10: {
			pid_t child = vfork();

			if (!child)
				_exit(0);
			waitpid(child, NULL, __WALL);
			break;
		}
		default:
			some(&seed);
		}
	}
	return NULL;
}

static void process(void)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART };
	pthread_t thread[THREADS];
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_attr_setguardsize(&small, 0);
	sigaction(SIGRTMIN, &sa, NULL);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&thread[i], &small, life, (void *)i);
	shared->stop = 1;
	if (!idle) {
		sigset_t set;

		sigemptyset(&set);
		sigaddset(&set, SIGRTMIN);
		pthread_sigmask(SIG_BLOCK, &set, NULL);
	}
	while (!shared->end) {
		usleep(1000);
		for (long i = 0; i < THREADS; i++) {
			pid_t tid = shared->tid[i];

			// A thread that has ended without telling libc: another in its place.
			if (tid && syscall(SYS_tgkill, getpid(), tid, 0) && errno == ESRCH && !shared->end) {
				shared->tid[i] = 0;
				pthread_create(&thread[i], &small, life, (void *)i);
			}
		}
	}
	usleep(100000);
	_exit(0);
}

static void trace(pid_t pid, unsigned int seed)
{
	while (!shared->end) {
		pid_t tid = shared->tid[rand_r(&seed) % THREADS];
		int status, rounds = 20;

		usleep(3000);
		if (!tid || ptrace(PTRACE_SEIZE, tid, 0, 0))
			continue;
		while (rounds--) {
			pid_t got;

			usleep(500);
			ptrace(PTRACE_INTERRUPT, tid, 0, 0);
			for (int i = 0; i < 2000 && !(got = waitpid(tid, &status, WNOHANG | __WALL)); i++)
				usleep(500);
			if (got != tid || !WIFSTOPPED(status))
				break;
			if (!rounds)
				ptrace(PTRACE_DETACH, tid, 0, status >> 16 ? 0 : WSTOPSIG(status));
			else
				ptrace(PTRACE_CONT, tid, 0, status >> 16 ? 0 : WSTOPSIG(status));
		}
	}
	_exit(0);
}

static void run(bool with_idle, bool traced, bool stopped, double seconds)
{
	pid_t child, tracer = 0;
	int rounds = 0, late = 0, status;
	double end;

	memset((void *)shared, 0, sizeof(*shared));
	idle = with_idle;
	child = fork();
	if (!child)
		process();
	while (!shared->stop)
		usleep(1000);
	usleep(20000);
	if (traced && !(tracer = fork()))
		trace(child, 5);
	end = test_now() + seconds;
	while (test_now() < end && !late) {
		int burst = 1 + rounds % 7;
		double limit = test_now() + 10;

		for (int i = 0; i < burst; i++)
			if (!sigqueue(child, SIGRTMIN, (union sigval) { 0 }))
				shared->sent++;
		if (stopped && rounds % 5 == 0) {
			kill(child, SIGSTOP);
			usleep(500);
			kill(child, SIGCONT);
		}
		while (shared->taken < shared->sent && test_now() < limit)
			usleep(200);
		late = shared->taken != shared->sent;
		rounds++;
	}
	check(!late, "idle %d, traced %d, stopped %d: %d rounds, %d births, %d sent, %d taken",
	      with_idle, traced, stopped, rounds, shared->births, shared->sent, shared->taken);
	if (late)
		for (int i = 0; i < THREADS; i++)
			printf("# %d does %d\n", shared->tid[i], shared->doing[i]);
	check(!shared->inside, "%d in sections", shared->inside);
	shared->end = 1;
	for (int i = 0; i < 300 && waitpid(child, &status, WNOHANG) != child; i++)
		usleep(10000);
	check(status == 0, "it ended by itself, status %x", status);
	kill(child, SIGKILL);
	if (tracer) {
		kill(tracer, SIGKILL);
		waitpid(tracer, NULL, 0);
	}
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

int main(void)
{
	const char *text = getenv("SECONDS");
	double seconds = text ? atof(text) : 2;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	run(true, false, false, seconds);
	run(false, false, false, seconds);
	run(true, false, true, seconds);
	run(true, true, false, seconds);
	run(false, true, true, seconds);
	return test_status();
}
