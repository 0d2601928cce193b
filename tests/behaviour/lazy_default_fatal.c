// SPDX-License-Identifier: MIT
// A signal whose default action is the end: blocked, the process lives until it opens; open, it
// dies at once; each time by that signal and with a core dump exactly where Linux makes one.
#include "lazy.h"
#include <sys/prctl.h>
#include <sys/resource.h>

static volatile int *reached;
static int victim;

static const int fatal[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,    SIGTRAP, SIGBUS,   SIGFPE,
                            SIGUSR1, SIGSEGV, SIGUSR2, SIGPIPE,   SIGALRM, SIGTERM,  SIGSTKFLT,
                            SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,   SIGSYS,
                            SIGABRT, 34};

// What Linux does: the default action is set behind the back of whoever stands in.
static void reference(void)
{
	uint64_t act[4] = {0};
	t_syscall(SYS_rt_sigaction, victim, (long)act, 0, 8);
	t_syscall(SYS_kill, getpid(), victim, 0, 0);
}

static void sent_open(void)
{
	raise(victim);
}

static void sent_open_by_queue(void)
{
	sigqueue(getpid(), victim, (union sigval){0});
	for (;;)
		pause();
}

static void sent_blocked(void)
{
	t_setmask(BIT(victim));
	raise(victim);
	kill(getpid(), victim);
	*reached = t_pending() == BIT(victim);
	t_setmask(0);
	*reached = 2;
}

static void sent_by_other(void)
{
	pid_t us = getpid();
	t_setmask(BIT(victim) | BIT(SIGCHLD));
	pid_t pid = fork();
	if (pid == 0) {
		kill(us, victim);
		_exit(0);
	}
	*reached = t_wait(pid) == 0 && t_pending() & BIT(victim);
	t_setmask(BIT(SIGCHLD));
	*reached = 2;
}

static void sent_in_a_call(void)
{
	pid_t us = getpid();
	t_setmask(BIT(SIGCHLD));
	if (fork() == 0) {
		AWAIT(t_is_asleep(us));
		kill(us, victim);
		_exit(0);
	}
	for (;;)
		t_pause_ms(1000);
}

static void expect(void (*body)(void), int reaches, int want)
{
	*reached = 0;
	int status = t_child(body);
	if (status != want || *reached != reaches) {
		char text[128];
		snprintf(text, sizeof text, "signal %d: status %x, expected %x; reached %d", victim,
		         status, want, *reached);
		t_fail(__FILE__, __LINE__, text);
	}
}

int main(void)
{
	struct rlimit limit = {65536, 65536};
	setrlimit(RLIMIT_CORE, &limit);
	t_hot();
	reached = t_share(sizeof *reached);
	for (unsigned i = 0; i < sizeof fatal / sizeof *fatal; i++) {
		victim = fatal[i];
		int want = t_child(reference);
		EQ(WTERMSIG(want), victim);
		expect(sent_open, 0, want);
		expect(sent_blocked, 1, want);
		expect(sent_by_other, 1, want);
		if (i % 4 == 0) {
			expect(sent_open_by_queue, 0, want);
			expect(sent_in_a_call, 0, want);
		}
	}
	return 0;
}
