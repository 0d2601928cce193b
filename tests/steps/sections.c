// SPDX-License-Identifier: MIT
// Critical sections between two breakpoints, for steps.c to send SIGUSR1 at every instruction in
// between. Inside a section no handler runs; afterwards the signal has been handled exactly once,
// the counts are 0 and the kernel blocks what the program does. Silent; exit status 1 with a
// line if it is not so.
#define _GNU_SOURCE
#include <sigzero.h>

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BIT(sig) ((uint64_t)1 << ((sig) - 1))
#define BREAKPOINT() __asm__ volatile("int3" ::: "memory")

static const char *handler_does;
static sigjmp_buf escape;
static volatile sig_atomic_t inside, can_escape, arrivals, second, nested;
static __thread volatile uint32_t word;

static void fail(const char *what, uint64_t a, uint64_t b)
{
	char line[160];
	int n = snprintf(line, sizeof line, "%s: %#lx, %#lx\n", what, a, b);
	(void)!write(2, line, (size_t)n);
	_exit(1);
}

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

static void change(int how, int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(how, &set, NULL);
}

// What is blocked lazily the kernel need not know of.
static void look(const char *where)
{
	uint64_t seen, kernel, again;

	do {
		seen = seen_mask();
		kernel = kernel_mask();
		again = seen_mask();
	} while (seen != again);
	if (kernel & ~seen)
		fail(where, seen, kernel);
}

static void own_section(void)
{
	int before = second;

	sigzero_block();
	inside++;
	nested++;
	kill(getpid(), SIGUSR2);
	if (second != before)
		fail("the second signal within a handler's section", (uint64_t)second, 0);
	inside--;
	sigzero_unblock();
}

static void on_usr1(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	arrivals++;
	if (inside || sigzero_blocked())
		fail("a handler inside a section", (uint64_t)inside, (uint64_t)sigzero_blocked());
	look("in the handler");
	if (strcmp(handler_does, "section") == 0) {
		own_section();
	} else if (strcmp(handler_does, "edit") == 0) {
		sigaddset(&uc->uc_sigmask, SIGWINCH);
	} else if (strcmp(handler_does, "change") == 0) {
		change(SIG_BLOCK, SIGTERM);
		look("after a change in the handler");
	} else if (strcmp(handler_does, "jump") == 0 && can_escape) {
		can_escape = 0;
		siglongjmp(escape, 1);
	}
	look("leaving the handler");
}

static void on_usr2(int sig)
{
	(void)sig;
	second++;
	if (inside)
		fail("the second handler inside a section", (uint64_t)inside, 0);
	look("in the second handler");
}

static void enter_word(void)
{
	__atomic_fetch_add(&word, SIGFASTBLOCK_INC, __ATOMIC_ACQUIRE);
}

static void leave_word(void)
{
	if (__atomic_fetch_sub(&word, SIGFASTBLOCK_INC, __ATOMIC_RELEASE) ==
	            (SIGFASTBLOCK_PEND | SIGFASTBLOCK_INC) &&
	    sigfastblock(SIGFASTBLOCK_UNBLOCK, NULL) != 0)
		fail("UNBLOCK", word, 0);
}

static void within(void (*body)(void))
{
	sigzero_block();
	inside++;
	if (body)
		body();
	inside--;
	sigzero_unblock();
}

static void send_second(void)
{
	kill(getpid(), SIGUSR2);
}

static void nest(void)
{
	within(NULL);
	within(send_second);
}

static void change_mask(void)
{
	change(SIG_BLOCK, SIGHUP);
	change(SIG_UNBLOCK, SIGHUP);
}

static void ask(void)
{
	(void)sigzero_pending();
}

static void start_child(void)
{
	if (vfork() == 0) {
		within(NULL);
		_exit(0);
	}
	wait(NULL);
}

static void word_inside(void)
{
	enter_word();
	leave_word();
}

static void operate(const char *name)
{
	if (strcmp(name, "empty") == 0)
		within(NULL);
	else if (strcmp(name, "held") == 0)
		within(send_second);
	else if (strcmp(name, "nested") == 0)
		within(nest);
	else if (strcmp(name, "mask") == 0)
		within(change_mask);
	else if (strcmp(name, "pending") == 0)
		within(ask);
	else if (strcmp(name, "vfork") == 0)
		within(start_child);
	else if (strcmp(name, "both") == 0)
		within(word_inside);
	else if (strcmp(name, "word") == 0) {
		enter_word();
		inside++;
		kill(getpid(), SIGUSR2);
		inside--;
		leave_word();
	} else
		_exit(2);
}

static void prepare(const char *name)
{
	struct sigaction act = {.sa_sigaction = on_usr1, .sa_flags = SA_SIGINFO};

	sigaction(SIGUSR1, &act, NULL);
	signal(SIGUSR2, on_usr2);
	change(SIG_BLOCK, SIGINT);
	for (int i = 0; i < 2; i++) // guards are put up here, not under the eyes of steps.c
		within(NULL);
	if (strcmp(name, "word") == 0 || strcmp(name, "both") == 0)
		if (sigfastblock(SIGFASTBLOCK_SETPTR, (void *)&word) != 0)
			_exit(77);
}

static void check_end(void)
{
	int before;

	look("at the end");
	if (arrivals != 1)
		fail("how often the signal was handled", (uint64_t)arrivals, 1);
	if (sigzero_self.word || sigzero_self.copy || word)
		fail("the words", sigzero_self.word, word);
	change(SIG_UNBLOCK, SIGINT);
	change(SIG_UNBLOCK, SIGTERM);
	change(SIG_UNBLOCK, SIGWINCH);
	if (kernel_mask() || seen_mask())
		fail("the mask at the end", seen_mask(), kernel_mask());
	before = second;
	within(send_second);
	if (second != before + 1)
		fail("a section afterwards", (uint64_t)second, (uint64_t)before);
	if (kernel_mask())
		fail("the mask after one more section", seen_mask(), kernel_mask());
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	handler_does = argv[2];
	prepare(argv[1]);
	if (sigsetjmp(escape, 1) == 0) {
		can_escape = strcmp(handler_does, "jump") == 0;
		BREAKPOINT();
		operate(argv[1]);
		BREAKPOINT();
	}
	can_escape = 0;
	check_end();
	return 0;
}
