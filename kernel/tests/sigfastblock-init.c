// SPDX-License-Identifier: GPL-2.0
// The first process of a namespace ignores what it does not handle. A trap in a section must end
// it all the same, since its handler must not run: at once, also if it would not trap again.
#define _GNU_SOURCE
#include <linux/sigfastblock.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static volatile uint32_t word;
static volatile int handled;

static void handler(int sig) { handled++; }

static void first_process(void)
{
	signal(SIGTRAP, handler);
	syscall(__NR_sigfastblock, SIGFASTBLOCK_SETPTR, &word);
	word += SIGFASTBLOCK_INC;
	kill(getpid(), SIGTERM);
	kill(getpid(), SIGKILL);
	if (handled || getpid() != 1)
		_exit(1);
	alarm(5);
	__asm__ volatile("int3");
	_exit(2);
}

int main(void)
{
	int status = 0;
	pid_t child;

	if (unshare(CLONE_NEWPID))
		return 77;
	child = fork();
	if (!child)
		first_process();
	for (int i = 0; i < 100 && waitpid(child, &status, WNOHANG) != child; i++)
		usleep(50000);
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP, "a trap ended it: status %x", status);
	return test_status();
}
