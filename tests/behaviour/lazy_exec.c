// SPDX-License-Identifier: MIT
// Whatever starts a program gives it the whole mask that the caller believes in, and what is
// ignored; what is caught or was caught is at the default, after any number of changes.
#include "lazy.h"
#include <fcntl.h>
#include <spawn.h>

extern char **environ;
static char self[4096], command[5000];
static const char *argv_child[] = {"lazy_exec", "report", NULL};
#define ARGV ((char *const *)(uintptr_t)argv_child)

static void handler(int sig)
{
	(void)sig;
}

// As the started program: what it was given.
static int report(void)
{
	uint64_t own = LIBC_OWN;
	char line[100];
	int n = snprintf(line, sizeof line, "%llx %llx\n",
	                 (unsigned long long)(t_status("SigBlk") & ~own),
	                 (unsigned long long)(t_status("SigIgn") & ~own));
	return write(3, line, (size_t)n) != n;
}

static void by_execv(void)
{
	execv(self, ARGV);
}

static void by_execl(void)
{
	execl(self, "lazy_exec", "report", (char *)NULL);
}

static void by_execve(void)
{
	execve(self, ARGV, environ);
}

static void by_execvpe(void)
{
	execvpe(self, ARGV, environ);
}

static void by_fexecve(void)
{
	fexecve(open(self, O_RDONLY | O_CLOEXEC), ARGV, environ);
}

static void by_execveat(void)
{
	syscall(SYS_execveat, AT_FDCWD, self, ARGV, environ, 0);
}

static void by_syscall(void)
{
	syscall(SYS_execve, self, ARGV, environ);
}

static void (*const execs[])(void) = {by_execv,   by_execl,    by_execve, by_execvpe,
                                      by_fexecve, by_execveat, by_syscall};
#define EXECS (int)(sizeof execs / sizeof *execs)
enum { SPAWN = 2 * EXECS, SPAWNP, SYSTEM, POPEN, HOWS };

static void start(int how)
{
	pid_t pid = -1;
	if (how < EXECS) {
		pid = fork();
	} else if (how < 2 * EXECS) {
		pid = vfork();
	} else if (how == SPAWN) {
		EQ(posix_spawn(&pid, self, NULL, NULL, ARGV, environ), 0);
	} else if (how == SPAWNP) {
		EQ(posix_spawnp(&pid, self, NULL, NULL, ARGV, environ), 0);
	} else if (how == SYSTEM) {
		EQ(system(command), 0);
		return;
	} else {
		EQ(pclose(popen(command, "w")), 0);
		return;
	}
	if (pid == 0) {
		execs[how % EXECS]();
		_exit(126);
	}
	EQ(t_wait(pid), 0);
}

static void check(uint64_t mask, uint64_t ignored)
{
	char line[100], want[100];
	for (int how = 0; how < HOWS; how++) {
		t_setmask(0);
		t_setmask(mask);
		start(how);
		snprintf(want, sizeof want, "%llx %llx\n", (unsigned long long)mask,
		         (unsigned long long)ignored);
		ssize_t n = pread(3, line, sizeof line - 1, 0);
		line[n > 0 ? n : 0] = 0;
		if (strcmp(line, want)) {
			fprintf(stderr, "way %d: the program found %sinstead of %s", how, line,
			        want);
			exit(1);
		}
		EQ(ftruncate(3, 0), 0);
		EQ(lseek(3, 0, SEEK_SET), 0);
		MASK(mask);
	}
}

static void flip(int sig, int times)
{
	for (int i = 0; i < times; i++) {
		t_setmask(BIT(sig));
		t_handle(sig, handler, 0, 0);
		t_setmask(0);
		t_setmask(BIT(sig));
		t_handle(sig, i % 3 ? SIG_DFL : SIG_IGN, 0, 0);
		t_setmask(0);
	}
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return report();
	(void)argv;
	t_hot();
	CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
	snprintf(command, sizeof command, "exec %s report", self);
	int fd = open("found", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd != 3) {
		EQ(dup2(fd, 3), 3);
		close(fd);
	}
	uint64_t mask = BIT(SIGUSR1) | BIT(SIGTERM) | BIT(SIGHUP);
	check(0, 0);
	check(mask, 0);
	t_handle(SIGUSR1, handler, 0, 0);
	flip(SIGTERM, 20);
	signal(SIGTERM, SIG_DFL);
	check(mask, 0);
	flip(SIGHUP, 20);
	signal(SIGHUP, SIG_IGN);
	t_handle(SIGTERM, handler, SA_RESTART, 0);
	check(mask, BIT(SIGHUP));
	signal(SIGUSR1, SIG_IGN);
	flip(SIGALRM, 21);
	flip(SIGHUP, 9);
	t_handle(SIGHUP, handler, 0, 0);
	check(mask | BIT(SIGALRM), BIT(SIGUSR1));
	return 0;
}
