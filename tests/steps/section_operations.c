// SPDX-License-Identifier: MIT
// The operations that use sigzero.h: the target that is linked with the runtime has these
// instead. Before them so many sections were entered that the runtime has gone over to
// holding signals back without a call, but in the first one.
#include <sigzero.h>
#include <string.h>
#include <sys/wait.h>
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

static void pending(void)
{
	sigzero_block();
	note("pending", (uint64_t)sigzero_pending());
	sigzero_unblock();
}

static void vfork_inside(void)
{
	sigzero_block();
	if (vfork() == 0) {
		section();
		_exit(0);
	}
	note("in", usr1_runs);
	sigzero_unblock();
	note("waited", wait(NULL) > 0);
}

// sigfastblock; where it cannot be had the program has to block by itself.

static __thread uint32_t own;
static bool is_registered;

static void register_word(void)
{
	is_registered = sigfastblock(SIGFASTBLOCK_SETPTR, &own) == 0;
}

static uint64_t enter_word(void)
{
	if (!is_registered)
		return block(~(uint64_t)0);
	SIGZERO_ADD(own, SIGFASTBLOCK_INC);
	return 0;
}

static void leave_word(uint64_t mask)
{
	if (!is_registered) {
		set_mask(mask);
		return;
	}
	SIGZERO_ADD(own, -SIGFASTBLOCK_INC);
	if (own == SIGFASTBLOCK_PEND && sigfastblock(SIGFASTBLOCK_UNBLOCK, NULL) < 0)
		_exit(4);
}

static void with_word(void)
{
	uint64_t old = enter_word();

	kill(getpid(), SIGUSR2);
	note("in", usr1_runs << 4 | usr2_runs);
	leave_word(old);
	note("out", usr1_runs << 4 | usr2_runs);
}

static void both(void)
{
	uint64_t old;

	sigzero_block();
	old = enter_word();
	note("in both", usr1_runs);
	leave_word(old);
	note("in", usr1_runs);
	sigzero_unblock();
	note("out", usr1_runs);
}

// A handler may have jumped out of a section of its own, never out of the operation's.
void sections_end(void)
{
	if (sigzero_self.word || sigzero_self.copy || own & ~(uint32_t)SIGFASTBLOCK_PEND)
		fail("the words at the end", sigzero_self.word, own);
	set_mask(0);
	deliver();
	same("after one more section");
}

static const struct operation sections[] = {
	{"section-first", NULL, section},
	{"section", warm, section},
	{"section-nested", warm, nested},
	{"section-twice", warm, twice},
	{"section-blocked", warm, blocked},
	{"section-blocked-inside", warm, blocked_inside},
	{"section-deliver", warm, deliver},
	{"section-pending", warm, pending},
	{"section-vfork", warm, vfork_inside},
	{"section-word", register_word, with_word},
	{"section-both", register_word, both},
};

const struct operation *operation_named(const char *name)
{
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		if (strcmp(sections[i].name, name) == 0)
			return &sections[i];
	return NULL;
}
