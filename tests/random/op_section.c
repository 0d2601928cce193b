// SPDX-License-Identifier: MIT
// Critical sections of sigzero.h, where the library is loaded; elsewhere all is blocked by raw
// calls, which a section must look like, but for the mask that the program sees.
#include <dlfcn.h>

#include "fuzz.h"

static void (*enter_section)(void), (*leave_section)(void);
static uint64_t outside;
static int depth;

void fz_find_sections(void)
{
	enter_section = (void (*)(void))dlsym(RTLD_DEFAULT, "sigzero_block");
	leave_section = (void (*)(void))dlsym(RTLD_DEFAULT, "sigzero_unblock");
}

static void enter(void)
{
	uint64_t all = ~(BIT(32) | BIT(33));
	if (enter_section)
		enter_section();
	else if (depth == 0)
		t_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&outside, 8);
	depth++;
}

// The last one lets in what came: its handlers may enter sections of their own, or jump.
static void leave(void)
{
	uint64_t mask = outside;
	depth--;
	if (leave_section)
		leave_section();
	else if (depth == 0)
		t_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8);
}

static void show(const char *what, int sig)
{
	fz_line("%s %d, section %d mask %llx pending %llx", what, sig, depth,
	        (unsigned long long)(enter_section ? t_view() : outside),
	        (unsigned long long)t_kernel_pending());
}

// What is ignored may be missed, by the manual.
static int is_caught(int sig)
{
	struct sigaction act;
	return sigaction(sig, NULL, &act) == 0 && act.sa_handler != SIG_IGN &&
	       act.sa_handler != SIG_DFL;
}

static void set_handler(struct random *random, int sig)
{
	struct sigaction act;
	memset(&act, 0, sizeof act);
	act.sa_flags = fz_below(random, 2) ? SA_RESTART : 0;
	act.sa_handler = fz_pick_handler(random, &act.sa_flags);
	act.sa_mask = t_set(fz_mask(random));
	sigaction(sig, &act, NULL);
}

static void step(struct random *random)
{
	int sig = fz_signal(random), what = fz_below(random, 8);
	union sigval value = {.sival_int = fz_below(random, 1000)};
	if (what < 5 && (!is_caught(sig) || !fz_may_send(sig)))
		return;
	switch (what) {
	case 0:
		raise(sig);
		break;
	case 1:
		kill(getpid(), sig);
		break;
	case 2:
		sigqueue(getpid(), sig, value);
		break;
	case 3:
	case 4:
		fz_helper_sends(sig);
		break;
	case 5:
		if (sig < 32)
			set_handler(random, sig);
		break;
	case 6:
		if (depth < 4)
			enter();
		break;
	default:
		if (depth > 1)
			leave();
	}
	show("step", sig);
}

void fz_op_section(struct random *random)
{
	int steps = 1 + fz_below(random, 6);
	if (fz_restricted || depth)
		return;
	enter();
	show("section begins", 0);
	for (int i = 0; i < steps; i++)
		step(random);
	while (depth > 1)
		leave();
	fz_clear_errno();
	leave();
	fz_result("section ends");
}
