// SPDX-License-Identifier: MIT
// A fault whose signal is blocked ends the process by that signal; its handler does not run. The
// same signal sent by somebody waits.
#include "lazy.h"
#include <sys/resource.h>

static volatile int runs, code;
static volatile int victim;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	code = info->si_code;
	runs++;
	if (info->si_code != SI_TKILL && info->si_code != SI_USER)
		_exit(9);
}

static volatile int *volatile nowhere = (volatile int *)16;

static void segv(void)
{
	*nowhere = 1;
}

static void fpe(void)
{
	volatile int zero = 0, one = 1;
	__asm__ volatile("idivl %0" : : "r"(zero), "a"(one), "d"(0));
}

static void ill(void)
{
	__asm__ volatile("ud2");
}

static void trap(void)
{
	__asm__ volatile("int3");
}

static const struct {
	int sig;
	void (*fault)(void);
} kinds[] = {{SIGSEGV, segv}, {SIGFPE, fpe}, {SIGILL, ill}, {SIGTRAP, trap}};

static void blocked_fault(void)
{
	t_handle_info(kinds[victim].sig, handler, 0, 0);
	t_setmask(BIT(kinds[victim].sig));
	kinds[victim].fault();
	_exit(8);
}

// One waits, sent by somebody, and then comes the fault.
static void blocked_fault_behind_one_sent(void)
{
	t_handle_info(kinds[victim].sig, handler, 0, 0);
	t_setmask(BIT(kinds[victim].sig));
	raise(kinds[victim].sig);
	kinds[victim].fault();
	_exit(8);
}

static void blocked_fault_with_default(void)
{
	signal(kinds[victim].sig, SIG_DFL);
	t_setmask(BIT(kinds[victim].sig) | BIT(SIGTERM));
	kinds[victim].fault();
	_exit(8);
}

static void blocked_fault_ignored(void)
{
	signal(kinds[victim].sig, SIG_IGN);
	kinds[victim].fault();
	_exit(8);
}

static void in_its_handler(int sig)
{
	(void)sig;
	kinds[victim].fault();
	_exit(8);
}

static void fault_in_its_own_handler(void)
{
	t_handle(kinds[victim].sig, in_its_handler, 0, 0);
	raise(kinds[victim].sig);
	_exit(8);
}

static void in_a_section(void)
{
	t_handle_info(kinds[victim].sig, handler, 0, 0);
	t_setmask(BIT(SIGTERM)); // another one
	kinds[victim].fault();
	_exit(8);
}

static void sent_waits(void)
{
	int sig = kinds[victim].sig;
	runs = 0;
	t_handle_info(sig, handler, 0, 0);
	t_setmask(BIT(sig));
	raise(sig);
	EQ(runs, 0);
	EQ(t_pending(), BIT(sig));
	t_setmask(0);
	EQ(runs, 1);
	EQ(code, SI_TKILL);
}

static void dies(void (*body)(void))
{
	int status = t_child(body);
	EQ(WIFSIGNALED(status) ? WTERMSIG(status) : 1000 + WEXITSTATUS(status), kinds[victim].sig);
}

int main(void)
{
	struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CORE, &none);
	t_hot();
	for (victim = 0; victim < 4; victim++) {
		dies(blocked_fault);
		dies(blocked_fault_behind_one_sent);
		dies(blocked_fault_with_default);
		dies(blocked_fault_ignored);
		dies(fault_in_its_own_handler);
		EQ(WEXITSTATUS(t_child(in_a_section)), 9);
		sent_waits();
	}
	return 0;
}
