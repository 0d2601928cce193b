// SPDX-License-Identifier: GPL-2.0
// The word is looked at when a signal is there to be delivered, and then only: a thread whose word cannot
// be accessed is not disturbed by being frozen or interrupted by a tracer.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/sigfastblock.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#define GROUP "/sys/fs/cgroup/stops"

static volatile int *up;

static void put(const char *path, const char *what)
{
	int file = open(path, O_WRONLY);

	if (file < 0 || write(file, what, strlen(what)) < 0)
		check(false, "%s", path);
	close(file);
}

static pid_t start(void)
{
	pid_t child;

	*up = 0;
	child = fork();
	if (!child) {
		void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		syscall(__NR_sigfastblock, SIGFASTBLOCK_SETPTR, page);
		*up = 1;
		for (;;)
			;
	}
	while (!*up)
		usleep(1000);
	return child;
}

static void end(pid_t child, const char *what)
{
	int status = 0;

	usleep(50000);
	check(waitpid(child, &status, WNOHANG) == 0, "%s: it lives, status %x", what, status);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "%s: killed, status %x", what, status);
}

int main(void)
{
	char number[20];
	int status;
	pid_t child;

	up = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	child = start();
	mkdir(GROUP, 0755);
	snprintf(number, sizeof number, "%d", child);
	put(GROUP "/cgroup.procs", number);
	put(GROUP "/cgroup.freeze", "1");
	usleep(50000);
	put(GROUP "/cgroup.freeze", "0");
	end(child, "frozen");
	rmdir(GROUP);

	child = start();
	ptrace(PTRACE_SEIZE, child, 0, 0);
	ptrace(PTRACE_INTERRUPT, child, 0, 0);
	check(waitpid(child, &status, 0) == child && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP,
	      "interrupted, status %x", status);
	ptrace(PTRACE_DETACH, child, 0, 0);
	end(child, "interrupted");

	return test_status();
}
