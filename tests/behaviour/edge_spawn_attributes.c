// SPDX-License-Identifier: MIT
// posix_spawn's attributes set the child's mask and reset its dispositions; ours stay.
#include "t.h"
#include <spawn.h>

extern char **environ;

int main(int argc, char **argv)
{
	if (argc > 1)
		return t_kernel_mask() == BIT(SIGINT) && t_view() == BIT(SIGINT) &&
		                       (t_status("SigIgn") & ~(BIT(32) | BIT(33))) == BIT(SIGTERM)
		               ? 0
		               : 1;
	t_start();
	(void)argv;
	posix_spawnattr_t attr;
	sigset_t mask = t_set(BIT(SIGINT)), defaults = t_set(BIT(SIGHUP));
	char *child_argv[] = {"edge_spawn_attributes", "child", NULL};
	pid_t pid;
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	t_setmask(BIT(SIGUSR1));
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &mask);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	EQ(posix_spawn(&pid, "/proc/self/exe", NULL, &attr, child_argv, environ), 0);
	EQ(t_wait(pid), 0);
	MASK(BIT(SIGUSR1));
	EQ(t_status("SigIgn"), BIT(SIGHUP) | BIT(SIGTERM));
	EQ(posix_spawn(&pid, "/nonexistent", NULL, &attr, child_argv, environ), ENOENT);
	MASK(BIT(SIGUSR1));
	return 0;
}
