// SPDX-License-Identifier: GPL-2.0
// Signals flushed from queues by others while their owner consumes from them: stop signals by
// SIGCONT and the other way round, sent from another processor and from timer interrupts, and
// ignored ones by sigaction() in a sibling. Such a flush once filled the slot of whoever was
// interrupted, without its siglock. SECONDS of it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include "sigqueue.h"

static volatile long handled;

static void count(int signal)
{
	(void)signal;
	__atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
}

static void handle(int signal, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(signal, &action, NULL);
}

// From the interrupt of a timer: POSIX timers whose signals flush, and the itimer, which takes a
// sigqueue there.
static void interrupts(void)
{
	const int signals[] = { SIGCONT, SIGTSTP, SIGTTIN };
	struct itimerval alarm = { { 0, 190 }, { 0, 190 } };

	for (int i = 0; i < 3; i++) {
		struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = signals[i] };
		long period = 150000 + 31000 * i;
		struct itimerspec spec = { { 0, period }, { 0, period } };
		timer_t timer;

		must(!timer_create(CLOCK_MONOTONIC, &event, &timer), "timer_create");
		timer_settime(timer, 0, &spec, NULL);
	}
	setitimer(ITIMER_REAL, &alarm, NULL);
}

// Consumes in each way there is: handlers, sigwait, signalfd; of its own and of the process.
static void *consume(void *unused)
{
	sigset_t set;
	int file;

	(void)unused;
	sigfillset(&set);
	sigdelset(&set, SIGTERM);
	file = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	for (unsigned int round = 0;; round++) {
		struct signalfd_siginfo info[4];
		struct timespec soon = { 0, 50000 };

		raise(SIGUSR2);
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGTSTP);
		sigprocmask(SIG_BLOCK, &set, NULL);
		raise(SIGTSTP);
		raise(SIGUSR2);
		sigqueue(getpid(), SIGRTMIN, (union sigval){ 0 });
		raise(SIGCONT);
		if (round & 1)
			while (sigtimedwait(&set, NULL, &soon) > 0 && round % 7)
				;
		else if (read(file, info, sizeof info) < 0 && errno != EAGAIN)
			_exit(1);
		raise(SIGTTIN);
		raise(SIGCONT);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	}
	return NULL;
}

static void *ignore_and_handle(void *unused)
{
	sigset_t set;

	(void)unused;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTTIN);
	for (;;) {
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		raise(SIGUSR1);
		handle(SIGUSR1, SIG_IGN);
		handle(SIGUSR1, count);
		handle(SIGTTIN, SIG_IGN);
		handle(SIGTTIN, count);
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	}
	return NULL;
}

// SIGIO and a stop signal in its place, from a pipe that the sender writes to.
static void notified(int file, int signal)
{
	fcntl(file, F_SETFL, O_ASYNC | O_NONBLOCK);
	fcntl(file, F_SETOWN, getpid());
	fcntl(file, F_SETSIG, signal);
}

static pid_t target(int reads, int reads_too)
{
	pid_t child = fork();
	pthread_t thread;

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	notified(reads, SIGRTMIN + 2);
	notified(reads_too, SIGTTIN);
	interrupts();
	pthread_create(&thread, NULL, ignore_and_handle, NULL);
	pthread_create(&thread, NULL, consume, NULL);
	consume(NULL);
	_exit(0);
}

// Really stopped again and again, with signals of all kinds pending.
static pid_t stopped(void)
{
	pid_t child = fork();
	pthread_t thread;

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	handle(SIGTSTP, SIG_DFL);
	handle(SIGTTOU, SIG_DFL);
	pthread_create(&thread, NULL, ignore_and_handle, NULL);
	for (;;) {
		raise(SIGUSR2);
		kill(getpid(), SIGUSR2);
	}
}

int main(void)
{
	double start = seconds(), last = setting("SECONDS", 5);
	struct sigqueue_counts first, c;
	const int stops[] = { SIGTSTP, SIGTTIN, SIGTTOU, SIGSTOP };
	pid_t consumer, sleeper;
	int ends[2], others[2], status = 0, bad = 0;
	long sent = 0;

	sigqueue_read(&first);
	// Before the targets are there: nothing may come too early for them.
	for (int signal = SIGUSR1; signal <= SIGRTMAX; signal++)
		if (signal != SIGTERM && signal != SIGSEGV && signal != SIGCHLD)
			handle(signal, count);
	must(!pipe2(ends, O_CLOEXEC) && !pipe2(others, O_CLOEXEC), "pipe");
	consumer = target(ends[0], others[0]);
	sleeper = stopped();
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	fcntl(others[1], F_SETFL, O_NONBLOCK);
	while (seconds() - start < last) {
		char drain[256];

		for (int i = 0; i < 8; i++, sent += 5) {
			kill(consumer, stops[i % 3]);
			kill(consumer, SIGCONT);
			kill(sleeper, stops[i % 4]);
			sigqueue(sleeper, SIGRTMIN, (union sigval){ 0 });
			kill(sleeper, SIGUSR1);
			if (i % 3 == 0)
				kill(sleeper, SIGCONT);
		}
		if (write(ends[1], "x", 1) < 0 || write(others[1], "x", 1) < 0) {
			while (read(ends[0], drain, sizeof drain) > 0)
				;
			while (read(others[0], drain, sizeof drain) > 0)
				;
		}
		kill(sleeper, SIGCONT);
		usleep(50);
	}
	bad |= waitpid(consumer, &status, WNOHANG) != 0;
	bad |= waitpid(sleeper, &status, WNOHANG) != 0;
	if (bad)
		printf("a target ended before its time: %x\n", status);
	kill(consumer, SIGKILL);
	kill(sleeper, SIGKILL);
	while (wait(NULL) > 0)
		;
	sigqueue_read(&c);
	printf("# %ld sent, %ld from the slab, %ld from the cache, %ld flushed\n", sent, c.slab - first.slab,
	       c.cache - first.cache, c.flushed - first.flushed);
	printf("%sok both targets lived\n", bad ? "not " : "");
	// Else nothing of what this is about took place.
	status = c.flushed - first.flushed < 100 * last || c.cache - first.cache < 100 * last;
	printf("%sok much was flushed, and much was cached\n", status ? "not " : "");
	bad |= status;
	status = sigqueue_settled();
	printf("%sok none lost\n", status ? "not " : "");
	return bad | status;
}
