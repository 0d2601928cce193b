// SPDX-License-Identifier: MIT
// SIGCHLD while it is blocked: pending, then delivered with the child's status.
#include "lazy.h"

static volatile int runs, *may_end;
static siginfo_t last;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	last = *info;
	runs++;
}

static pid_t start(void (*body)(void))
{
	pid_t pid = fork();
	if (pid == 0) {
		body();
		_exit(7);
	}
	return pid;
}

static void nothing(void)
{
}

static void be_killed(void)
{
	raise(SIGKILL);
}

static void be_stopped(void)
{
	raise(SIGSTOP);
	AWAIT(*may_end);
}

static void check(pid_t pid, int code, int status)
{
	AWAIT(t_kernel_pending() & BIT(SIGCHLD));
	EQ(runs, 0);
	EQ(t_pending(), BIT(SIGCHLD));
	t_setmask(0);
	EQ(runs, 1);
	EQ(last.si_code, code);
	EQ(last.si_pid, pid);
	EQ(last.si_uid, getuid());
	EQ(last.si_status, status);
	runs = 0;
	t_setmask(BIT(SIGCHLD));
}

int main(void)
{
	int status;
	t_hot();
	may_end = t_share(sizeof *may_end);
	t_handle_info(SIGCHLD, handler, 0, 0);
	t_setmask(BIT(SIGCHLD));
	for (int i = 0; i < 5; i++) {
		pid_t pid = start(nothing);
		check(pid, CLD_EXITED, 7);
		EQ(waitpid(pid, &status, 0), pid);
		EQ(WEXITSTATUS(status), 7);
		pid = start(be_killed);
		check(pid, CLD_KILLED, SIGKILL);
		EQ(waitpid(pid, &status, 0), pid);
		EQ(WTERMSIG(status), SIGKILL);
		pid = start(be_stopped);
		check(pid, CLD_STOPPED, SIGSTOP);
		EQ(waitpid(pid, &status, WUNTRACED), pid);
		*may_end = 0;
		kill(pid, SIGCONT);
		check(pid, CLD_CONTINUED, SIGCONT);
		*may_end = 1;
		check(pid, CLD_EXITED, 7);
		EQ(waitpid(pid, &status, 0), pid);
	}
	return 0;
}
