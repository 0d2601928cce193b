// SPDX-License-Identifier: MIT
// What to make of the moment at which a signal arrived. The kernel wrote the mask of the
// interrupted code into uc_sigmask: that is the truth, whatever we remember. Five windows
// need a repair, because the code in them is about to write what it no longer knows; each
// is described where it is (x86_64/mask_call.S, handler.S, vfork.S).
//
// This runs before the arrival has happened, so it must be safe to run again from the start,
// and all of it must lie in the section sz_entry, by which a signal on top recognizes it: no
// calls to anything outside.
#define _GNU_SOURCE
#include "arrival.h"

#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#include "handler_record.h"
#include "mode.h"
#include "thread_state.h"

// The wrapper starts again from what these hold, wherever in here it was interrupted: the
// compiler must leave them alone in this file.
register long sz_keep_uc __asm__("rbx");
register long sz_keep_sig __asm__("r12");
register long sz_keep_info __asm__("r13");
register long sz_keep_record __asm__("r14");

#define MARK(name) extern const char name[] __attribute__((visibility("hidden")))
MARK(sz_arrival_restart);
MARK(sz_arrival_done);
MARK(sz_return);
MARK(sz_returned);
MARK(sz_mask_commit);
MARK(sz_mask_committed);
MARK(sz_vfork_copying);
MARK(sz_vfork_returned);
MARK(sz_vfork_restored);
MARK(__start_sz_entry);
MARK(__stop_sz_entry);

#define IN(rip, start, end) ((rip) - (uintptr_t)(start) < (uintptr_t)(end) - (uintptr_t)(start))

// The last word of a repair: a signal on top makes us start again, and then the rest must
// have been done.
static inline __attribute__((always_inline)) void resume_at(greg_t *regs, const char *label)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	regs[REG_RIP] = (greg_t)label;
}

static inline __attribute__((always_inline)) enum sz_exit repair(greg_t *regs, sz_set truth)
{
	uintptr_t rip = (uintptr_t)regs[REG_RIP];

	if (IN(rip, sz_entries, sz_arrival_done) || IN(rip, __start_sz_entry, __stop_sz_entry)) {
		if (!IN(rip, sz_entries, sz_arrival_restart))
			resume_at(regs, sz_arrival_restart);
		return SZ_EXIT_RESTORE;
	}
	if (IN(rip, sz_return, sz_returned)) {
		resume_at(regs, sz_return);
		return SZ_EXIT_TRUST;
	}
	if (IN(rip, sz_mask_commit, sz_mask_committed) && regs[REG_RAX] == 0) {
		regs[REG_R10] = 0;
		resume_at(regs, sz_mask_committed);
		return SZ_EXIT_TRUST;
	}
	if (IN(rip, sz_vfork_copying, sz_vfork_returned))
		regs[REG_R10] = 0;
	if (IN(rip, sz_vfork_returned, sz_vfork_restored) && regs[REG_RAX] != 0) {
		sz_thread.vfork_child = (uint32_t)regs[REG_RSI];
		resume_at(regs, sz_vfork_restored);
		return SZ_EXIT_TRUST;
	}
	// libc lowers or raises the mask for a while inside some functions (system, …) and
	// puts it back without us: what uc_sigmask says then does not last.
	if (SZ_KNOWN != SZ_IS_KNOWN || sz_thread.mask != truth)
		return SZ_EXIT_FORGET;
	return SZ_EXIT_TRUST;
}

__attribute__((section("sz_entry"), used, noinline, no_stack_protector,
               optimize("no-tree-loop-distribute-patterns"))) void
sz_arrival_prepare(int sig, ucontext_t *uc, int record, struct sz_arrival *arrival)
{
	const struct sz_handler_record *r = &sz_handler_records[record];
	greg_t *regs = uc->uc_mcontext.gregs;
	sz_set truth = *(const sz_set *)&uc->uc_sigmask;

	arrival->handler = r->handler;
	arrival->entry_mask = truth;
	arrival->saved_mask = sz_thread.mask;
	arrival->saved_known = sz_thread.known;
	arrival->saved_ask = 0;

	arrival->mask = (truth | r->mask | (r->flags & SA_NODEFER ? 0 : SZ_BIT(sig))) &
	                ~SZ_UNBLOCKABLE;
	// A call that swaps the mask while it waits (sigsuspend, ppoll, …) has the kernel add
	// ours to the mask it swapped in, of which uc_sigmask says nothing. Such a call ends with
	// -EINTR. And an arrival on top of us may have edited the mask we started with.
	arrival->known = regs[REG_RAX] == -EINTR || sz_thread.ask ? 0 : sz_remember;

	arrival->exit = repair(regs, truth);
	if (arrival->exit == SZ_EXIT_RESTORE)
		arrival->saved_ask = sz_thread.ask;
}
