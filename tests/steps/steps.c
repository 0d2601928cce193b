// SPDX-License-Identifier: MIT
// A signal between any two instructions: runs target.c again and again, and sends SIGUSR1
// at the first, second, third … instruction between its two breakpoints, in the program,
// the runtime, libc and the handlers alike.
//
//	steps LIBRARY|- MODE TARGET OPERATION HANDLER
//
// Exit status 0 if all runs end well; a line for each that does not. ptrace(2).
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *library, *mode;
static char *const *command;
static FILE *said; // what the child writes to its standard error: there should be nothing

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static int wait_for(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) < 0)
		die("waitpid");
	return status;
}

static pid_t start(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0) {
		alarm(20);
		dup2(fileno(said), 2);
		if (strcmp(library, "-") != 0) {
			setenv("LD_PRELOAD", library, 1);
			setenv("SIGZERO_MODE", mode, 1);
		}
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
			_exit(2);
		execv(command[0], command);
		_exit(2);
	}
	if (!WIFSTOPPED(wait_for(pid)) ||
	    ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_EXITKILL) < 0)
		die("exec");
	return pid;
}

static bool at_breakpoint(pid_t pid)
{
	siginfo_t info;

	return ptrace(PTRACE_GETSIGINFO, pid, 0, &info) == 0 && info.si_signo == SIGTRAP &&
	       info.si_code == SI_KERNEL;
}

// Continues until a breakpoint or the end; signals are passed on. Ends the child's tracing
// of breakpoints once `through`: then they are stepped over.
static int run(pid_t pid, int sig, bool through)
{
	for (;;) {
		if (ptrace(PTRACE_CONT, pid, 0, sig) < 0)
			die("PTRACE_CONT");
		int status = wait_for(pid);
		if (!WIFSTOPPED(status))
			return status;
		sig = WSTOPSIG(status);
		if (sig == SIGTRAP) {
			if (!through && at_breakpoint(pid))
				return status;
			sig = 0;
		}
	}
}

static unsigned long instruction(pid_t pid)
{
	struct user_regs_struct regs;

	ptrace(PTRACE_GETREGS, pid, 0, &regs);
	return regs.rip;
}

// True while there was an instruction `count` to stop at.
static bool one_run(long count, int *result, unsigned long *where)
{
	pid_t pid = start();
	int status = run(pid, 0, false);
	int sig = 0;

	if (!WIFSTOPPED(status)) {
		*result = status;
		return true;
	}
	for (long i = 0; i < count; i++) {
		if (ptrace(PTRACE_SINGLESTEP, pid, 0, sig) < 0)
			die("PTRACE_SINGLESTEP");
		status = wait_for(pid);
		if (!WIFSTOPPED(status)) {
			*result = status;
			return true;
		}
		sig = WSTOPSIG(status);
		if (sig == SIGTRAP) {
			if (at_breakpoint(pid)) {
				kill(pid, SIGKILL);
				wait_for(pid);
				return false;
			}
			sig = 0;
		}
	}
	*where = instruction(pid);
	// Sent, not injected: a stop at the first instruction of a handler takes no signal.
	if (kill(pid, SIGUSR1) < 0)
		die("kill");
	*result = run(pid, sig, true);
	return true;
}

static bool anything_said(void)
{
	struct stat about;

	return fstat(fileno(said), &about) == 0 && about.st_size > 0;
}

static void forget_said(void)
{
	if (ftruncate(fileno(said), 0) < 0 || lseek(fileno(said), 0, SEEK_SET) < 0)
		die("temporary file");
}

static void report(const char *operation, const char *handler, long count, unsigned long where,
                   int result)
{
	char text[512];
	ssize_t n = pread(fileno(said), text, sizeof text - 1, 0);

	text[n < 0 ? 0 : n] = 0;
	fprintf(stderr, "%s, %s: instruction %ld at %#lx: ended with %s %d\n%s", operation,
	        handler, count, where, WIFSIGNALED(result) ? "signal" : "status",
	        WIFSIGNALED(result) ? WTERMSIG(result) : WEXITSTATUS(result), text);
}

int main(int argc, char **argv)
{
	long failures = 0, count = 0;

	if (argc != 6) {
		fprintf(stderr, "usage: steps LIBRARY|- MODE TARGET OPERATION HANDLER\n");
		return 2;
	}
	library = argv[1];
	mode = argv[2];
	command = argv + 3;
	said = tmpfile();
	if (!said)
		die("temporary file");
	for (;; count++) {
		int result = 0;
		unsigned long where = 0;

		if (!one_run(count, &result, &where))
			break;
		if (result == 0 && !anything_said())
			continue;
		if (++failures <= 5)
			report(argv[4], argv[5], count, where, result);
		forget_said();
	}
	if (failures)
		fprintf(stderr, "%s, %s: %ld of %ld instructions failed\n", argv[4], argv[5],
		        failures, count);
	return count < 10 ? 2 : failures != 0;
}
