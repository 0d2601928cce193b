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
MARK(sz_returning);
MARK(sz_returned);
MARK(sz_mask_call_start);
MARK(sz_mask_commit);
MARK(sz_mask_committed);
MARK(sz_mask_lazy_start);
MARK(sz_mask_lazy_done);
MARK(sz_vfork_copying);
MARK(sz_vfork_calling);
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

// A signal that was delivered, and what the wrapper works with.
struct delivery {
	ucontext_t *uc;
	int sig;
	int record;
	const siginfo_t *info;
	greg_t *where; // the registers of its wrapper, if that was interrupted
};

// What `regs` were interrupted in, if it is an arrival that has not happened yet.
INLINE bool interrupted_arrival(greg_t *regs, struct delivery *d)
{
	uintptr_t rip = (uintptr_t)regs[REG_RIP];

	if (!not_yet_arrived(rip))
		return false;
	if (IN(rip, sz_entries, sz_arrival_restart)) {
		if (regs[REG_RDX] != regs[REG_RSP] + 8)
			return false; // called as a function
		d->uc = (ucontext_t *)regs[REG_RDX];
		d->sig = (int)regs[REG_RDI];
		d->info = (const siginfo_t *)regs[REG_RSI];
		d->record = sz_record_of_entry(rip);
		if (d->record == SZ_NO_RECORD)
			d->record = sz_guard_of_entry(rip);
		if (d->record == SZ_NO_RECORD)
			d->record = (int)(uint32_t)regs[REG_RCX];
	} else {
		d->uc = (ucontext_t *)regs[REG_RBX];
		d->sig = (int)regs[REG_R12];
		d->info = (const siginfo_t *)regs[REG_R13];
		d->record = (int)regs[REG_R14];
	}
	d->where = regs;
	return true;
}

INLINE void commit_for(const struct sz_arrival *a)
{
	SZ_READ(sz_thread.mask) = a->mask;
	SZ_READ(sz_thread.kernel) = a->kernel;
	SZ_READ(sz_thread.known) = a->known;
	SZ_READ(sz_thread.promoting) = a->promoting;
}

INLINE void leave_again(const struct sz_arrival *a)
{
	SZ_READ(sz_thread.mask) = a->left_mask;
	SZ_READ(sz_thread.kernel) = a->left_kernel;
	SZ_READ(sz_thread.known) = a->left_known;
}

INLINE void both_are(sz_set truth)
{
	SZ_READ(sz_thread.mask) = truth;
	SZ_READ(sz_thread.kernel) = truth;
	SZ_READ(sz_thread.known) = sz_remember;
}

// What vfork.S is about to do, from the same registers.
INLINE void restore_after_vfork(const greg_t *regs, const struct _libc_fpstate *fp)
{
	sz_thread.vfork_child = (uint32_t)regs[REG_RSI];
	sz_thread.held = (uint32_t)(regs[REG_RSI] >> 32);
	sigzero_self.word = (uint32_t)regs[REG_RDX];
	sigzero_self.copy = (uint32_t)(regs[REG_RDX] >> 32);
	sz_registered = (uint32_t *)(fp->_xmm[0].element[0] |
	                             (uintptr_t)fp->_xmm[0].element[1] << 32);
}

// What a signal interrupted, but for arrivals. May be done again.
INLINE void repair(ucontext_t *uc, sz_set truth)
{
	greg_t *regs = uc->uc_mcontext.gregs;
	uintptr_t rip = (uintptr_t)regs[REG_RIP];

	if (IN(rip, sz_arrival_commit, sz_arrival_done)) {
		commit_for(sz_arrival_of((void *)regs[REG_RBX]));
		resume_at(regs, sz_arrival_done);
	} else if (IN(rip, sz_return, sz_returned)) {
		if (IN(rip, sz_returning, sz_returned))
			leave_again(sz_arrival_of((void *)regs[REG_RBX]));
		resume_at(regs, sz_return);
	} else if (IN(rip, sz_mask_lazy_start, sz_mask_lazy_done)) {
		resume_at(regs, sz_mask_lazy_start);
	} else if (IN(rip, sz_mask_call_start, sz_mask_commit)) {
		resume_at(regs, sz_mask_call_start);
	} else if (IN(rip, sz_mask_commit, sz_mask_committed) && regs[REG_RAX] == 0) {
		both_are(truth);
		regs[REG_R10] = 0;
		resume_at(regs, sz_mask_committed);
	} else if (IN(rip, sz_vfork_copying, sz_vfork_returned)) {
		if (rip == (uintptr_t)sz_vfork_calling)
			sz_thread.vfork_child = (uint32_t)regs[REG_RSI];
		resume_at(regs, sz_vfork_copying);
	} else if (IN(rip, sz_vfork_returned, sz_vfork_restored) && regs[REG_RAX] != 0) {
		restore_after_vfork(regs, uc->uc_mcontext.fpregs);
		both_are(truth);
		resume_at(regs, sz_vfork_restored);
	}
}

// Raised by the instruction that was interrupted: it cannot be held back.
INLINE bool is_fault(int sig, const siginfo_t *info)
{
	return info->si_code > 0 && SZ_BIT(sig) & SZ_FAULTS;
}

// libc's abort means to end the process. In a section that blocks for real it has opened SIGABRT
// before, and there may be no siginfo.
INLINE bool is_abort(int sig, const siginfo_t *info)
{
	return sig == SIGABRT && (sz_thread.held || info->si_code == SI_TKILL);
}

// The registered word is gone: its fault is ours, in a read of section.h.
INLINE void look_for_lost_word(const struct delivery *d)
{
	uintptr_t rip = (uintptr_t)d->uc->uc_mcontext.gregs[REG_RIP];

	if (SZ_BIT(d->sig) & (SZ_BIT(SIGSEGV) | SZ_BIT(SIGBUS)) && d->info->si_code > 0 &&
	    IN(rip, __start_sz_entry, __stop_sz_entry))
		sz_section_lost_word((uintptr_t)d->info->si_addr);
}

// What the interrupted code believes. Where what it believes of the kernel is true, that is
// simply V; also in the wrapper of a signal that is being held back, which leaves V alone.
INLINE void look_back(const struct delivery *d, struct sz_arrival *a)
{
	sz_set truth = *(const sz_set *)&d->uc->uc_sigmask;
	sz_set lazily = sz_thread.known ? sz_thread.mask & ~sz_thread.kernel & ~truth : 0;

	a->before_mask = sz_thread.mask;
	a->before_kernel = sz_thread.kernel;
	a->before_known = sz_thread.known;
	a->entry_mask = truth;
	if (SZ_KNOWN == SZ_IS_KNOWN && sz_thread.kernel == truth) {
		a->exit = SZ_EXIT_TRUST;
		a->view = sz_thread.mask;
	} else {
		// libc lowers or raises the mask for a while inside some functions (lckpwdf, …)
		// and puts it back without us: what uc_sigmask says then does not last.
		a->exit = lazily ? SZ_EXIT_FOREIGN : SZ_EXIT_FORGET;
		a->view = truth | lazily;
	}
	// A call that swaps the mask while it waits (sigsuspend, ppoll, …) has the kernel add
	// ours to the mask it swapped in, of which uc_sigmask says nothing. Such a call ends with
	// -EINTR; nothing is blocked lazily then.
	a->known = sz_remember;
	if (lazily)
		a->known = 1;
	else if (d->uc->uc_mcontext.gregs[REG_RAX] == -EINTR)
		a->known = 0;
	a->details = (uint8_t)sz_section_holds();
}

INLINE bool is_held_back(const struct delivery *d, const struct sz_arrival *a)
{
	if (a->details == SZ_SECTION_HOLDS && !is_abort(d->sig, d->info))
		return true;
	return (a->view & ~a->entry_mask) & SZ_BIT(d->sig);
}

// Linux ends or restarts a call for the first signal only. Where that one's handler has run, and
// the call is about to be made again, nobody may take it for one that was interrupted.
INLINE void call_was_looked_at(greg_t *regs)
{
	if (regs[REG_RCX] == regs[REG_RIP] + 2 &&
	    *(const uint16_t *)regs[REG_RIP] == SZ_SYSCALL_INSTRUCTION)
		regs[REG_RCX] = 0;
}

INLINE void look_ahead(const struct delivery *d, struct sz_arrival *a)
{
	const struct sz_handler_record *r =
		&sz_handler_records[sz_guard_record(d->sig, d->record)];
	const struct sz_handler_record *shape =
		&sz_handler_records[sz_guard_shape(d->sig, d->record)];
	sz_set own = (shape->mask | (shape->flags & SA_NODEFER ? 0 : SZ_BIT(d->sig))) &
	             ~SZ_UNBLOCKABLE;
	bool held = is_held_back(d, a), fault = is_fault(d->sig, d->info);

	a->kernel = a->entry_mask | own;
	a->mask = a->view | own;
	a->previous = sz_thread.promoting;
	a->promoting = a->previous;
	// Also where the restart is that of a guard below us.
	if ((d->record >= SZ_GUARD_RECORD || a->previous) && !(r->flags & SA_RESTART))
		a->details |= SZ_ARRIVAL_GIVE_BACK;
	a->ours = 1;
	if (held && !fault) {
		a->handler = (uintptr_t)sz_promote;
		a->mask = a->view;
		a->promoting = (uintptr_t)d->uc;
	} else if (held || r->handler == (uintptr_t)SIG_DFL) {
		a->handler = (uintptr_t)sz_default_action;
	} else {
		a->handler = r->handler;
		a->ours = 0;
		if (!(a->details & SZ_ARRIVAL_GIVE_BACK))
			call_was_looked_at(d->uc->uc_mcontext.gregs);
	}
	a->special = a->details > SZ_SECTION_HOLDS || a->previous || a->kernel & ~a->mask;
}

// Another signal may have come before the wrapper of an earlier one got far. Then that one's
// arrival is finished first, so that we find the state of something that has arrived, and a
// guard among them stands for what it did when the kernel chose it. Each pass does the lowest
// that is left; `uc` is ours when it is the last.
__attribute__((section("sz_entry"), used, noinline, no_stack_protector,
               optimize("no-tree-loop-distribute-patterns"))) void
sz_arrival_prepare(int sig, ucontext_t *uc, int record)
{
	bool ends = false;

	for (;;) {
		struct delivery d = {uc, sig, record, (const siginfo_t *)sz_keep_info, NULL};
		struct sz_arrival *a;

		look_for_lost_word(&d);
		while (interrupted_arrival(d.uc->uc_mcontext.gregs, &d))
			;
		repair(d.uc, *(const sz_set *)&d.uc->uc_sigmask);
		a = sz_arrival_of(d.uc);
		look_back(&d, a);
		look_ahead(&d, a);
		if (ends && (!a->ours || a->handler == (uintptr_t)sz_default_action)) {
			a->handler = (uintptr_t)sz_yield;
			a->ours = 1;
		}
		if (!d.where)
			return;
		// Nothing on top of this one runs before the end.
		ends |= a->handler == (uintptr_t)sz_default_action && !(SZ_BIT(d.sig) & SZ_STOPS);
		d.where[REG_RBX] = (greg_t)d.uc;
		d.where[REG_R12] = d.sig;
		d.where[REG_R13] = (greg_t)d.info;
		d.where[REG_R14] = d.record;
		resume_at(d.where, sz_arrival_commit);
	}
}
