// SPDX-License-Identifier: GPL-2.0
// Where each kind of signal takes its sigqueue from and leaves it: exact numbers, each kind in a
// process of its own, so that the first signal is always a miss, although the parent's slot is full.
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include "sigqueue.h"

enum { N = 1000 };

static volatile sig_atomic_t handled;
static sigjmp_buf again;
static char *closed;

static void count(int signal)
{
	(void)signal;
	handled++;
}

static void jump(int signal)
{
	(void)signal;
	handled++;
	siglongjmp(again, 1);
}

static sigset_t only(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	return set;
}

static sigset_t block(int signal)
{
	sigset_t set = only(signal);

	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return set;
}

static void handle(int signal, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(signal, &action, NULL);
}

// The handler of a blocked signal, N times; START makes one come.
static void suspended(int signal, void (*start)(void))
{
	sigset_t open;

	handle(signal, count);
	block(signal);
	sigfillset(&open);
	sigdelset(&open, signal);
	for (int i = 1; i <= N; i++) {
		start();
		while (handled < i)
			sigsuspend(&open);
	}
}

static void by_kill(void)
{
	handle(SIGUSR1, count);
	for (int i = 0; i < N; i++)
		kill(getpid(), SIGUSR1);
}

static void by_tgkill(void)
{
	handle(SIGUSR1, count);
	for (int i = 0; i < N; i++)
		raise(SIGUSR1);
}

static void by_sigqueue(void)
{
	handle(SIGRTMIN, count);
	for (int i = 0; i < N; i++)
		sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = i });
}

static void by_children(void)
{
	handle(SIGCHLD, count);
	for (int i = 0; i < N; i++) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		must(waitpid(child, NULL, 0) == child, "waitpid");
	}
}

static void start_itimer(void)
{
	struct itimerval soon = { .it_value = { 0, 100 } };

	setitimer(ITIMER_REAL, &soon, NULL);
}

static void by_itimer(void)
{
	suspended(SIGALRM, start_itimer);
}

static timer_t timer;

static void create_timer(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };

	must(!timer_create(CLOCK_MONOTONIC, &event, &timer), "timer_create");
}

static void start_timer(void)
{
	struct itimerspec soon = { .it_value = { 0, 100000 } };

	timer_settime(timer, 0, &soon, NULL);
}

static void by_timer(void)
{
	create_timer();
	suspended(SIGRTMIN, start_timer);
	timer_delete(timer);
}

static void by_fault(void)
{
	closed = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	handle(SIGSEGV, jump);
	for (volatile int i = 0; i < N; i++)
		if (!sigsetjmp(again, 1))
			*(volatile char *)closed = 1;
}

static void by_sigwait(void)
{
	sigset_t set = block(SIGUSR1);
	int signal;

	for (int i = 0; i < N; i++) {
		kill(getpid(), SIGUSR1);
		handled += !sigwait(&set, &signal);
	}
}

static void by_signalfd(void)
{
	sigset_t set = block(SIGUSR1);
	struct signalfd_siginfo info;
	int file = signalfd(-1, &set, 0);

	for (int i = 0; i < N; i++) {
		kill(getpid(), SIGUSR1);
		handled += read(file, &info, sizeof info) == sizeof info;
	}
}

// All N are queued before the first is consumed, the last in first out: one finds the slot empty.
static void by_queue(void)
{
	sigset_t set;

	handle(SIGRTMIN, count);
	set = block(SIGRTMIN);
	for (int i = 0; i < N; i++)
		sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = i });
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

// Flushed by setting SIG_IGN: never consumed, so never kept.
static void by_ignoring(void)
{
	block(SIGUSR1);
	for (int i = 0; i < N; i++) {
		kill(getpid(), SIGUSR1);
		signal(SIGUSR1, SIG_IGN);
		signal(SIGUSR1, SIG_DFL);
	}
	handled = N;
}

// A stop signal flushed by SIGCONT, which is itself consumed. Its sigqueue is there for the next
// stop signal, and the SIGCONT after that takes one from the slab again: the stop signal has it.
static void by_continuing(void)
{
	handle(SIGCONT, count);
	block(SIGTSTP);
	for (int i = 0; i < N; i++) {
		kill(getpid(), SIGTSTP);
		kill(getpid(), SIGCONT);
	}
}

// A timer deleted while its signal is pending leaves an ordinary sigqueue behind.
static void by_deleting(void)
{
	sigset_t set = block(SIGRTMIN);
	sigset_t pending;

	for (int i = 0; i < N; i++) {
		create_timer();
		start_timer();
		do
			sigpending(&pending);
		while (!sigismember(&pending, SIGRTMIN));
		timer_delete(timer);
		handled += sigwaitinfo(&set, NULL) == SIGRTMIN;
	}
}

static int ready;

static void *waits(void *directed)
{
	sigset_t set = only(SIGUSR1);
	int signal;

	(void)directed;
	for (int i = 0; i < N; i++) {
		__atomic_store_n(&ready, i + 1, __ATOMIC_SEQ_CST);
		handled += !sigwait(&set, &signal);
	}
	return NULL;
}

static void with_thread(int directed)
{
	pthread_t thread;

	block(SIGUSR1);
	must(!pthread_create(&thread, NULL, waits, NULL), "pthread_create");
	for (int i = 0; i < N; i++) {
		while (__atomic_load_n(&ready, __ATOMIC_SEQ_CST) <= i)
			usleep(20);
		if (directed)
			pthread_kill(thread, SIGUSR1);
		else
			kill(getpid(), SIGUSR1);
	}
	pthread_join(thread, NULL);
}

static void by_pthread_kill(void)
{
	with_thread(1);
}

static void by_signal_thread(void)
{
	with_thread(0);
}

static void by_exec(void)
{
	// The rest is done by main() in the new image.
	handle(SIGUSR1, count);
	kill(getpid(), SIGUSR1);
	execl("/proc/self/exe", "sigqueue-exact", "exec", NULL);
	must(0, "exec");
}

static const struct row {
	const char *name;
	void (*run)(void);
	struct sigqueue_counts want;
} rows[] = {
	{ "kill", by_kill, { .slab = 1, .cache = N - 1, .kept = N } },
	{ "tgkill", by_tgkill, { .slab = 1, .cache = N - 1, .kept = N } },
	{ "sigqueue", by_sigqueue, { .slab = 1, .cache = N - 1, .kept = N } },
	{ "SIGCHLD", by_children, { .slab = 1, .cache = N - 1, .kept = N } },
	{ "setitimer", by_itimer, { .slab = 1, .cache = N - 1, .kept = N } },
	{ "POSIX timer", by_timer, { .timer = 1, .flushed = 1 } },
	{ "SIGSEGV", by_fault, { .slab = 1, .cache = N - 1, .kept = N } },
	{ "sigwait", by_sigwait, { .slab = 1, .cache = N - 1, .kept = N } },
	{ "signalfd", by_signalfd, { .slab = 1, .cache = N - 1, .kept = N } },
	{ "queued while blocked", by_queue, { .slab = N, .kept = 1, .dropped = N - 1 } },
	{ "ignored while blocked", by_ignoring, { .slab = N, .flushed = N } },
	{ "stopped and continued", by_continuing,
	  { .slab = N + 1, .cache = N - 1, .kept = N, .flushed = N } },
	{ "timer deleted while pending", by_deleting, { .timer = N, .kept = 1, .dropped = N - 1 } },
	{ "pthread_kill to a sigwait", by_pthread_kill, { .slab = 1, .cache = N - 1, .kept = N } },
	{ "kill to a signal thread", by_signal_thread, { .slab = 1, .cache = N - 1, .kept = N } },
	{ "exec", by_exec, { .slab = 1, .cache = N - 1, .kept = N } },
};

static struct sigqueue_counts before;

static int compare(const struct row *row)
{
	struct sigqueue_counts after, *want = (struct sigqueue_counts *)&row->want;

	sigqueue_read(&after);
	after.slab -= before.slab;
	after.cache -= before.cache;
	after.timer -= before.timer;
	after.kept -= before.kept;
	after.dropped -= before.dropped;
	after.flushed -= before.flushed;
	after.released -= before.released;
	// The thread of the rows that have one is released with what it kept.
	if (after.released == want->released + 1 && row->run == by_pthread_kill)
		after.released--;
	after.filled = after.tasks = 0;
	if (memcmp(&after, want, sizeof after)) {
		sigqueue_print("is  ", &after);
		sigqueue_print("want", want);
		return 1;
	}
	if (handled != N) {
		printf("%d signals arrived, %d were sent\n", (int)handled, N);
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	(void)argv;
	struct rlimit enough = { 2 * N, 2 * N };
	int bad = 0;

	if (argc > 1) {
		// The slot outlives exec: N - 1 more signals, and no miss.
		handle(SIGUSR1, count);
		handled = 1;
		for (int i = 1; i < N; i++)
			kill(getpid(), SIGUSR1);
		return handled != N;
	}
	setrlimit(RLIMIT_SIGPENDING, &enough);
	handle(SIGUSR1, count);
	raise(SIGUSR1);
	handled = 0;
	must(!sigqueue_settled(), "before");
	for (unsigned int i = 0; i < sizeof rows / sizeof *rows; i++) {
		int status;
		pid_t child;

		sigqueue_read(&before);
		fflush(stdout);
		child = fork();
		if (!child) {
			rows[i].run();
			_exit(compare(&rows[i]) ? (fflush(stdout), 1) : 0);
		}
		must(waitpid(child, &status, 0) == child, "waitpid");
		if (rows[i].run == by_exec) {
			// The child's slot was released with it.
			struct row row = rows[i];

			row.want.released = 1;
			handled = N;
			status |= compare(&row);
			handled = 0;
		}
		status |= sigqueue_settled();
		printf("%sok %s\n", status ? "not " : "", rows[i].name);
		bad |= status;
	}
	return bad != 0;
}
