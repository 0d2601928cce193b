// SPDX-License-Identifier: MIT
// Signals to oneself: to the thread, to the process, with a value, from a timer.
#include <sys/time.h>

#include "fuzz.h"

static int send_by(struct random *random, int which, int sig)
{
	union sigval value = {.sival_int = fz_below(random, 1000)};
	switch (which) {
	case 0:
		return raise(sig);
	case 1:
		return kill(getpid(), sig);
	case 2:
		return sigqueue(getpid(), sig, value);
	case 3:
		return pthread_kill(pthread_self(), sig);
	case 4:
		return pthread_sigqueue(pthread_self(), sig, value);
	default:
		return gsignal(sig);
	}
}

// pthread_self() in a child of vfork is the parent's thread.
static int usable(int which)
{
	return !fz_restricted || which == 0 || which == 1;
}

void fz_op_send(struct random *random)
{
	static const char *const names[] = {"raise",        "kill",             "sigqueue",
	                                    "pthread_kill", "pthread_sigqueue", "gsignal"};
	int sig = fz_signal(random), which = fz_below(random, 6);
	if (!usable(which) || !fz_may_send(sig))
		return;
	fz_line("%s %d", names[which], sig);
	fz_clear_errno();
	int ret = send_by(random, which, sig);
	fz_result("%s %d = %d", names[which], sig, ret);
}

// A signal whose default action ends the process, tried in a child.
void fz_op_fatal(struct random *random)
{
	struct sigaction act;
	int sig = fz_signal(random), blocked = fz_below(random, 2);
	if (fz_restricted || fz_child || !fz_fatal(sig) || sigaction(sig, NULL, &act) ||
	    act.sa_handler != SIG_DFL)
		return;
	sigset_t all, old, set = t_set(BIT(sig));
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	pid_t pid = fork();
	if (pid == 0) {
		sigprocmask(SIG_SETMASK, &old, NULL);
		sigprocmask(blocked ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
		raise(sig);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		_exit(3);
	}
	int status = 0, ret;
	do
		ret = waitpid(pid, &status, 0);
	while (ret < 0 && fz_errno() == EINTR);
	sigprocmask(SIG_SETMASK, &old, NULL);
	fz_result("fatal %d = %x", sig, ret < 0 ? -1 : status);
}

static void arm(void)
{
	struct itimerval soon = {{0, 0}, {0, 300}};
	setitimer(ITIMER_REAL, &soon, NULL);
}

static void until_pending(void)
{
	sigset_t set = t_set(BIT(SIGALRM)), old = t_set(0);
	sigprocmask(SIG_BLOCK, &set, &old);
	arm();
	while (!(t_kernel_pending() & BIT(SIGALRM)))
		;
	fz_clear_errno();
	int ret = sigprocmask(SIG_SETMASK, &old, NULL);
	fz_result("timer while blocked = %d", ret);
}

static void until_handled(void)
{
	int before = fz_invocations(SIGALRM);
	arm();
	while (fz_invocations(SIGALRM) == before)
		;
	fz_result("timer");
}

void fz_op_timer(struct random *random)
{
	struct sigaction act;
	int busy = fz_below(random, 2);
	if (fz_restricted || !fz_may_send(SIGALRM) || (t_kernel_pending() & BIT(SIGALRM)) ||
	    sigaction(SIGALRM, NULL, &act))
		return;
	fz_line("timer starts");
	int caught = act.sa_handler != SIG_IGN && act.sa_handler != SIG_DFL;
	if (busy && caught && !(t_view() & BIT(SIGALRM)))
		until_handled();
	else
		until_pending();
}
