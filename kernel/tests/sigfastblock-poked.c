// SPDX-License-Identifier: GPL-2.0
// A debugger ends the section of a stopped thread: what was held back is delivered, since the thread will
// not ask for it.
#define _GNU_SOURCE
#include <linux/sigfastblock.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static volatile long word[1];
static volatile int handled;

static void handler(int sig) { handled++; }

static void traced(void)
{
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	signal(SIGUSR1, handler);
	syscall(__NR_sigfastblock, SIGFASTBLOCK_SETPTR, word);
	*word += SIGFASTBLOCK_INC;
	raise(SIGUSR1);
	if (handled)
		_exit(1);
	raise(SIGSTOP);
	for (int i = 0; i < 100 && !handled; i++)
		usleep(10000);
	_exit(handled == 1 && *word == 0 ? 0 : 2);
}

int main(void)
{
	pid_t child = fork();
	int status;

	if (!child)
		traced();
	waitpid(child, &status, 0);
	check(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP, "stopped, status %x", status);
	ptrace(PTRACE_POKEDATA, child, (void *)word, 0);
	ptrace(PTRACE_CONT, child, 0, 0);
	waitpid(child, &status, 0);
	if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGUSR1) {
		check(true, "the tracer sees SIGUSR1");
		ptrace(PTRACE_CONT, child, 0, SIGUSR1);
		waitpid(child, &status, 0);
	}
	check(status == 0, "it was handled, status %x", status);
	return test_status();
}
