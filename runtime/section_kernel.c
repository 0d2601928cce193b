// SPDX-License-Identifier: MIT
// Whether the kernel has sigfastblock(2), and which word it was given. Nothing is asked before a
// process has made sections that block for real, so that others make no call for it. A filter may
// kill for a number that it does not know, and one that was inherited has been seen by nobody: so
// where there is a filter, or where that cannot be read, there is no sigfastblock(2).
#include "section_kernel.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "environment.h"
#include "inherited.h"
#include "lazy.h"
#include "mode.h"
#include "section.h"
#include "written.h"

#define NR_SIGFASTBLOCK 573 // of FreeBSD; free in unpatched kernels

__thread uint32_t sz_given;

extern uint8_t sz_forward_contexts __attribute__((visibility("hidden")));

enum { UNKNOWN, WORKS, NOT_USED };
SZ_WRITTEN static uint8_t state;

long sz_sigfastblock(int command, void *word)
{
	return sz_syscall4(NR_SIGFASTBLOCK, command, (long)word, 0, 0);
}

static bool find_out(void)
{
	return !sz_environment_no_sigfastblock && !sz_inherited_filters() && !sz_filters_tried &&
	       sz_sigfastblock(0, NULL) == -EINVAL; // no such command
}

bool sz_sigfastblock_works(void)
{
	if (SZ_READ(state) == UNKNOWN)
		state = find_out() ? WORKS : NOT_USED;
	return SZ_READ(state) == WORKS;
}

// A child that borrows our memory must not say in it what the kernel knows of the child only. Where
// vfork is libc's own, and where children are not watched, we would not know of one.
static bool may_give(void)
{
	return sz_given == SZ_GIVEN_NOTHING && sz_remember && !sz_forward_contexts &&
	       !sz_thread.vfork_child;
}

bool sz_section_give(uint32_t entered)
{
	long result;

	if (!may_give() || entered < sz_hot_threshold / 4 || !sz_sigfastblock_works())
		return false;
	result = sz_sigfastblock(SIGFASTBLOCK_SETPTR, &sigzero_self.word);
	if (result == 0)
		sz_given = SZ_GIVEN_OWN;
	else if (SZ_READ(sz_given) != SZ_GIVEN_OWN) // a handler may have been here
		sz_given = SZ_GIVEN_OTHER;
	return sz_given == SZ_GIVEN_OWN;
}

// While everything is blocked the kernel does not look at the word.
void sz_section_take_from_kernel(void)
{
	uint32_t word;

	if (sz_given != SZ_GIVEN_OWN || sz_thread.vfork_child)
		return;
	sz_section_before_vfork();
	word = SZ_READ(sigzero_self.word);
	if (sz_section_count(word))
		SZ_READ(sigzero_self.word) = 0;
	sz_given = SZ_GIVEN_OTHER;
	sz_sigfastblock(SIGFASTBLOCK_UNSETPTR, NULL);
	if (sz_section_count(word))
		SZ_READ(sigzero_self.word) = word;
}

void sz_section_without_kernel(void)
{
	state = NOT_USED;
	sz_section_take_from_kernel();
}

void sz_section_before_vfork(void)
{
	if (sz_given == SZ_GIVEN_OWN && sz_section_count(SZ_READ(sigzero_self.word)) &&
	    !sz_thread.held)
		sz_section_hold(NULL);
}
