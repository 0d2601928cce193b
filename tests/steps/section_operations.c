// SPDX-License-Identifier: MIT
// The operations that use sigzero.h: the target that is linked with the runtime has these
// instead. Before them so many sections were entered that the runtime has gone over to
// holding signals back without a call, but in the first.
#include <string.h>
#include <sigzero.h>
#include <unistd.h>

#include "target.h"

static void warm(void)
{
	for (int i = 0; i < 64; i++) {
		sigzero_block();
		sigzero_unblock();
	}
}

void enter_section(void)
{
	sigzero_block();
	kill(getpid(), SIGUSR2);
	note("in", usr2_runs);
	sigzero_unblock();
	note("out", usr2_runs);
}

static void section(void)
{
	sigzero_block();
	note("in", usr1_runs);
	sigzero_unblock();
	note("out", usr1_runs);
}

static void nested(void)
{
	sigzero_block();
	sigzero_block();
	note("in", usr1_runs);
	sigzero_unblock();
	note("still in", usr1_runs);
	sigzero_unblock();
	note("out", usr1_runs);
}

static void twice(void)
{
	section();
	section();
}

static void blocked(void)
{
	uint64_t old = block(BIT(SIGUSR1));

	section();
	note("mask", same("in the operation"));
	set_mask(old);
	note("open", usr1_runs);
}

static void blocked_inside(void)
{
	sigzero_block();
	block(BIT(SIGUSR1));
	sigzero_unblock();
	note("mask", same("in the operation"));
	unblock(BIT(SIGUSR1));
	note("open", usr1_runs);
}

static void deliver(void)
{
	sigzero_block();
	kill(getpid(), SIGUSR2);
	note("in", usr2_runs);
	sigzero_unblock();
	note("out", usr2_runs);
}

// sigfastblock; where it cannot be had the program has to block by itself.

static uint32_t own;
static bool is_registered;

static void registered_prepare(void)
{
	is_registered = sigfastblock(SIGFASTBLOCK_SETPTR, &own) == 0;
}

static void registered(void)
{
	uint64_t old = 0;

	if (is_registered)
		SIGZERO_ADD(own, SIGFASTBLOCK_INC);
	else
		old = block(~(uint64_t)0);
	note("in", usr1_runs);
	if (!is_registered)
		set_mask(old);
	else
		SIGZERO_ADD(own, -SIGFASTBLOCK_INC);
	if (own == SIGFASTBLOCK_PEND && sigfastblock(SIGFASTBLOCK_UNBLOCK, NULL) < 0)
		_exit(4);
	note("out", usr1_runs);
}

static const struct operation sections[] = {
	{"section-first", NULL, section},
	{"section", warm, section},
	{"section-nested", warm, nested},
	{"section-twice", warm, twice},
	{"section-blocked", warm, blocked},
	{"section-blocked-inside", warm, blocked_inside},
	{"section-deliver", warm, deliver},
	{"section-registered", registered_prepare, registered},
};

const struct operation *operation_named(const char *name)
{
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		if (strcmp(sections[i].name, name) == 0)
			return &sections[i];
	return NULL;
}
