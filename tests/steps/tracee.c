// SPDX-License-Identifier: MIT
// ptrace(2). The places are found with a breakpoint of the processor, which the program cannot
// see, and which the child of a vfork does not inherit.
#define _GNU_SOURCE
#include "tracee.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE 20 // seconds

static pid_t server;
static volatile sig_atomic_t impatient;

void die(const char *what)
{
	perror(what);
	exit(2);
}

static void on_alarm(int sig)
{
	(void)sig;
	impatient = 1;
}

// Waits for a change; a child that takes too long is killed.
static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, __WALL) < 0) {
		if (errno != EINTR)
			die("waitpid");
		if (impatient)
			kill(pid, SIGKILL);
	}
	return status;
}

static void set_breakpoint(pid_t pid, unsigned long where, bool on)
{
	if (ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[0]), where) < 0 ||
	    ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[7]), on ? 1L : 0L) < 0)
		die("breakpoint of the processor");
}

unsigned long child_is_at(pid_t pid)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, pid, 0, &regs) < 0)
		die("PTRACE_GETREGS");
	return regs.rip;
}

static int trap_code(pid_t pid)
{
	siginfo_t info;

	if (ptrace(PTRACE_GETSIGINFO, pid, 0, &info) < 0 || info.si_signo != SIGTRAP)
		return 0;
	return info.si_code;
}

bool child_is_at_breakpoint(pid_t pid)
{
	return trap_code(pid) == SI_KERNEL;
}

bool child_calls_next(pid_t pid)
{
	long text;

	errno = 0;
	text = ptrace(PTRACE_PEEKTEXT, pid, child_is_at(pid), 0);
	return errno == 0 && (text & 0xffff) == 0x050f;
}

static void resume(int request, pid_t pid, int sig)
{
	if (ptrace(request, pid, 0, sig) < 0 && errno != ESRCH)
		die("ptrace");
}

// Our traps open SIGTRAP where it is blocked. The target only ever blocks it along with the rest.
static void repair_mask(pid_t pid)
{
	const unsigned long trap = 1ul << (SIGTRAP - 1), others = 0x7ffffffful & ~trap &
		~(1ul << (SIGKILL - 1)) & ~(1ul << (SIGSTOP - 1));
	unsigned long mask;

	if (ptrace(PTRACE_GETSIGMASK, pid, sizeof mask, &mask) < 0 || (mask & others) != others)
		return;
	mask |= trap;
	if (ptrace(PTRACE_SETSIGMASK, pid, sizeof mask, &mask) < 0)
		die("PTRACE_SETSIGMASK");
}

// Continues to the next trap, or the end; signals are passed on.
static int run_to_trap(pid_t pid, int sig)
{
	for (;;) {
		int status;

		resume(PTRACE_CONT, pid, sig);
		status = wait_for(pid);
		if (!WIFSTOPPED(status))
			return status;
		repair_mask(pid);
		if (WSTOPSIG(status) == SIGTRAP)
			return status;
		sig = WSTOPSIG(status);
	}
}

static int result_of(int status)
{
	alarm(0);
	return impatient ? NO_END : status;
}

void server_start(char *const *command, int output, int errors)
{
	struct sigaction act = {.sa_handler = on_alarm}; // without SA_RESTART
	int status;

	sigaction(SIGALRM, &act, NULL);
	server = fork();
	if (server < 0)
		die("fork");
	if (server == 0) {
		dup2(output, 1);
		dup2(errors, 2);
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
			_exit(2);
		execv(command[0], command);
		_exit(2);
	}
	if (!WIFSTOPPED(wait_for(server)) ||
	    ptrace(PTRACE_SETOPTIONS, server, 0, PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK) < 0)
		die("exec");
	status = run_to_trap(server, 0);
	if (!WIFSTOPPED(status) || !child_is_at_breakpoint(server)) {
		fprintf(stderr, "the target did not come to its first breakpoint\n");
		exit(2);
	}
}

pid_t server_pid(void)
{
	return server;
}

static pid_t forked(void)
{
	unsigned long pid;
	int status = run_to_trap(server, 0);

	if (status >> 8 == SIGTRAP) // it reaped the one before
		status = run_to_trap(server, 0);
	if (status >> 8 != (SIGTRAP | PTRACE_EVENT_FORK << 8) ||
	    ptrace(PTRACE_GETEVENTMSG, server, 0, &pid) < 0)
		die("fork of the server");
	return (pid_t)pid;
}

bool child_start(pid_t *pid, int *result)
{
	int status;

	impatient = 0;
	alarm(PATIENCE);
	*pid = forked();
	if (!WIFSTOPPED(wait_for(*pid)) ||
	    ptrace(PTRACE_SETOPTIONS, *pid, 0, PTRACE_O_EXITKILL) < 0)
		die("a new child");
	status = run_to_trap(*pid, 0);
	if (WIFSTOPPED(status))
		return true;
	*result = result_of(status);
	return false;
}

bool child_step(pid_t pid, int *sig, int *result)
{
	int status;

	resume(PTRACE_SINGLESTEP, pid, *sig);
	status = wait_for(pid);
	if (!WIFSTOPPED(status)) {
		*result = result_of(status);
		return false;
	}
	repair_mask(pid);
	*sig = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	return true;
}

bool child_go_to(pid_t pid, unsigned long where, long occurrence, int *result)
{
	set_breakpoint(pid, where, true);
	for (;;) {
		int status = run_to_trap(pid, 0);

		if (!WIFSTOPPED(status)) {
			*result = result_of(status);
			return false;
		}
		if (trap_code(pid) != TRAP_HWBKPT) {
			child_end(pid);
			*result = 0;
			return false;
		}
		if (occurrence-- == 0)
			break;
	}
	set_breakpoint(pid, 0, false);
	return true;
}

int child_finish(pid_t pid, int sig)
{
	int status = run_to_trap(pid, sig);

	while (WIFSTOPPED(status))
		status = run_to_trap(pid, 0);
	return result_of(status);
}

void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	wait_for(pid);
	alarm(0);
}
