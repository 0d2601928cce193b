// SPDX-License-Identifier: GPL-2.0
// What a program can see of a sigqueue that was used before: nothing. Nor is a cached one counted
// against RLIMIT_SIGPENDING, and the limit holds although a sigqueue lies ready.
#define _GNU_SOURCE
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "sigqueue.h"

static int bad;

static void report(int good, const char *what)
{
	printf("%sok %s\n", good ? "" : "not ", what);
	bad |= !good;
}

// The siginfo as the kernel fills it, all 128 bytes.
static int wait_raw(int signal, unsigned char *info)
{
	unsigned long set = 1ul << (signal - 1);

	memset(info, 0xee, 128);
	return syscall(SYS_rt_sigtimedwait, &set, info, NULL, sizeof set);
}

static long charged(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	long number = -1;

	while (fgets(line, sizeof line, file))
		if (sscanf(line, "SigQ: %ld/", &number) == 1)
			break;
	fclose(file);
	return number;
}

static long cached(void)
{
	struct sigqueue_counts c;

	sigqueue_read(&c);
	return c.cache;
}

int main(void)
{
	struct rlimit one = { 1, 100 }, none = { 0, 100 };
	union sigval value = { .sival_ptr = (void *)0x5a5a5a5a5a5a5a5a };
	unsigned char raw[128];
	const siginfo_t *info = (const siginfo_t *)raw;
	sigset_t set;
	long hits, base;
	int clean = 1;
	pid_t child;

	sigqueue_settled();
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	base = charged();

	sigqueue(getpid(), SIGRTMIN, value);
	must(wait_raw(SIGRTMIN, raw) == SIGRTMIN, "wait");
	report(info->si_code == SI_QUEUE && info->si_value.sival_ptr == value.sival_ptr &&
	       info->si_pid == getpid(), "the siginfo of a sigqueue from the slab");
	hits = cached();
	kill(getpid(), SIGUSR1);
	must(wait_raw(SIGUSR1, raw) == SIGUSR1, "wait");
	report(cached() == hits + 1, "the next signal takes it from the cache");
	report(info->si_signo == SIGUSR1 && info->si_code == SI_USER && info->si_errno == 0 &&
	       info->si_pid == getpid() && info->si_uid == getuid(), "its siginfo");
	for (unsigned int i = (unsigned char *)(&info->si_uid + 1) - raw; i < sizeof raw; i++)
		clean &= raw[i] == 0;
	report(clean, "nothing of the signal before is left in it");
	report(charged() == base, "a cached one is not charged");

	sigqueue(getpid(), SIGRTMIN, value);
	report(charged() == base + 1, "a pending one from the cache is charged");
	setrlimit(RLIMIT_SIGPENDING, &one);
	errno = 0;
	report(sigqueue(getpid(), SIGRTMIN, value) == -1 && errno == EAGAIN, "RLIMIT_SIGPENDING 1 holds");
	must(wait_raw(SIGRTMIN, raw) == SIGRTMIN, "wait");
	setrlimit(RLIMIT_SIGPENDING, &none);
	errno = 0;
	report(sigqueue(getpid(), SIGRTMIN, value) == -1 && errno == EAGAIN,
	       "RLIMIT_SIGPENDING 0 holds with a sigqueue in the slot");
	hits = cached();
	kill(getpid(), SIGUSR1);
	report(cached() == hits + 1 && wait_raw(SIGUSR1, raw) == SIGUSR1 && info->si_code == SI_USER,
	       "and kill() goes through with its siginfo, as it always did");
	report(charged() == base, "nothing is charged in the end");

	// Another user: the charge goes to whoever is signalled then.
	setrlimit(RLIMIT_SIGPENDING, &(struct rlimit){ 100, 100 });
	fflush(stdout);
	child = fork();
	if (!child) {
		long kept, pending, consumed;

		kill(getpid(), SIGUSR1);
		must(wait_raw(SIGUSR1, raw) == SIGUSR1, "wait");
		must(!setresuid(4711, 4711, 4711), "setresuid");
		kept = charged();
		kill(getpid(), SIGUSR1);
		pending = charged();
		must(wait_raw(SIGUSR1, raw) == SIGUSR1, "wait");
		consumed = charged();
		if (kept == 0 && pending == 1 && consumed == 0 && info->si_uid == 4711)
			_exit(0);
		printf("kept %ld, pending %ld, consumed %ld, from %u\n", kept, pending, consumed, info->si_uid);
		fflush(stdout);
		_exit(1);
	}
	must(waitpid(child, &clean, 0) == child, "waitpid");
	report(clean == 0, "a sigqueue kept as one user and used as another is charged to the other");
	report(!sigqueue_settled(), "none lost");
	return bad;
}
