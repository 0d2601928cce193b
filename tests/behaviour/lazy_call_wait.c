// SPDX-License-Identifier: MIT
// Waiting for a child while a signal comes.
#include "lazy_call.h"

static pid_t target;

static void start(void)
{
	target = fork();
	if (target == 0)
		for (;;)
			pause();
}

static void end(void)
{
	kill(target, SIGKILL);
}

static void reap(void)
{
	kill(target, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

static int by_wait(void)
{
	return wait(NULL);
}

static int by_waitpid(void)
{
	return waitpid(target, NULL, 0);
}

static int by_wait4(void)
{
	return wait4(target, NULL, 0, NULL);
}

static int by_waitid(void)
{
	siginfo_t info;
	return waitid(P_PID, (id_t)target, &info, WEXITED);
}

int main(void)
{
	static const struct call calls[] = {
		{"wait", RESTARTS, by_wait, end, start, reap},
		{"waitpid", RESTARTS, by_waitpid, end, start, reap},
		{"wait4", RESTARTS, by_wait4, end, start, reap},
		{"waitid", RESTARTS, by_waitid, end, start, reap},
	};
	t_hot();
	CALL_ALL(calls);
	return 0;
}
