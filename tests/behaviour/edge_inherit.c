// SPDX-License-Identifier: MIT
// What a started program finds: the caller's mask, ignored signals still ignored, caught ones
// reset; by fork and exec, vfork and exec, exec alone, posix_spawn, system and popen.
#include "t.h"
#include <spawn.h>

extern char **environ;
static char command[4096];

static void handler(int sig)
{
	(void)sig;
}

// Run as the started program: prints its sets, as the kernel gave them to it.
static int report(void)
{
	// posix_spawn leaves libc's own two signals ignored.
	uint64_t own = BIT(32) | BIT(33);
	printf("%llx %llx %llx %llx\n", (unsigned long long)t_kernel_mask(),
	       (unsigned long long)t_view(), (unsigned long long)(t_status("SigIgn") & ~own),
	       (unsigned long long)(t_status("SigCgt") & ~own));
	return 0;
}

static void check(FILE *from, uint64_t mask, uint64_t ignored)
{
	char line[200], want[200];
	CHECK(from != NULL);
	CHECK(fgets(line, sizeof line, from) != NULL);
	snprintf(want, sizeof want, "%llx %llx %llx 0\n", (unsigned long long)mask,
	         (unsigned long long)mask, (unsigned long long)ignored);
	if (strcmp(line, want)) {
		fprintf(stderr, "the program found %sinstead of   %s", line, want);
		exit(1);
	}
}

static void exec_self(void)
{
	execl("/proc/self/exe", "edge_inherit", "report", (char *)NULL);
	_exit(127);
}

static FILE *start(int how, pid_t *pid)
{
	int fd[2];
	char *argv[] = {"edge_inherit", "report", NULL};
	posix_spawn_file_actions_t actions;
	EQ(pipe(fd), 0);
	if (how < 2) {
		*pid = how == 0 ? fork() : vfork();
		if (*pid == 0) {
			dup2(fd[1], 1);
			exec_self();
		}
	} else {
		posix_spawn_file_actions_init(&actions);
		posix_spawn_file_actions_adddup2(&actions, fd[1], 1);
		EQ((how == 2 ? posix_spawn : posix_spawnp)(pid, "/proc/self/exe", &actions, NULL, argv,
		                                            environ),
		   0);
		posix_spawn_file_actions_destroy(&actions);
	}
	CHECK(*pid > 0);
	close(fd[1]);
	return fdopen(fd[0], "r");
}

static void check_all(uint64_t mask, uint64_t ignored)
{
	pid_t pid;
	for (int how = 0; how < 4; how++) {
		t_setmask(mask);
		FILE *from = start(how, &pid);
		check(from, mask, ignored);
		EQ(t_wait(pid), 0);
		fclose(from);
		MASK(mask);
	}
	FILE *from = popen(command, "r");
	check(from, mask, ignored);
	EQ(pclose(from), 0);
	MASK(mask);
	char line[4200];
	snprintf(line, sizeof line, "%s > inherited", command);
	EQ(system(line), 0);
	from = fopen("inherited", "r");
	check(from, mask, ignored);
	fclose(from);
	remove("inherited");
	MASK(mask);
}

static void exec_alone(void)
{
	t_setmask(BIT(SIGRTMIN));
	freopen("inherited", "w", stdout);
	exec_self();
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return report();
	t_start();
	(void)argv;
	// A shell may clear the mask of what it forks, so it is replaced.
	strcpy(command, "exec ");
	ssize_t n = readlink("/proc/self/exe", command + 5, sizeof command - 16);
	CHECK(n > 0);
	strcpy(command + 5 + n, " report");
	check_all(0, 0);
	check_all(BIT(SIGUSR1) | BIT(SIGRTMAX), 0);
	t_handle(SIGTERM, handler, 0, 0);
	t_handle(SIGUSR2, handler, SA_RESTART, 0);
	check_all(BIT(SIGUSR1), 0);
	signal(SIGHUP, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	check_all(BIT(SIGUSR1), BIT(SIGHUP) | BIT(SIGUSR2));
	EQ(t_child(exec_alone), 0);
	FILE *from = fopen("inherited", "r");
	check(from, BIT(SIGRTMIN), BIT(SIGHUP) | BIT(SIGUSR2));
	fclose(from);
	remove("inherited");
	return 0;
}
