// SPDX-License-Identifier: MIT
// Operations on signals between two breakpoints, for steps.c to send SIGUSR1 at every
// instruction in between. Whatever happens, in the handler and afterwards the mask that the
// program sees must be the one that the kernel holds, and the result one that plain libc
// can give. Silent; exit status 1 with a line if it is not so.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define BIT(sig) ((uint64_t)1 << ((sig) - 1))

static const char *handler_does;
static sigjmp_buf escape;
static volatile sig_atomic_t can_escape, arrivals;

static void fail(const char *where, uint64_t seen, uint64_t kernel)
{
	char line[160];
	int n = snprintf(line, sizeof line, "%s: the program sees %#lx, the kernel has %#lx\n",
	                 where, seen, kernel);
	(void)!write(2, line, (size_t)n);
	_exit(1);
}

// In assembly: libc's syscall() is one of the functions under test.
static uint64_t kernel_mask(void)
{
	uint64_t mask;
	register long size __asm__("r10") = 8;
	long result;

	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "a"(SYS_rt_sigprocmask), "D"(0L), "S"(0L), "d"(&mask), "r"(size)
	                 : "rcx", "r11", "memory");
	return mask;
}

static uint64_t seen_mask(void)
{
	sigset_t set;

	sigprocmask(SIG_SETMASK, NULL, &set);
	return *(uint64_t *)&set;
}

// The signal may come between two looks and change the mask: only a kernel's mask between
// two equal looks of the program counts.
static uint64_t same(const char *where)
{
	uint64_t seen, kernel, again;

	do {
		seen = seen_mask();
		kernel = kernel_mask();
		again = seen_mask();
	} while (seen != again);
	if (seen != kernel)
		fail(where, seen, kernel);
	return seen;
}

static void change(int how, int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(how, &set, NULL);
}

static void on_usr1(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)info;
	arrivals++;
	if (!(same("entering the handler sent in") & BIT(sig)))
		fail("own signal in the handler", same(""), kernel_mask());
	if (strcmp(handler_does, "change") == 0) {
		change(SIG_BLOCK, SIGWINCH);
		same("after a change in the handler sent in");
	} else if (strcmp(handler_does, "edit") == 0) {
		sigaddset(&uc->uc_sigmask, SIGWINCH);
	} else if (strcmp(handler_does, "clear") == 0) {
		sigemptyset(&uc->uc_sigmask);
	} else if (strcmp(handler_does, "install") == 0) {
		signal(SIGHUP, SIG_IGN);
	} else if (strcmp(handler_does, "jump") == 0 && can_escape) {
		can_escape = 0;
		siglongjmp(escape, 1);
	}
	same("leaving the handler sent in");
}

static void on_usr2(int sig)
{
	uint64_t mask = same("entering the operation's handler");

	// The handler sent in may have cleared the mask that was to hold here.
	if (strcmp(handler_does, "clear") != 0 &&
	    (mask & (BIT(sig) | BIT(SIGALRM))) != (BIT(sig) | BIT(SIGALRM)))
		fail("sa_mask in the operation's handler", mask, kernel_mask());
	change(SIG_BLOCK, SIGTERM);
	same("leaving the operation's handler");
}

static void on_usr2_edit(int sig, siginfo_t *info, void *context)
{
	(void)info;
	(void)sig;
	same("entering the editing handler");
	sigaddset(&((ucontext_t *)context)->uc_sigmask, SIGURG);
}

static void install_action(int sig, struct sigaction act)
{
	sigemptyset(&act.sa_mask);
	sigaddset(&act.sa_mask, SIGALRM);
	sigaction(sig, &act, NULL);
}

static void install(int sig, void (*handler)(int))
{
	install_action(sig, (struct sigaction){.sa_handler = handler});
}

static void install_info(int sig, void (*handler)(int, siginfo_t *, void *))
{
	install_action(sig, (struct sigaction){.sa_sigaction = handler, .sa_flags = SA_SIGINFO});
}

#define BREAKPOINT() __asm__ volatile("int3" ::: "memory")

static ucontext_t here, there;
static char stack[65536];

static void coroutine(void)
{
	for (;;) {
		same("in the coroutine");
		swapcontext(&there, &here);
	}
}

static sigjmp_buf jump_back;

static void operate(const char *name)
{
	if (strcmp(name, "block") == 0) {
		change(SIG_BLOCK, SIGUSR2);
	} else if (strcmp(name, "unblock") == 0) {
		change(SIG_UNBLOCK, SIGINT);
	} else if (strcmp(name, "query") == 0) {
		seen_mask();
	} else if (strcmp(name, "deliver") == 0) {
		kill(getpid(), SIGUSR2);
	} else if (strcmp(name, "pending") == 0) {
		sigset_t none;
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
	} else if (strcmp(name, "jump") == 0) {
		if (sigsetjmp(jump_back, 1) == 0) {
			change(SIG_BLOCK, SIGCHLD);
			siglongjmp(jump_back, 1);
		}
	} else if (strcmp(name, "context") == 0) {
		swapcontext(&here, &there);
	} else if (strcmp(name, "getset") == 0) {
		volatile int again = 0;
		getcontext(&here);
		if (!again++) {
			change(SIG_BLOCK, SIGCHLD);
			setcontext(&here);
		}
	} else if (strcmp(name, "suspend") == 0) {
		sigset_t set;
		sigemptyset(&set);
		sigsuspend(&set);
	} else if (strcmp(name, "vfork") == 0) {
		if (vfork() == 0) {
			change(SIG_BLOCK, SIGCHLD);
			signal(SIGHUP, SIG_IGN);
			_exit(0);
		}
		wait(NULL);
	} else if (strcmp(name, "install") == 0) {
		signal(SIGHUP, SIG_DFL);
		signal(SIGHUP, SIG_DFL);
	} else {
		_exit(2);
	}
}

static void prepare(const char *name)
{
	install_info(SIGUSR1, on_usr1);
	install(SIGUSR2, on_usr2);
	if (strncmp(name, "cold-", 5) == 0)
		return;
	same("at the start");
	change(SIG_BLOCK, SIGINT);
	if (strcmp(name, "edited") == 0)
		install_info(SIGUSR2, on_usr2_edit);
	if (strcmp(name, "pending") == 0 || strcmp(name, "suspend") == 0) {
		change(SIG_BLOCK, SIGUSR2);
		kill(getpid(), SIGUSR2);
	}
	if (strcmp(name, "pending") == 0) {
		change(SIG_BLOCK, SIGHUP);
		install(SIGHUP, on_usr2);
		kill(getpid(), SIGHUP);
	}
	if (strcmp(name, "context") == 0) {
		getcontext(&there);
		there.uc_stack.ss_sp = stack;
		there.uc_stack.ss_size = sizeof stack;
		sigaddset(&there.uc_sigmask, SIGCHLD);
		makecontext(&there, coroutine, 0);
	}
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	const char *volatile name = argv[1];
	handler_does = argv[2];
	prepare(name);
	if (strncmp(name, "cold-", 5) == 0)
		name += 5;
	if (strcmp(name, "edited") == 0)
		name = "deliver";
	uint64_t before = kernel_mask();
	if (sigsetjmp(escape, 0) == 0) {
		can_escape = strcmp(handler_does, "jump") == 0;
		BREAKPOINT();
		operate(name);
		BREAKPOINT();
	}
	can_escape = 0;
	uint64_t after = same("at the end");
	if (strcmp(handler_does, "look") == 0 && strcmp(name, "jump") == 0 && after != before)
		fail("mask kept over a jump", after, before);
	if (strcmp(handler_does, "look") == 0 && strcmp(name, "vfork") == 0 && after != before)
		fail("mask kept over vfork", after, before);
	struct sigaction act;
	sigaction(SIGHUP, NULL, &act);
	if (strcmp(name, "vfork") == 0 && strcmp(handler_does, "install") != 0 &&
	    act.sa_handler != SIG_DFL)
		fail("disposition kept over vfork", 1, 0);
	change(SIG_BLOCK, SIGPROF);
	change(SIG_UNBLOCK, SIGPROF);
	same("after one more change");
	return arrivals ? 0 : 3;
}
