// SPDX-License-Identifier: MIT
// A fault in a section ends the process by its default action: the handler does not run. The same
// signal sent by kill is held like any other.
#include <sigzero.h>

#include <sys/mman.h>
#include <sys/resource.h>

#include "t.h"

static volatile int runs;
static volatile int *nowhere;

static void handler(int sig)
{
	(void)sig;
	runs++;
	if (nowhere)
		_exit(3);
}

static void warm_up(void)
{
	for (int i = 0; i < 50; i++) {
		sigzero_block();
		sigzero_unblock();
	}
}

static void segv(void)
{
	sigzero_block();
	*nowhere = 1;
}

static void trap(void)
{
	sigzero_block();
	__asm__ volatile("int3");
}

static void illegal(void)
{
	sigzero_block();
	__asm__ volatile("ud2");
}

static void divide(void)
{
	volatile int zero = 0;

	sigzero_block();
	zero = 1000 / zero;
}

static void outside(void)
{
	*nowhere = 1;
}

int main(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
	struct rlimit none = {0, 0};

	t_start();
	setrlimit(RLIMIT_CORE, &none);
	warm_up();
	for (int i = 0; i < 5; i++) {
		t_handle(signals[i], handler, 0, 0);
		sigzero_block();
		raise(signals[i]);
		EQ(runs, 0);
		sigzero_unblock();
		EQ(runs, 1);
		runs = 0;
	}
	nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EQ(WTERMSIG(t_child(segv)), SIGSEGV);
	EQ(WTERMSIG(t_child(trap)), SIGTRAP);
	EQ(WTERMSIG(t_child(illegal)), SIGILL);
	EQ(WTERMSIG(t_child(divide)), SIGFPE);
	EQ(WEXITSTATUS(t_child(outside)), 3);
	return 0;
}
