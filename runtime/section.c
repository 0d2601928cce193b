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

#include "check.h"
#include "guard.h"
#include "lazy.h"
#include "mask.h"
#include "mode.h"
#include "visibility.h"
#include "watch.h"
#include "written.h"

__thread struct sigzero_section sigzero_self;
volatile unsigned char sigzero_slow = 1;

extern uint8_t sz_forward_contexts __attribute__((visibility("hidden")));

SZ_WRITTEN static uint32_t entered;
static uint32_t fallen_back;

static void exchanged(long result)
{
	if (result > 0)
		sz_step_aside("the signal mask was changed without libc");
	if (sz_checking)
		sz_check_mask();
}

// From the call on nothing arrives, so what follows is not interrupted. The program's mask is as
// it was.
static void hold(void *caller)
{
	sz_set everything = SZ_SECTION_MASK, before = 0;
	bool known = SZ_KNOWN == SZ_IS_KNOWN, behind_us;
	long result = sz_kernel_change_mask(SIG_BLOCK, &everything, &before);

	if (sz_mode == SZ_WATCH)
		sz_watch_mask(SZ_FN_SIGZERO_BLOCK, caller, result, SIG_BLOCK, &everything, before);
	behind_us = known && (before ^ sz_thread.kernel) & ~SZ_LIBC_INTERNAL;
	if (!known || behind_us)
		sz_thread.mask = before;
	sz_thread.kernel = before | everything;
	sz_thread.held = 1;
	SZ_READ(sigzero_self.word) |= SIGFASTBLOCK_PEND;
	exchanged(behind_us);
}

static void deliver(void *caller)
{
	sz_set mask = sz_thread.mask, before;
	long result;

	if (!sz_thread.held)
		return;
	sz_thread.held = 0;
	sz_thread.held_since = 0;
	result = sz_mask_call(SIG_SETMASK, &mask, &before, NULL);
	if (sz_mode == SZ_WATCH)
		sz_watch_mask(SZ_FN_SIGZERO_UNBLOCK, caller, result, SIG_SETMASK, &mask, before);
	exchanged(result);
}

void sz_section_fall_back(void)
{
	__atomic_store_n(&fallen_back, 1, __ATOMIC_SEQ_CST);
	sigzero_slow = 1;
}

bool sz_section_fell_back(void)
{
	return __atomic_load_n(&fallen_back, __ATOMIC_SEQ_CST);
}

// Guards cost up to two calls a signal, once; a section that blocks for real costs two each time.
// If it fails it is tried again ever more rarely: it may have been a child of vfork that tried.
static bool guards_would_pay(void)
{
	uint32_t n = __atomic_add_fetch(&entered, 1, __ATOMIC_RELAXED);
	uint32_t enough = 4 * sz_hot_threshold;

	if (sz_section_fell_back() || n < enough)
		return false;
	return n == enough || (n & (n - 1)) == 0;
}

// The store comes first and the look second, and in sz_section_fall_back the other way round:
// whoever is last of the two sees the other's.
static void consider_guards(void)
{
	if (!guards_would_pay() || !sz_guard_all())
		return;
	sigzero_slow = 0;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (sz_section_fell_back())
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
	sz_section_watch_end();
	sz_section_report(state);
	SZ_READ(sigzero_self.copy) = 0;
	SZ_READ(sigzero_self.word) = 0;
	if (open)
		sz_section_open(SZ_CALLER);
}

static bool in_force(void)
{
	return sz_section_holds() == SZ_SECTION_HOLDS || sz_thread.held;
}

// Where vfork is libc's own a child must leave no trace in our memory.
static bool lend_in_kernel_only(int how, sz_set mask)
{
	if (!sz_forward_contexts)
		return false;
	if (sz_thread.held)
		sz_kernel_change_mask(how, &mask, 0);
	return true;
}

void sz_section_lend(struct sz_section_loan *loan, void *caller)
{
	loan->lent = in_force();
	if (!loan->lent || lend_in_kernel_only(SIG_SETMASK, sz_thread.mask))
		return;
	loan->words = sigzero_self;
	loan->registered = sz_registered;
	SZ_READ(sz_registered) = NULL;
	SZ_READ(sigzero_self.copy) = 0;
	SZ_READ(sigzero_self.word) = 0;
	deliver(caller);
}

void sz_section_take_back(const struct sz_section_loan *loan, void *caller)
{
	uint32_t count = sz_section_count(loan->words.word);

	if (!loan->lent || lend_in_kernel_only(SIG_BLOCK, SZ_SECTION_MASK))
		return;
	if (count && sigzero_slow)
		hold(caller);
	SZ_READ(sigzero_self.word) |= count;
	SZ_READ(sigzero_self.copy) = 0u - count;
	SZ_READ(sz_registered) = loan->registered;
}

bool sz_section_mask_to_hand_on(sz_set *mask)
{
	if (!in_force())
		return false;
	sz_mask_op(SIG_BLOCK, NULL, mask, SZ_CALLER, SZ_FN_SIGZERO_BLOCK);
	return true;
}

SZ_INTERPOSE int sigzero_pending_slow(void)
{
	sz_set pending = 0;

	sz_syscall4(SYS_rt_sigpending, (long)&pending, sizeof pending, 0, 0);
	return (pending & ~sz_thread.mask & SZ_SECTION_MASK) != 0;
}
