// SPDX-License-Identifier: MIT
// SIGCHLD: SA_NOCLDWAIT and SIG_IGN leave nothing to wait for, SA_NOCLDSTOP hides stops.
#include "t.h"

static volatile int runs, code, status_seen;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	code = info->si_code;
	status_seen = info->si_status;
	runs++;
}

static pid_t start_child(void)
{
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		_exit(7);
	return pid;
}

static void check_gone(void)
{
	int status;
	errno = 0;
	EQ(waitpid(start_child(), &status, 0), -1);
	EQ(errno, ECHILD);
}

static void check_stop(int flags, int expected)
{
	int status;
	t_handle_info(SIGCHLD, handler, flags, 0);
	runs = 0;
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		raise(SIGSTOP);
		_exit(0);
	}
	while (waitpid(pid, &status, WUNTRACED) < 0)
		EQ(errno, EINTR);
	CHECK(WIFSTOPPED(status));
	EQ(runs, expected);
	kill(pid, SIGKILL);
	t_wait(pid);
}

int main(void)
{
	t_start();
	t_handle_info(SIGCHLD, handler, 0, 0);
	EQ(WEXITSTATUS(t_wait(start_child())), 7);
	EQ(runs, 1);
	EQ(code, CLD_EXITED);
	EQ(status_seen, 7);

	t_handle_info(SIGCHLD, handler, SA_NOCLDWAIT | SA_RESTART, 0);
	check_gone();
	EQ(runs, 2);
	signal(SIGCHLD, SIG_IGN);
	check_gone();
	EQ(runs, 2);
	t_handle(SIGCHLD, SIG_DFL, SA_NOCLDWAIT, 0);
	check_gone();
	t_handle(SIGCHLD, SIG_DFL, 0, 0);
	EQ(WEXITSTATUS(t_wait(start_child())), 7);

	check_stop(0, 1);
	check_stop(SA_NOCLDSTOP, 0);
	return 0;
}
