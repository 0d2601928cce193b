// SPDX-License-Identifier: MIT
// Default actions: death by the right signal, at once or when unblocked; and ignored ones.
#include "t.h"

static int victim;

static void at_once(void)
{
	raise(victim);
}

static void when_unblocked(void)
{
	t_setmask(BIT(victim));
	raise(victim);
	if (t_pending() != BIT(victim))
		_exit(3);
	t_setmask(0);
}

static void after_handler_was_removed(void)
{
	t_handle(victim, (void (*)(int))_exit, 0, 0);
	signal(victim, SIG_DFL);
	raise(victim);
}

static void check(void (*body)(void), int dies)
{
	int status = t_child(body);
	EQ(WIFSIGNALED(status) ? WTERMSIG(status) : 0, dies ? victim : 0);
}

int main(void)
{
	int fatal[] = {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGPIPE, SIGALRM, SIGSEGV, SIGRTMIN};
	int harmless[] = {SIGCHLD, SIGURG, SIGWINCH, SIGCONT};
	t_start();
	for (unsigned i = 0; i < sizeof fatal / sizeof *fatal; i++) {
		victim = fatal[i];
		check(at_once, 1);
		check(when_unblocked, 1);
		check(after_handler_was_removed, 1);
	}
	for (unsigned i = 0; i < sizeof harmless / sizeof *harmless; i++) {
		victim = harmless[i];
		check(at_once, 0);
		check(after_handler_was_removed, 0);
	}
	return 0;
}
