// SPDX-License-Identifier: MIT
// As FreeBSD's run-time linker has it: its includes, its declaration, its steps. Blocks for real
// where the call is refused, as it does on an old kernel.
#include <sys/types.h>
#include <sys/signalvar.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

extern int __sys_sigfastblock(int cmd, void *ptr);

static volatile uint32_t fsigblock;
static int fast;
static sigset_t fullsigmask, oldsigmask;
static volatile sig_atomic_t runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void enter(void)
{
	if (fast)
		__atomic_fetch_add(&fsigblock, SIGFASTBLOCK_INC, __ATOMIC_ACQUIRE);
	else
		sigprocmask(SIG_BLOCK, &fullsigmask, &oldsigmask);
}

static void leave(void)
{
	if (!fast)
		sigprocmask(SIG_SETMASK, &oldsigmask, NULL);
	else if (__atomic_fetch_sub(&fsigblock, SIGFASTBLOCK_INC, __ATOMIC_RELEASE) ==
	         (SIGFASTBLOCK_PEND | SIGFASTBLOCK_INC))
		__sys_sigfastblock(SIGFASTBLOCK_UNBLOCK, NULL);
}

int main(void)
{
	signal(SIGUSR1, handler);
	sigfillset(&fullsigmask);
	fast = __sys_sigfastblock(SIGFASTBLOCK_SETPTR, (void *)(uintptr_t)&fsigblock) == 0;
	enter();
	raise(SIGUSR1);
	printf("inside %d, ", (int)runs);
	leave();
	printf("outside %d\n", (int)runs);
	return 0;
}
