// SPDX-License-Identifier: GPL-2.0
// Threads that enter and leave sections while other processors send to them and to the process:
// nothing is lost, nothing runs inside, and everything comes to its end. SECONDS of it (60).
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sigfastblock.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

enum { WORKERS = 4 };

static _Thread_local volatile uint32_t word;
static _Thread_local volatile int inside;
static atomic_long received, to_thread[WORKERS], wrong;
static atomic_int running;
static volatile bool stop;
static pid_t tids[WORKERS];

// Sent by other processes, so that they do not share the lock of the receiver.
static struct shared {
	atomic_long sent, sent_to_thread[WORKERS];
	atomic_bool stop;
} *shared;

static void enter(void)
{
	__atomic_fetch_add(&word, SIGFASTBLOCK_INC, __ATOMIC_SEQ_CST);
	inside++;
}

static void leave(void)
{
	inside--;
	if (__atomic_fetch_sub(&word, SIGFASTBLOCK_INC, __ATOMIC_SEQ_CST) ==
	    (SIGFASTBLOCK_PEND | SIGFASTBLOCK_INC))
		syscall(__NR_sigfastblock, SIGFASTBLOCK_UNBLOCK, NULL);
}

static void on_process(int sig)
{
	if (inside)
		wrong++;
	received++;
}

static void on_thread(int sig, siginfo_t *info, void *context)
{
	if (inside)
		wrong++;
	to_thread[info->si_value.sival_int]++;
}

static void *work(void *number)
{
	long me = (long)number;
	unsigned seed = me;
	struct timespec moment = { 0, 50000 };
	int pipes[2];
	char byte;

	if (pipe2(pipes, O_NONBLOCK))
		return NULL;
	tids[me] = syscall(SYS_gettid);
	if (me) // one of them never registers
		syscall(__NR_sigfastblock, SIGFASTBLOCK_SETPTR, &word);
	running++;
	while (!stop) {
		int what = rand_r(&seed) % 16;

		if (me)
			enter();
		if (what < 2)
			sched_yield();
		else if (what == 2)
			nanosleep(&moment, NULL);
		else if (what == 3)
			(void)!read(pipes[0], &byte, 1);
		else if (what == 4 && me) {
			enter();
			leave();
		} else if (what == 5)
			kill(getpid(), SIGUSR1); // ignored; but not for free
		if (me)
			leave();
	}
	return NULL;
}

// Waits while RLIMIT_SIGPENDING has no room.
static void send(pid_t pid, pid_t tid, int sig, int value)
{
	siginfo_t info = { .si_signo = sig, .si_code = SI_QUEUE };

	info.si_pid = getpid();
	info.si_value.sival_int = value;
	while ((tid ? syscall(SYS_rt_tgsigqueueinfo, pid, tid, sig, &info)
		    : syscall(SYS_rt_sigqueueinfo, pid, sig, &info)) < 0 && errno == EAGAIN)
		sched_yield();
}

static void sender(pid_t pid, unsigned seed)
{
	while (!shared->stop) {
		int target = rand_r(&seed) % (WORKERS + 2);

		if (target < WORKERS) {
			send(pid, tids[target], SIGRTMIN + 1, target);
			shared->sent_to_thread[target]++;
		} else {
			send(pid, 0, SIGRTMIN, 0);
			shared->sent++;
		}
		if (rand_r(&seed) % 8 == 0)
			usleep(rand_r(&seed) % 200);
	}
	_exit(0);
}

int main(void)
{
	struct sigaction process = { .sa_handler = on_process };
	struct sigaction thread = { .sa_sigaction = on_thread, .sa_flags = SA_SIGINFO };
	double seconds = getenv("SECONDS") ? atof(getenv("SECONDS")) : 60, end;
	pthread_t threads[WORKERS];
	pid_t senders[2];
	sigset_t all;
	bool arrived;

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGRTMIN, &process, NULL);
	sigaction(SIGRTMIN + 1, &thread, NULL);
	signal(SIGUSR1, SIG_IGN);
	for (long i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	// The main thread takes no part: what it does not take the workers have to.
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	while (running < WORKERS)
		sched_yield();
	for (int i = 0; i < 2; i++) {
		senders[i] = fork();
		if (!senders[i])
			sender(getppid(), i + 1);
	}
	end = test_now() + seconds;
	while (test_now() < end)
		usleep(100000);
	shared->stop = true;
	for (int i = 0; i < 2; i++)
		waitpid(senders[i], NULL, 0);

	arrived = false;
	end = test_now() + 30;
	while (!arrived && test_now() < end) {
		arrived = received == shared->sent;
		for (int i = 0; i < WORKERS; i++)
			arrived &= to_thread[i] == shared->sent_to_thread[i];
		usleep(1000);
	}
	check(received == shared->sent, "signals to the process: %ld sent, %ld received",
	      shared->sent, received);
	for (int i = 0; i < WORKERS; i++)
		check(to_thread[i] == shared->sent_to_thread[i], "signals to thread %d: %ld sent, %ld received",
		      i, shared->sent_to_thread[i], to_thread[i]);
	check(!wrong, "%ld handlers ran in a section", wrong);
	check(shared->sent > 100, "there was something to send");
	stop = true;
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	return test_status();
}
