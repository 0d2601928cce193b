// SPDX-License-Identifier: MIT
// Entering and leaving a critical section where the inline functions of sigzero.h do not do.
//
// Entering comes here while sigzero_slow is set: while the program has entered too few
// sections for guards to pay (they cost a system call a signal), and for good where our
// handlers cannot be relied on. Then the kernel blocks everything before the count is raised,
// and PEND is set although no signal came, so that leaving comes here too. So in both worlds:
//
// > Where PEND is set in a word whose count is not 0, the kernel blocks SZ_SECTION_MASK.
#define SIGZERO_INLINE __attribute__((visibility("default")))
#include "section.h"

#include <signal.h>

#include "guard.h"
#include "mask.h"
#include "mode.h"
#include "visibility.h"

__thread struct sigzero_section sigzero_self;
volatile unsigned char sigzero_slow = 1;

// So many sections at two system calls each pay for the guards.
#define SECTIONS_BEFORE_GUARDS 32
static uint32_t entered;
static uint32_t fallen_back;

static __thread bool holding;  // the kernel blocks everything,
static __thread sz_set before; // and the program this

static void hold(void *caller)
{
	sz_set everything = SZ_SECTION_MASK;

	sz_mask_op(SIG_BLOCK, &everything, &before, caller, SZ_FN_SIGZERO_BLOCK);
	holding = true;
	SZ_READ(sigzero_self.word) |= SIGFASTBLOCK_PEND;
}

static void deliver(void *caller)
{
	sz_set mask = before;

	// A signal that arrived made the kernel block everything; the program's mask is as it was.
	if (sz_thread.held) {
		sz_thread.held = 0;
		sz_thread.held_since = 0;
		sz_flush();
	}
	if (!holding)
		return;
	holding = false;
	sz_mask_op(SIG_SETMASK, &mask, NULL, caller, SZ_FN_SIGZERO_UNBLOCK);
}

void sz_section_fall_back(void)
{
	__atomic_store_n(&fallen_back, 1, __ATOMIC_SEQ_CST);
	sigzero_slow = 1;
}

// The store comes first and the look second, and in sz_section_fall_back the other way round:
// whoever is last of the two sees the other's.
static void consider_guards(void)
{
	if (__atomic_add_fetch(&entered, 1, __ATOMIC_RELAXED) != SECTIONS_BEFORE_GUARDS ||
	    !sz_guard_all())
		return;
	sigzero_slow = 0;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&fallen_back, __ATOMIC_SEQ_CST))
		sigzero_slow = 1;
}

SZ_INTERPOSE void sigzero_enter_slow(void)
{
	sz_ensure_started();
	sz_section_watch_end();
	if (!sz_section_count(SZ_READ(sigzero_self.word))) {
		consider_guards();
		if (sigzero_slow)
			hold(SZ_CALLER);
	}
	SIGZERO_ADD(sigzero_self.word, SIGFASTBLOCK_INC);
	SIGZERO_ADD(sigzero_self.copy, -SIGFASTBLOCK_INC);
}

void sz_section_open(void *caller)
{
	uint32_t *registered = sz_registered;

	if (sz_section_count(SZ_READ(sigzero_self.word)))
		SZ_READ(sigzero_self.word) |= SIGFASTBLOCK_PEND;
	else if (registered && sz_section_count(SZ_READ(*registered)))
		SZ_READ(*registered) |= SIGFASTBLOCK_PEND;
	else
		deliver(caller);
}

// Both words start again from 0, since nobody knows which of them is right; and whatever the
// kernel blocks for us goes, or the program would be immune to ^C.
SZ_INTERPOSE void sigzero_leave_slow(void)
{
	enum sz_section_state state = sz_section_judge(SZ_READ(sigzero_self.word),
	                                               SZ_READ(sigzero_self.copy));
	bool open = state != SZ_SECTION_NONE || SZ_READ(sigzero_self.word) & SIGFASTBLOCK_PEND;

	if (state == SZ_SECTION_HOLDS)
		return;
	if (state != SZ_SECTION_NONE)
		sz_section_report(state);
	SZ_READ(sigzero_self.copy) = 0;
	SZ_READ(sigzero_self.word) = 0;
	if (open)
		sz_section_open(SZ_CALLER);
}

SZ_INTERPOSE int sigzero_pending_slow(void)
{
	sz_set pending = 0;

	sz_syscall4(SYS_rt_sigpending, (long)&pending, sizeof pending, 0, 0);
	return (pending & ~before & SZ_SECTION_MASK) != 0;
}
