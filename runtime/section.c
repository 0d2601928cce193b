// SPDX-License-Identifier: MIT
// Entering and leaving a critical section where the inline functions of sigzero.h do not do.
//
// Entering comes here while sigzero_slow is set: while the program has entered too few
// sections for guards to pay (they cost a system call a signal), and for good where our
// handlers cannot be relied on. Then the kernel blocks everything before the count is raised,
// and PEND is set although no signal came, so that leaving comes here too. So in both worlds:
//
// > Where PEND is set in a word whose count is not 0, the kernel blocks SZ_SECTION_MASK.
//
// In a third world the kernel reads the word itself (section_kernel.h). Each thread has to give it
// its own first, so entering comes here for good, without a system call.
#define SIGZERO_INLINE __attribute__((visibility("default")))
#include "section.h"

#include <errno.h>
#include <signal.h>

#include "check.h"
#include "guard.h"
#include "lazy.h"
#include "mask.h"
#include "mode.h"
#include "section_kernel.h"
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
void sz_section_hold(void *caller)
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
static bool guards_would_pay(uint32_t n)
{
	uint32_t enough = 4 * sz_hot_threshold;

	if (sz_section_fell_back() || n < enough)
		return false;
	return n == enough || (n & (n - 1)) == 0;
}

// The store comes first and the look second, and in sz_section_fall_back the other way round:
// whoever is last of the two sees the other's.
static void consider_guards(uint32_t n)
{
	if (!guards_would_pay(n) || !sz_guard_all())
		return;
	sigzero_slow = 0;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (sz_section_fell_back())
		sigzero_slow = 1;
}

static __attribute__((noinline)) void enter_without_kernel(void *caller)
{
	uint32_t n;

	sz_ensure_started();
	sz_section_watch_end();
	if (sz_section_count(SZ_READ(sigzero_self.word)))
		return;
	n = __atomic_add_fetch(&entered, 1, __ATOMIC_RELAXED);
	if (sz_section_give(n))
		return;
	consider_guards(n);
	if (sigzero_slow)
		sz_section_hold(caller);
}

SZ_INTERPOSE void sigzero_enter_slow(void)
{
	if (__builtin_expect(sz_given != SZ_GIVEN_OWN, 0))
		enter_without_kernel(SZ_CALLER);
	else if (sz_section_judge(SZ_READ(sigzero_self.word), SZ_READ(sigzero_self.copy)) >
	         SZ_SECTION_HOLDS)
		sigzero_leave_slow();
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

// The kernel takes the word for UNBLOCK only if it is exactly this. A handler that ran on top of us
// may have asked already.
static void ask_kernel(void)
{
	SZ_READ(sigzero_self.word) = SIGFASTBLOCK_PEND;
	if (sz_sigfastblock(SIGFASTBLOCK_UNBLOCK, NULL) == -EINVAL) {
		sz_given = SZ_GIVEN_OTHER; // taken back behind us
		SZ_READ(sigzero_self.word) = 0;
	}
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
	if (open && sz_given == SZ_GIVEN_OWN)
		ask_kernel();
	else
		SZ_READ(sigzero_self.word) = 0;
	if (open)
		sz_section_open(SZ_CALLER);
}

// Is there a section of which the kernel does not know, or that is in its mask?
static bool in_force(void)
{
	uint32_t *registered = sz_registered;

	if (sz_thread.held)
		return true;
	if (sz_given == SZ_GIVEN_OWN)
		return registered && sz_section_count(SZ_READ(*registered));
	return sz_section_holds() == SZ_SECTION_HOLDS;
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
	loan->words = sz_given == SZ_GIVEN_OWN ? (struct sigzero_section){0, 0} : sigzero_self;
	loan->registered = sz_registered;
	SZ_READ(sz_registered) = NULL;
	if (sz_given != SZ_GIVEN_OWN) {
		SZ_READ(sigzero_self.copy) = 0;
		SZ_READ(sigzero_self.word) = 0;
	}
	deliver(caller);
}

void sz_section_take_back(const struct sz_section_loan *loan, void *caller)
{
	uint32_t count = sz_section_count(loan->words.word);

	if (!loan->lent || lend_in_kernel_only(SIG_BLOCK, SZ_SECTION_MASK))
		return;
	if (count && sigzero_slow)
		sz_section_hold(caller);
	if (count) {
		SZ_READ(sigzero_self.word) |= count;
		SZ_READ(sigzero_self.copy) = 0u - count;
	}
	SZ_READ(sz_registered) = loan->registered;
}

bool sz_section_mask_to_hand_on(sz_set *mask)
{
	if (!in_force())
		return false;
	sz_mask_op(SIG_BLOCK, NULL, mask, SZ_CALLER, SZ_FN_SIGZERO_BLOCK);
	return true;
}

// With the kernel's word V may be unknown in a section, otherwise it is not.
static sz_set mask_of_program(void)
{
	sz_set mask = sz_thread.mask;

	if (sz_given == SZ_GIVEN_OWN && !sz_thread.held)
		sz_mask_op(SIG_BLOCK, NULL, &mask, NULL, SZ_FN_SIGZERO_BLOCK);
	return mask;
}

SZ_INTERPOSE int sigzero_pending_slow(void)
{
	sz_set pending = 0;

	sz_syscall4(SYS_rt_sigpending, (long)&pending, sizeof pending, 0, 0);
	return (pending & ~mask_of_program() & SZ_SECTION_MASK) != 0;
}
