// SPDX-License-Identifier: MIT
// What to make of the moment at which a signal arrived. The kernel wrote the mask of the
// interrupted code into uc_sigmask: that is the truth, whatever we remember. The windows in
// which code is about to write what it no longer knows need a repair; each is described where
// it is (x86_64/mask_call.S, handler.S, vfork.S).
//
// This runs before the arrival has happened, so it must be safe to run again from the start,
// and all of it must lie in the section sz_entry, by which a signal on top recognizes it: no
// calls to anything outside.
#define _GNU_SOURCE
#include "arrival.h"

#include <errno.h>

#include "guard.h"
#include "handler_record.h"
#include "mode.h"
#include "section.h"
#include "thread_state.h"

// The wrapper starts again from what these hold, wherever in here it was interrupted: the
// compiler must leave them alone in this file.
register long sz_keep_uc __asm__("rbx");
register long sz_keep_sig __asm__("r12");
register long sz_keep_info __asm__("r13");
register long sz_keep_record __asm__("r14");

#define MARK(name) extern const char name[] __attribute__((visibility("hidden")))
MARK(sz_arrival_restart);
MARK(sz_arrival_commit);
MARK(sz_arrival_done);
MARK(sz_return);
MARK(sz_returned);
MARK(sz_mask_call_start);
MARK(sz_mask_commit);
MARK(sz_mask_committed);
MARK(sz_mask_lazy_start);
MARK(sz_mask_lazy_done);
MARK(sz_vfork_copying);
MARK(sz_vfork_returned);
MARK(sz_vfork_restored);
MARK(__start_sz_entry);
MARK(__stop_sz_entry);

#define IN(rip, start, end) ((rip) - (uintptr_t)(start) < (uintptr_t)(end) - (uintptr_t)(start))
#define INLINE static inline __attribute__((always_inline))

// The last word of a repair: a signal on top makes us start again, and then the rest must
// have been done.
INLINE void resume_at(greg_t *regs, const char *label)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	regs[REG_RIP] = (greg_t)label;
}

INLINE bool not_yet_arrived(uintptr_t rip)
{
	return IN(rip, sz_entries, sz_arrival_commit) ||
	       IN(rip, __start_sz_entry, __stop_sz_entry);
}

// The number of an entry, and above it the record that it stood for at delivery, plus 1.
INLINE greg_t settled(int sig, greg_t number)
{
	if (number >> 32)
		return number;
	return number | (greg_t)(sz_guard_record(sig, (int)number) + 1) << 32;
}

// The arrivals below us have not happened yet. The kernel chose their dispositions when it
// delivered them, so a guard among them is looked up now, before a handler on top may change
// what it stands for. Their ucontexts form a chain. Returns the first.
INLINE uintptr_t settle_below(greg_t *regs)
{
	uintptr_t first = 0;

	for (;;) {
		uintptr_t rip = (uintptr_t)regs[REG_RIP];

		if (!not_yet_arrived(rip))
			return first;
		if (IN(rip, sz_entries, sz_arrival_restart)) {
			int record = sz_record_of_entry(rip);

			if ((uintptr_t)regs[REG_RDX] != (uintptr_t)regs[REG_RSP] + 8)
				return first; // called as a function
			if (record == SZ_NO_RECORD)
				record = sz_guard_of_entry(rip);
			if (record == SZ_NO_RECORD)
				record = (int)(uint32_t)regs[REG_RCX];
			regs[REG_RBX] = regs[REG_RDX];
			regs[REG_R12] = (uint32_t)regs[REG_RDI];
			regs[REG_R13] = regs[REG_RSI];
			regs[REG_R14] = settled((int)regs[REG_RDI], record);
		} else {
			regs[REG_R14] = settled((int)regs[REG_R12], regs[REG_R14]);
		}
		resume_at(regs, sz_arrival_restart);
		if (!first)
			first = (uintptr_t)regs[REG_RBX];
		regs = ((ucontext_t *)regs[REG_RBX])->uc_mcontext.gregs;
	}
}

INLINE void commit_for(uintptr_t uc)
{
	const struct sz_arrival *a = sz_arrival_of((void *)uc);

	SZ_READ(sz_thread.mask) = a->mask;
	SZ_READ(sz_thread.kernel) = a->kernel;
	SZ_READ(sz_thread.known) = a->known;
	if (sz_thread.edited_uc == uc)
		sz_thread.edited_uc = 0;
}

// In this order: an arrival between the two must not take for lazily blocked what is open.
INLINE void both_are(sz_set truth)
{
	SZ_READ(sz_thread.mask) = truth;
	SZ_READ(sz_thread.kernel) = truth;
	SZ_READ(sz_thread.known) = sz_remember;
}

INLINE enum sz_exit repair(greg_t *regs, sz_set truth, uintptr_t *below)
{
	uintptr_t rip = (uintptr_t)regs[REG_RIP];

	if (not_yet_arrived(rip)) {
		*below = settle_below(regs);
		return SZ_EXIT_RESTORE;
	}
	if (IN(rip, sz_arrival_commit, sz_arrival_done)) {
		commit_for((uintptr_t)regs[REG_RBX]);
		resume_at(regs, sz_arrival_done);
		return SZ_EXIT_TRUST;
	}
	if (IN(rip, sz_return, sz_returned)) {
		resume_at(regs, sz_return);
		return SZ_EXIT_TRUST;
	}
	if (IN(rip, sz_mask_lazy_start, sz_mask_lazy_done))
		resume_at(regs, sz_mask_lazy_start);
	if (IN(rip, sz_mask_call_start, sz_mask_commit))
		resume_at(regs, sz_mask_call_start);
	if (IN(rip, sz_mask_commit, sz_mask_committed) && regs[REG_RAX] == 0) {
		both_are(truth);
		regs[REG_R10] = 0;
		resume_at(regs, sz_mask_committed);
		return SZ_EXIT_TRUST;
	}
	if (IN(rip, sz_vfork_copying, sz_vfork_returned))
		regs[REG_R10] = 0;
	if (IN(rip, sz_vfork_returned, sz_vfork_restored) && regs[REG_RAX] != 0) {
		sz_thread.vfork_child = (uint32_t)regs[REG_RSI];
		both_are(truth);
		resume_at(regs, sz_vfork_restored);
		return SZ_EXIT_TRUST;
	}
	// libc lowers or raises the mask for a while inside some functions (lckpwdf, …) and
	// puts it back without us: what uc_sigmask says then does not last.
	if (SZ_KNOWN != SZ_IS_KNOWN || sz_thread.kernel != truth)
		return SZ_EXIT_FORGET;
	return SZ_EXIT_TRUST;
}

// Raised by the instruction that was interrupted: it cannot be held back.
INLINE bool is_fault(int sig, const siginfo_t *info)
{
	return info->si_code > 0 && SZ_BIT(sig) & SZ_FAULTS;
}

// libc's abort means to end the process.
INLINE bool is_abort(int sig, const siginfo_t *info)
{
	return sig == SIGABRT && info->si_code == SI_TKILL;
}

// The registered word is gone: its fault is ours, in a read of section.h.
INLINE void look_for_lost_word(int sig, const siginfo_t *info, uintptr_t rip)
{
	if (SZ_BIT(sig) & (SZ_BIT(SIGSEGV) | SZ_BIT(SIGBUS)) && info->si_code > 0 &&
	    IN(rip, __start_sz_entry, __stop_sz_entry))
		sz_section_lost_word((uintptr_t)info->si_addr);
}

__attribute__((section("sz_entry"), used, noinline, no_stack_protector,
               optimize("no-tree-loop-distribute-patterns"))) void
sz_arrival_prepare(int sig, ucontext_t *uc, int record, struct sz_arrival *arrival)
{
	const siginfo_t *info = (const siginfo_t *)sz_keep_info;
	greg_t *regs = uc->uc_mcontext.gregs;
	sz_set truth = *(const sz_set *)&uc->uc_sigmask, lazily, own;
	const struct sz_handler_record *r, *shape;
	bool guarded = record >= SZ_GUARD_RECORD;

	arrival->below = 0;
	look_for_lost_word(sig, info, (uintptr_t)regs[REG_RIP]);
	arrival->exit = repair(regs, truth, &arrival->below);
	r = &sz_handler_records[(settled(sig, sz_keep_record) >> 32) - 1];
	shape = &sz_handler_records[sz_guard_shape(sig, record)];

	arrival->saved_mask = sz_thread.mask;
	arrival->saved_kernel = sz_thread.kernel;
	arrival->saved_known = sz_thread.known;
	lazily = sz_thread.known ? sz_thread.mask & ~sz_thread.kernel & ~truth : 0;
	if (lazily && arrival->exit == SZ_EXIT_FORGET)
		arrival->exit = SZ_EXIT_FOREIGN;

	own = shape->mask | (shape->flags & SA_NODEFER ? 0 : SZ_BIT(sig));
	arrival->entry_mask = truth;
	arrival->view = truth | lazily;
	arrival->kernel = (truth | own) & ~SZ_UNBLOCKABLE;
	arrival->mask = arrival->kernel | lazily;
	// A call that swaps the mask while it waits (sigsuspend, ppoll, …) has the kernel add
	// ours to the mask it swapped in, of which uc_sigmask says nothing. Such a call ends with
	// -EINTR; nothing is blocked lazily then.
	arrival->known = lazily ? 1 : regs[REG_RAX] == -EINTR ? 0 : sz_remember;
	if (sz_thread.edited_uc == (uintptr_t)uc) {
		arrival->mask = arrival->kernel = sz_thread.edited_mask;
		arrival->known = sz_remember;
	}

	arrival->handler = r->handler;
	arrival->ours = 1;
	arrival->give_back = 0;
	arrival->special = 0;
	arrival->section = (uint8_t)sz_section_holds();
	if (arrival->section == SZ_SECTION_HOLDS && !is_abort(sig, info))
		arrival->handler = (uintptr_t)(is_fault(sig, info) ? sz_default_action : sz_promote);
	else if (lazily & SZ_BIT(sig))
		arrival->handler = (uintptr_t)(is_fault(sig, info) ? sz_default_action : sz_promote);
	else if (r->handler == (uintptr_t)SIG_DFL)
		arrival->handler = (uintptr_t)sz_default_action;
	else {
		arrival->ours = 0;
		arrival->give_back = guarded && !(r->flags & SA_RESTART);
		arrival->special = arrival->give_back | (arrival->section > SZ_SECTION_HOLDS);
	}
}
