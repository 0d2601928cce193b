// SPDX-License-Identifier: GPL-2.0
// What `sigzero queue` foretells, against what the kernel does: both are told by it for the same
// signals, and the kernel's own counters must agree. That takes eBPF, so a kernel with config/bpf;
// in others only that it tells the counters. Needs target/release/sigzero.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include "sigqueue.h"
#include "test.h"

enum { N = 1000 };

static volatile sig_atomic_t handled;

static void count(int signal)
{
	(void)signal;
	handled++;
}

static void handle(int signal)
{
	struct sigaction action = { .sa_handler = count, .sa_flags = SA_RESTART };

	sigaction(signal, &action, NULL);
}

static sigset_t block(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return set;
}

static void by_kill(void)
{
	handle(SIGUSR1);
	for (int i = 0; i < N; i++)
		kill(getpid(), SIGUSR1);
}

static void by_sigqueue(void)
{
	handle(SIGRTMIN);
	for (int i = 0; i < N; i++)
		sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = i });
}

static void by_children(void)
{
	handle(SIGCHLD);
	for (int i = 0; i < N; i++) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
}

static void by_itimer(void)
{
	struct itimerval soon = { .it_value.tv_usec = 1 };
	sigset_t open;

	handle(SIGALRM);
	block(SIGALRM);
	sigfillset(&open);
	sigdelset(&open, SIGALRM);
	for (int i = 1; i <= N; i++) {
		setitimer(ITIMER_REAL, &soon, NULL);
		while (handled < i)
			sigsuspend(&open);
	}
}

static void by_timer(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2 };
	struct itimerspec soon = { .it_value.tv_nsec = 1 };
	sigset_t set = block(SIGUSR2);
	timer_t timer;

	timer_create(CLOCK_MONOTONIC, &event, &timer);
	for (int i = 0; i < N; i++) {
		timer_settime(timer, 0, &soon, NULL);
		sigwaitinfo(&set, NULL);
	}
	timer_delete(timer);
}

static void at_once(void)
{
	sigset_t set = block(SIGRTMIN);

	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 100; i++)
			sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = i });
		for (int i = 0; i < 100; i++)
			sigwaitinfo(&set, NULL);
	}
}

static void *take(void *set)
{
	siginfo_t info;

	// It ends with EINTR when another thread was faster.
	while (sigwaitinfo(set, &info) < 0 || info.si_value.sival_int)
		;
	return NULL;
}

// Some to the process, some to one of its threads, which is slow to take them.
static void to_threads(void)
{
	sigset_t set = block(SIGRTMIN);
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, take, &set);
	for (int i = 1; i <= N; i++) {
		union sigval value = { .sival_int = i };

		if (i % 3)
			sigqueue(getpid(), SIGRTMIN, value);
		else
			pthread_sigqueue(threads[i % 2], SIGRTMIN, value);
		if (i % 17 == 0)
			usleep(200);
	}
	for (int i = 0; i < 3; i++)
		pthread_sigqueue(threads[i], SIGRTMIN, (union sigval){ .sival_int = 0 });
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

// Workers that are signalled, stopped and continued at random, end, and are replaced.
static void storm(void)
{
	enum { WORKERS = 6 };
	pid_t workers[WORKERS] = { 0 };
	unsigned int seed = 20261122;

	handle(SIGCHLD);
	for (int i = 0; i < 3 * N; i++) {
		int at = rand_r(&seed) % WORKERS;

		if (!workers[at]) {
			workers[at] = fork();
			must(workers[at] >= 0, "fork");
			if (!workers[at]) {
				handle(SIGUSR1);
				handle(SIGRTMIN + 1);
				for (;;)
					pause();
			}
			usleep(500);
			continue;
		}
		switch (rand_r(&seed) % 12) {
		case 0:
			kill(workers[at], rand_r(&seed) % 2 ? SIGTERM : SIGKILL);
			// It may be stopped.
			kill(workers[at], SIGCONT);
			waitpid(workers[at], NULL, 0);
			workers[at] = 0;
			break;
		case 1:
			kill(workers[at], SIGSTOP);
			break;
		case 2:
			kill(workers[at], SIGCONT);
			break;
		case 3:
		case 4:
			for (int burst = rand_r(&seed) % 8; burst >= 0; burst--)
				sigqueue(workers[at], SIGRTMIN + 1, (union sigval){ .sival_int = i });
			break;
		default:
			kill(workers[at], SIGUSR1);
		}
	}
	for (int i = 0; i < WORKERS; i++)
		if (workers[i]) {
			kill(workers[i], SIGKILL);
			waitpid(workers[i], NULL, 0);
		}
}

static const struct way {
	const char *name;
	void (*run)(void);
	long cache, slab;	// -1: whatever it is
} ways[] = {
	{ "kill", by_kill, N - 1, 1 },	 { "sigqueue", by_sigqueue, N - 1, 1 },
	{ "children", by_children, N - 1, 1 }, { "itimer", by_itimer, N - 1, 1 },
	{ "timer", by_timer, 0, 0 },	 { "at-once", at_once, 9, 991 },
	{ "threads", to_threads, -1, -1 }, { "storm", storm, -1, -1 },
};

// A number of the report's "total".
static long total(const char *report, const char *name)
{
	const char *at = strstr(report, "\"total\"");
	char quoted[64];

	snprintf(quoted, sizeof quoted, "\"%s\":", name);
	at = at ? strstr(at, quoted) : NULL;
	return at ? atol(at + strlen(quoted)) : -1;
}

static int within(long told, long true_one)
{
	long difference = labs(told - true_one);

	return difference * 50 <= true_one || difference <= 1;
}

static char report[1 << 20];

static void read_report(void)
{
	int file = open("/tmp/report", O_RDONLY);
	ssize_t length = read(file, report, sizeof report - 1);

	close(file);
	report[length > 0 ? length : 0] = 0;
}

static void watch(const char *sigzero, const char *self, const struct way *way)
{
	struct sigqueue_counts before, after;
	long cache, slab, told_cache, told_slab;
	int status;
	pid_t child;

	sigqueue_read(&before);
	child = fork();
	if (!child) {
		execl(sigzero, sigzero, "queue", "--json", "-o", "/tmp/report", "--", self, way->name,
		      NULL);
		_exit(126);
	}
	waitpid(child, &status, 0);
	sigqueue_read(&after);
	read_report();
	cache = total(report, "cache");
	slab = total(report, "slab");
	told_cache = total(report, "forecast_cache");
	told_slab = total(report, "forecast_slab");
	printf("%s: kernel %ld from the cache, %ld from the slab; forecast %ld, %ld; counters %ld, %ld\n",
	       way->name, cache, slab, told_cache, told_slab, after.cache - before.cache,
	       after.slab - before.slab);
	if (!check(!status && strstr(report, "\"source\": \"kernel\"") && cache >= 0,
		   "%s: watched, by the kernel's own word (status %#x)", way->name, status))
		return;
	check(within(told_cache, cache) && within(told_slab, slab), "%s: the forecast is within 2 %%",
	      way->name);
	if (way->cache >= 0)
		check(cache == way->cache && slab == way->slab, "%s: as it must be", way->name);
	// Others are there as well: init, sigzero, and us.
	check(after.cache - before.cache >= cache && after.slab - before.slab >= slab &&
		      after.cache + after.slab - before.cache - before.slab <= cache + slab + 20,
	      "%s: the counters of the machine agree", way->name);
}

// Without eBPF: what is added to the counters in two seconds.
static void counters_only(const char *sigzero)
{
	struct sigqueue_counts before, after;
	pid_t child, signalled;
	int status;

	child = fork();
	if (!child) {
		execl(sigzero, sigzero, "queue", "--all", "--duration", "2", "--json", "-o", "/tmp/report",
		      NULL);
		_exit(126);
	}
	usleep(1000000);
	sigqueue_read(&before);
	signalled = fork();
	if (!signalled) {
		by_kill();
		_exit(0);
	}
	waitpid(signalled, NULL, 0);
	sigqueue_read(&after);
	waitpid(child, &status, 0);
	read_report();
	check(!status && strstr(report, "\"source\": \"counters\""), "without eBPF: by the counters (status %#x)",
	      status);
	check(after.cache - before.cache >= N - 1 && total(report, "cache") >= N - 1 &&
		      total(report, "cache") + total(report, "slab") < N + 20,
	      "without eBPF: %ld from the cache, %ld from the slab", total(report, "cache"),
	      total(report, "slab"));
}

int main(int argc, char **argv)
{
	struct sigqueue_counts counts;
	char sigzero[4096], self[4096] = "";

	for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
		if (!strcmp(argv[1], ways[i].name)) {
			ways[i].run();
			return 0;
		}
	sigqueue_read(&counts);
	must(readlink("/proc/self/exe", self, sizeof self - 1) > 0, "/proc/self/exe");
	snprintf(sigzero, sizeof sigzero, "%s/target/release/sigzero", getenv("ROOT") ?: "");
	if (access(sigzero, X_OK)) {
		printf("skip: there is no target/release/sigzero: next: make cli\n");
		return 77;
	}
	if (access("/sys/kernel/btf/vmlinux", R_OK)) {
		counters_only(sigzero);
		return test_status();
	}
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		watch(sigzero, self, &ways[i]);
	return test_status();
}
