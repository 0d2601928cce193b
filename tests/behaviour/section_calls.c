// SPDX-License-Identifier: MIT
// How many system calls sections make where the kernel holds signals back by itself, counted by a
// debugger that stops at each: none without a signal, one in a section in which a signal came (and
// the handler's return); also in a thread, with a handler for a real-time signal and with a timer.
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "word.h"

#define QUIET 100000
#define DISTURBED 200

static struct shared {
	volatile int part, handled, thread;
	volatile int calls[3], asked[3], returns[3];
} *shared;

static void handler(int sig)
{
	(void)sig;
	shared->handled++;
	if (sigzero_blocked())
		shared->handled += 1000;
}

static void quiet(void)
{
	for (int i = 0; i < QUIET; i++) {
		sigzero_block();
		sigzero_block();
		sigzero_unblock();
		sigzero_unblock();
	}
}

static void disturbed(int sig)
{
	for (int i = 0; i < DISTURBED; i++) {
		sigzero_block();
		t_syscall(SYS_tkill, t_syscall(SYS_gettid, 0, 0, 0, 0), sig, 0, 0);
		EQ(shared->handled, i);
		sigzero_unblock();
		EQ(shared->handled, i + 1);
	}
}

static void *sections(void *sig)
{
	for (int i = 0; i < 50; i++) {
		sigzero_block();
		sigzero_unblock();
	}
	shared->thread = (int)t_syscall(SYS_gettid, 0, 0, 0, 0);
	shared->part = 1;
	quiet();
	shared->part = 2;
	disturbed((int)(intptr_t)sig);
	shared->part = 0;
	shared->handled = 0;
	return NULL;
}

static void traced(void)
{
	pthread_t thread;
	timer_t timer;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	t_syscall(SYS_tkill, getpid(), SIGSTOP, 0, 0);
	t_handle(SIGUSR1, handler, 0, 0);
	sections((void *)SIGUSR1);
	t_handle(SIGRTMIN, handler, SA_RESTART, 0);
	EQ(timer_create(CLOCK_MONOTONIC, NULL, &timer), 0);
	sections((void *)(intptr_t)SIGRTMIN);
	EQ(pthread_create(&thread, NULL, sections, (void *)SIGUSR1), 0);
	EQ(pthread_join(thread, NULL), 0);
	exit(0);
}

static void count(pid_t pid)
{
	struct user_regs_struct regs;
	int part = shared->part;

	EQ(ptrace(PTRACE_GETREGS, pid, NULL, &regs), 0);
	if (pid != shared->thread || regs.rax != (unsigned long long)-ENOSYS || !part)
		return; // the end of a call has another result
	if (part == 2 && regs.orig_rax == 573)
		shared->asked[part]++;
	else if (part == 2 && regs.orig_rax == SYS_rt_sigreturn)
		shared->returns[part]++;
	else if (part == 1 || (regs.orig_rax != SYS_tkill && regs.orig_rax != SYS_gettid))
		shared->calls[part]++;
}

static void trace(pid_t pid)
{
	int status;

	EQ(waitpid(pid, &status, 0), pid);
	EQ(ptrace(PTRACE_SETOPTIONS, pid, NULL,
	          PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL), 0);
	EQ(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
	for (;;) {
		pid_t stopped = waitpid(-1, &status, __WALL);
		int sig = 0;

		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			if (stopped != pid)
				continue;
			EQ(status, 0);
			return;
		}
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			count(stopped);
		else if (WSTOPSIG(status) != SIGSTOP && WSTOPSIG(status) != SIGTRAP)
			sig = WSTOPSIG(status);
		ptrace(PTRACE_SYSCALL, stopped, NULL, (void *)(intptr_t)sig);
	}
}

int main(void)
{
	if (!t_by_kernel() || t_is_off() || t_started_with("SIGZERO_MODE=watch") ||
	    t_started_with("SIGZERO_MODE=check"))
		return T_SKIP;
	t_start();
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = fork();
	if (pid == 0)
		traced();
	trace(pid);
	EQ(shared->calls[1], 0);
	EQ(shared->calls[2], 0);
	EQ(shared->asked[2], 3 * DISTURBED);
	EQ(shared->returns[2], 3 * DISTURBED);
	return 0;
}
