// SPDX-License-Identifier: MIT
// A new program is in no section and has the mask that the program had, not the section's. By
// exec, posix_spawn, system and popen; and the caller's section goes on.
#include <sigzero.h>

#include <spawn.h>

#include "t.h"

static volatile int runs;
static char *self;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void child_main(void)
{
	EQ(sigzero_blocked(), 0);
	MASK(BIT(SIGHUP));
	exit(0);
}

static void exec_here(void)
{
	execl(self, self, "child", NULL);
	_exit(9);
}

static void by_spawn(void)
{
	extern char **environ;
	char *arguments[] = {self, "child", NULL};
	pid_t pid;

	EQ(posix_spawn(&pid, self, NULL, NULL, arguments, environ), 0);
	EQ(t_wait(pid), 0);
}

static void by_shell(void)
{
	char command[600];

	snprintf(command, sizeof command, "exec '%s' child", self);
	EQ(system(command), 0);
	FILE *f = popen(command, "r");
	CHECK(f != NULL);
	EQ(pclose(f), 0);
}

static void by_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0)
		exec_here();
	EQ(t_wait(pid), 0);
}

static void each_way(void)
{
	EQ(t_child(exec_here), 0);
	by_spawn();
	by_vfork();
	by_shell();
}

static void in_a_section(void)
{
	sigzero_block();
	each_way();
	EQ(sigzero_blocked(), 1);
	raise(SIGUSR1);
	EQ(runs, 0);
	sigzero_unblock();
	EQ(runs, 1);
	runs = 0;
	MASK(BIT(SIGHUP));
}

int main(int argc, char **argv)
{
	self = argv[0];
	if (argc > 1)
		child_main();
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	t_setmask(BIT(SIGHUP));
	in_a_section();
	for (int i = 0; i < 50; i++) {
		sigzero_block();
		sigzero_unblock();
	}
	each_way();
	in_a_section();
	return 0;
}
