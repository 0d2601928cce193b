// SPDX-License-Identifier: MIT
// fork inside a handler: parent and child both return through it with the right masks.
#include "t.h"

static volatile pid_t child;
static volatile int is_child;

static void handler(int sig)
{
	MASK(BIT(sig) | BIT(SIGTERM) | BIT(SIGHUP));
	pid_t pid = fork();
	CHECK(pid >= 0);
	is_child = pid == 0;
	child = pid;
	MASK(BIT(sig) | BIT(SIGTERM) | BIT(SIGHUP));
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, 0, BIT(SIGTERM));
	t_setmask(BIT(SIGHUP));
	raise(SIGUSR1);
	MASK(BIT(SIGHUP));
	EQ(t_setmask(BIT(SIGINT)), BIT(SIGHUP));
	MASK(BIT(SIGINT));
	if (is_child)
		_exit(is_child ? 5 : 6);
	int status = t_wait(child);
	CHECK(WIFEXITED(status));
	EQ(WEXITSTATUS(status), 5);
	return 0;
}
