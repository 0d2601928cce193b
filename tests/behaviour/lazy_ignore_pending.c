// SPDX-License-Identifier: MIT
// A signal that waits while it is blocked is thrown away when it is ignored, and only then:
// one that is ignored when it comes waits for the handler that may be set.
#include "lazy.h"

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void ignored_later(int sig)
{
	runs = 0;
	t_handle(sig, handler, 0, 0);
	t_setmask(BIT(sig));
	raise(sig);
	kill(getpid(), sig);
	EQ(t_pending(), BIT(sig));
	t_handle(sig, SIG_IGN, 0, 0);
	EQ(t_pending(), 0);
	t_handle(sig, handler, 0, 0);
	t_setmask(0);
	EQ(runs, 0);
}

static void default_later(int sig)
{
	runs = 0;
	t_handle(sig, handler, 0, 0);
	t_setmask(BIT(sig));
	raise(sig);
	signal(sig, SIG_DFL);
	EQ(t_pending(), 0);
	t_handle(sig, handler, 0, 0);
	t_setmask(0);
	EQ(runs, 0);
}

static void ignored_before(int sig, void (*how)(int))
{
	runs = 0;
	signal(sig, how);
	t_setmask(BIT(sig));
	raise(sig);
	EQ(t_pending(), BIT(sig));
	t_handle(sig, handler, 0, 0);
	EQ(t_pending(), BIT(sig));
	t_setmask(0);
	EQ(runs, 1);
}

static void child_ignored_before(void)
{
	runs = 0;
	signal(SIGCHLD, SIG_DFL);
	t_setmask(BIT(SIGCHLD));
	EQ(t_child(t_warm), 0);
	EQ(t_pending(), BIT(SIGCHLD));
	t_handle(SIGCHLD, handler, 0, 0);
	t_setmask(0);
	EQ(runs, 1);
}

static void never_wanted(int sig, void (*how)(int))
{
	signal(sig, how);
	t_setmask(BIT(sig));
	raise(sig);
	EQ(t_pending(), BIT(sig));
	t_setmask(0);
	EQ(t_pending(), 0);
	t_handle(sig, handler, 0, 0);
	EQ(runs, 0);
}

int main(void)
{
	static const int harmless[] = {SIGCHLD, SIGURG, SIGWINCH}, fatal[] = {SIGUSR1, SIGTERM};
	t_hot();
	for (int i = 0; i < 30; i++) {
		for (int j = 0; j < 3; j++) {
			ignored_later(harmless[j]);
			default_later(harmless[j]);
			ignored_before(harmless[j], SIG_IGN);
			ignored_before(harmless[j], SIG_DFL);
			runs = 0;
			never_wanted(harmless[j], SIG_DFL);
		}
		for (int j = 0; j < 2; j++) {
			ignored_later(fatal[j]);
			ignored_before(fatal[j], SIG_IGN);
			runs = 0;
			never_wanted(fatal[j], SIG_IGN);
			signal(fatal[j], SIG_DFL);
		}
		child_ignored_before();
	}
	return 0;
}
