// SPDX-License-Identifier: MIT
// Stop signals and SIGCONT, sent while they are blocked, throw each other away; what is left
// when they are opened stops the process, or does not.
#include "lazy.h"

static volatile int *reached;
static int stop_signal;

static void handler(int sig)
{
	(void)sig;
	*reached += 10;
}

// Opened, nothing stops it.
static void stop_then_continue(void)
{
	uint64_t all = BIT(stop_signal) | BIT(SIGCONT);
	t_setmask(all | BIT(SIGUSR1));
	kill(getpid(), stop_signal);
	EQ(t_pending(), BIT(stop_signal));
	kill(getpid(), SIGCONT);
	EQ(t_pending() & BIT(stop_signal), 0);
	*reached = 1;
	t_setmask(0);
	*reached = 2;
}

static void only_continue_is_open(void)
{
	t_setmask(BIT(stop_signal) | BIT(SIGUSR1));
	kill(getpid(), stop_signal);
	kill(getpid(), SIGCONT);
	EQ(t_pending(), 0);
	t_setmask(0);
	*reached = 2;
}

static void with_handlers(void)
{
	t_handle(stop_signal, handler, 0, 0);
	t_handle(SIGCONT, handler, 0, 0);
	t_setmask(BIT(stop_signal) | BIT(SIGCONT));
	kill(getpid(), stop_signal);
	kill(getpid(), SIGCONT);
	t_setmask(0);
	EQ(*reached, 10);
	t_setmask(BIT(stop_signal) | BIT(SIGCONT));
	kill(getpid(), SIGCONT);
	kill(getpid(), stop_signal);
	t_setmask(0);
	EQ(*reached, 20);
	*reached = 2;
}

// Opened, it stops, and goes on when it is continued.
static void continue_then_stop(void)
{
	t_setmask(BIT(stop_signal) | BIT(SIGCONT));
	kill(getpid(), SIGCONT);
	kill(getpid(), stop_signal);
	*reached = 1;
	t_setmask(0);
	*reached = 2;
}

static void stop_at_once(void)
{
	t_setmask(BIT(SIGUSR1));
	*reached = 1;
	kill(getpid(), stop_signal);
	*reached = 2;
}

static void through(void (*body)(void))
{
	*reached = 0;
	EQ(t_child(body), 0);
	EQ(*reached, 2);
}

static void stops(void (*body)(void))
{
	int status;
	*reached = 0;
	pid_t pid = fork();
	if (pid == 0) {
		body();
		_exit(0);
	}
	EQ(waitpid(pid, &status, WUNTRACED), pid);
	CHECK(WIFSTOPPED(status));
	EQ(WSTOPSIG(status), stop_signal);
	EQ(*reached, 1);
	kill(pid, SIGCONT);
	EQ(t_wait(pid), 0);
	EQ(*reached, 2);
}

// Default stop signals but SIGSTOP do nothing in an orphaned process group, so that the
// children need a group with a parent in another one of the same session.
int main(void)
{
	static const int signals[] = {SIGTSTP, SIGTTIN, SIGTTOU};
	t_hot();
	reached = t_share(sizeof *reached);
	pid_t pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		for (int i = 0; i < 3; i++) {
			stop_signal = signals[i];
			through(stop_then_continue);
			through(only_continue_is_open);
			through(with_handlers);
			stops(continue_then_stop);
			stops(stop_at_once);
		}
		_exit(0);
	}
	return t_wait(pid) != 0;
}
