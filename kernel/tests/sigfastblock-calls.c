// SPDX-License-Identifier: GPL-2.0
// How many system calls sections cost, counted by a debugger that stops the thread at each one:
// none for 1,000,000 sections without a signal, and one for a section in which a signal came.
// (Each handler that ran returns by rt_sigreturn, as ever; that is counted apart.)
#define _GNU_SOURCE
#include <linux/sigfastblock.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

enum { QUIET = 1000000, DISTURBED = 2000 };

static struct shared {
	volatile uint32_t wanted, sent;
	volatile uint32_t handled, in_section;
} *shared;

static volatile uint32_t word;

static void enter(void) { __asm__ volatile("addl %1, %0" : "+m"(word) : "i"(SIGFASTBLOCK_INC) : "memory"); }

static void leave(void)
{
	if (__atomic_fetch_sub(&word, SIGFASTBLOCK_INC, __ATOMIC_SEQ_CST) ==
	    (SIGFASTBLOCK_PEND | SIGFASTBLOCK_INC))
		syscall(__NR_sigfastblock, SIGFASTBLOCK_UNBLOCK, NULL);
}

static void handler(int sig)
{
	shared->handled++;
	shared->in_section += word >= SIGFASTBLOCK_INC;
}

// The calls getpid, getuid and getgid mark the parts for the debugger.
static void sections(void)
{
	struct sigaction action = { .sa_handler = handler };

	sigaction(SIGUSR1, &action, NULL);
	syscall(__NR_sigfastblock, SIGFASTBLOCK_SETPTR, &word);
	raise(SIGSTOP);
	syscall(SYS_getpid);
	for (int i = 0; i < QUIET; i++) {
		enter();
		leave();
	}
	syscall(SYS_getuid);
	for (int i = 1; i <= DISTURBED; i++) {
		enter();
		shared->wanted = i;
		while (!(word & SIGFASTBLOCK_PEND))
			;
		leave();
	}
	syscall(SYS_getgid);
	_exit(word != 0);
}

static void sender(pid_t pid)
{
	for (uint32_t i = 1; i <= DISTURBED; i++) {
		while (shared->wanted != i)
			;
		kill(pid, SIGUSR1);
	}
	_exit(0);
}

int main(void)
{
	int part = 0, quiet = 0, unblocks = 0, returns = 0, others = 0, status, sig = 0;
	bool inside = false;
	pid_t child, helper;

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		sections();
	}
	helper = fork();
	if (!helper)
		sender(child);
	waitpid(child, &status, 0);
	ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	for (;;) {
		ptrace(PTRACE_SYSCALL, child, 0, sig);
		sig = 0;
		waitpid(child, &status, 0);
		if (!WIFSTOPPED(status))
			break;
		if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
			sig = WSTOPSIG(status);
			// A call that a signal interrupts is left without a stop at its end.
			continue;
		}
		inside = !inside;
		if (inside) {
			struct user_regs_struct regs;

			ptrace(PTRACE_GETREGS, child, 0, &regs);
			if (regs.orig_rax == SYS_getpid || regs.orig_rax == SYS_getuid ||
			    regs.orig_rax == SYS_getgid)
				part++;
			else if (part == 1)
				quiet++;
			else if (part == 2 && regs.orig_rax == __NR_sigfastblock)
				unblocks++;
			else if (part == 2 && regs.orig_rax == SYS_rt_sigreturn)
				returns++;
			else if (part == 2)
				others++;
		}
	}
	check(part == 3 && WIFEXITED(status) && !WEXITSTATUS(status), "both parts ran, the word is 0");
	check(quiet == 0, "%d sections without a signal: %d system calls", QUIET, quiet);
	check(unblocks == DISTURBED && !others, "%d sections with a signal each: %d system calls, %d others",
	      DISTURBED, unblocks, others);
	check(returns == DISTURBED && shared->handled == DISTURBED, "%d handlers ran, %d returned",
	      shared->handled, returns);
	check(!shared->in_section, "none of them in a section");
	waitpid(helper, NULL, 0);
	return test_status();
}
