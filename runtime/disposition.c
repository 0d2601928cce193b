// SPDX-License-Identifier: MIT
// The table of dispositions: a memory of what the kernel holds, for as long as that is
// certain. Of a guarded signal it says nothing (guard.h). Nobody ever waits here: readers may be handlers that interrupted a writer.
//
// An entry is a ticket and a record, or the number of those who are changing it. Who changes
// a disposition says so in the entry first, then calls the kernel, then puts the record in,
// but only if nobody else was at it in between: then the order in the kernel would not be
// known. Who only asks fills an empty entry if its ticket still stands. So a filled entry
// always is what the kernel has. Who never comes back from a change leaves the entry empty.
#define _GNU_SOURCE
#include "disposition.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/single_threaded.h>

#include "check.h"
#include "guard.h"
#include "handler_record.h"
#include "lazy.h"
#include "mask.h"
#include "mode.h"
#include "section.h"
#include "thread_state.h"
#include "watch.h"
#include "written.h"

extern const char sz_restore_rt[] __attribute__((visibility("hidden")));

#define TICKET ((uint64_t)1 << 32)
#define UNKNOWN 0u
#define CHANGING 0x80000000u // and how many are at it
SZ_WRITTEN static uint64_t table[SZ_SIGNALS + 1]; // ticket << 32 | record + 1, or one of these two

SZ_WRITTEN static uint32_t uncertain[SZ_SIGNALS + 1]; // libc's functions under way that change it

static inline int record_in(uint64_t entry)
{
	return entry & CHANGING ? SZ_NO_RECORD : (int)(uint32_t)entry - 1;
}

static inline uint32_t changes_in(uint64_t entry)
{
	return entry & CHANGING ? (uint32_t)entry & ~CHANGING : 0;
}

static inline uint64_t new_ticket(uint64_t entry, uint32_t changes)
{
	uint64_t ticket = (entry & ~(TICKET - 1)) + TICKET;

	return changes ? ticket | CHANGING | changes : ticket | UNKNOWN;
}

static bool replace(int sig, uint64_t *entry, uint64_t next)
{
	return __atomic_compare_exchange_n(&table[sig], entry, next, false, __ATOMIC_ACQ_REL,
	                                   __ATOMIC_RELAXED);
}

static uint64_t change_begins(int sig)
{
	uint64_t entry = __atomic_load_n(&table[sig], __ATOMIC_RELAXED), next;

	do
		next = new_ticket(entry, changes_in(entry) + 1);
	while (!replace(sig, &entry, next));
	return next;
}

// The record goes in only if nobody began or ended a change since, and nobody is at it.
static void change_ends(int sig, uint64_t begun, int record)
{
	uint64_t entry = begun, next;

	do {
		if (entry == begun && changes_in(begun) == 1)
			next = (entry & ~(TICKET - 1)) | (uint32_t)(record + 1);
		else
			next = new_ticket(entry, changes_in(entry) - 1);
	} while (!replace(sig, &entry, next));
}

void sz_disposition_uncertain(int sig, bool begins)
{
	uint64_t entry = __atomic_load_n(&table[sig], __ATOMIC_RELAXED);

	if (begins)
		__atomic_fetch_add(&uncertain[sig], 1, __ATOMIC_SEQ_CST);
	while (!replace(sig, &entry, new_ticket(entry, changes_in(entry))))
		;
	if (!begins)
		__atomic_fetch_sub(&uncertain[sig], 1, __ATOMIC_SEQ_CST);
	if (begins)
		sz_lazy_suspend(sig);
	else
		sz_lazy_refresh(sig);
}

static bool libc_changes(int sig)
{
	return __atomic_load_n(&uncertain[sig], __ATOMIC_SEQ_CST) != 0;
}

// libc's own two are changed by libc at any time.
static bool may_be_remembered(int sig, const struct sz_kernel_action *act)
{
	return !((uint32_t)act->flags & ~(uint32_t)SZ_STABLE_FLAGS) &&
	       !(SZ_BIT(sig) & SZ_LIBC_INTERNAL) && !libc_changes(sig);
}

// Only what the kernel will say again, word for word, may be remembered: it resets
// SA_RESETHAND by itself, and drops flags that it does not know.
static int record_to_remember(int sig, const struct sz_kernel_action *act)
{
	return may_be_remembered(sig, act) ? sz_record_find(act) : SZ_NO_RECORD;
}

static bool ignores(int sig, const struct sz_kernel_action *act)
{
	if (act->handler == (uintptr_t)SIG_IGN)
		return true;
	return act->handler == (uintptr_t)SIG_DFL &&
	       (sig == SIGCHLD || sig == SIGCONT || sig == SIGURG || sig == SIGWINCH);
}

// Setting an ignored signal to ignored once more throws away one that is pending. One can
// only be pending while some thread blocks it.
static bool may_be_pending(int sig)
{
	if (!__libc_single_threaded)
		return true;
	if (sz_mode == SZ_WATCH)
		return !sz_thread.seen || sz_thread.mask & SZ_BIT(sig);
	return SZ_KNOWN != SZ_IS_KNOWN || SZ_READ(sz_thread.mask) & SZ_BIT(sig);
}

bool sz_disposition_same(const struct sz_kernel_action *a, const struct sz_kernel_action *b)
{
	return a->handler == b->handler && a->mask == b->mask && a->restorer == b->restorer &&
	       (uint32_t)a->flags == (uint32_t)b->flags;
}

bool sz_disposition_remembered(int sig, struct sz_kernel_action *act)
{
	int record;

	if (libc_changes(sig))
		return false;
	if (sz_guard_query(sig, act))
		return true;
	record = record_in(__atomic_load_n(&table[sig], __ATOMIC_ACQUIRE));
	if (record == SZ_NO_RECORD)
		return false;
	sz_record_action(record, act);
	return true;
}

// Can the call be answered from memory? Fills *now with what is remembered.
static bool answered(int sig, const struct sz_kernel_action *act, struct sz_kernel_action *now)
{
	if (sz_thread.vfork_child || !sz_disposition_remembered(sig, now))
		return false;
	if (act && SZ_BIT(sig) & SZ_UNBLOCKABLE)
		return false; // an error, even if nothing would change
	if (!act || (sz_disposition_same(act, now) && !(ignores(sig, act) && may_be_pending(sig))))
		return true;
	return sz_guard_switch(sig, act, now);
}

int sz_disposition_wrap(struct sz_kernel_action *act)
{
	int record;

	if (act->handler == (uintptr_t)SIG_DFL || act->handler == (uintptr_t)SIG_IGN)
		return 0;
	record = sz_record_find(act);
	if (record == SZ_NO_RECORD)
		return -ENOMEM;
	act->handler = sz_record_entry(record);
	return 0;
}

void sz_disposition_unwrap(struct sz_kernel_action *act)
{
	int record = sz_record_of_entry(act->handler);

	if (record == SZ_NO_RECORD)
		return;
	act->handler = sz_handler_records[record].handler;
	act->flags &= ~(uint64_t)SA_SIGINFO; // it may be there for our sake
	act->flags |= sz_handler_records[record].flags & SA_SIGINFO;
}

// Another thread may change it between our look and the kernel's answer.
static void check(int sig, struct sz_kernel_action remembered)
{
	uint64_t entry = __atomic_load_n(&table[sig], __ATOMIC_ACQUIRE);
	int record = record_in(entry);
	struct sz_kernel_action now, kernel;

	if (record == SZ_NO_RECORD || sz_kernel_sigaction(sig, NULL, &kernel) < 0 ||
	    sz_guard_of_entry(kernel.handler) != SZ_NO_RECORD)
		return;
	sz_record_action(record, &now);
	if (__atomic_load_n(&table[sig], __ATOMIC_ACQUIRE) != entry ||
	    !sz_disposition_same(&now, &remembered))
		return;
	if (sz_disposition_wrap(&now) < 0)
		return;
	if (sz_record_of_entry(kernel.handler) != SZ_NO_RECORD && !(now.flags & SA_SIGINFO))
		kernel.flags &= ~(uint64_t)SA_SIGINFO;
	sz_check_disposition(&now, &kernel);
}

// A signal that is blocked lazily must come through us until it is blocked for real. One that is
// handled on the alternate stack never is: while it is blocked the program may take that away.
static void before_change(int sig, const struct sz_kernel_action *act, bool guarded)
{
	if (act->flags & SA_ONSTACK)
		sz_lazy_never(SZ_BIT(sig));
	sz_lazy_suspend(sig);
	if (!guarded && sz_thread.known && sz_thread.mask & ~sz_thread.kernel & SZ_BIT(sig))
		sz_flush();
}

static long change(int sig, const struct sz_kernel_action *act, struct sz_kernel_action *before)
{
	struct sz_kernel_action given = *act;
	bool guarded;
	uint64_t entry;
	long result;

	if (sz_mode == SZ_OFF || sz_mode == SZ_WATCH) {
		entry = change_begins(sig);
		result = sz_kernel_sigaction(sig, act, before);
		if (result == 0 && !sz_guard_removed(sig, before))
			sz_disposition_unwrap(before);
		guarded = false;
	} else if (sz_thread.vfork_child) {
		// Our parent's memory: only the kernel's side is ours.
		entry = change_begins(sig);
		if (sz_disposition_wrap(&given) < 0)
			sz_step_aside("too many different signal handlers");
		result = sz_kernel_sigaction(sig, &given, before);
		if (result == 0 && !sz_guard_decode(sig, before))
			sz_disposition_unwrap(before);
		guarded = true;
	} else {
		guarded = sz_lazy_wants_guard(sig, act) ||
		          (libc_changes(sig) && sz_guard_query(sig, before) &&
		           sz_guard_fits(sig, act));
		before_change(sig, act, guarded);
		if (sz_guard_is_for_all() && !sz_guard_can_be_for_all(sig, act))
			sz_section_fall_back();
		entry = change_begins(sig);
		// Where two are at it, what the guard stood for before could not be told.
		if (changes_in(entry) > 1 && act->handler != (uintptr_t)SIG_DFL)
			guarded = false;
		result = sz_guard_install(sig, act, before, guarded);
		if (__atomic_load_n(&table[sig], __ATOMIC_ACQUIRE) != entry)
			sz_guard_doubt(sig);
		guarded = sz_guard_query(sig, &given);
	}
	change_ends(sig, entry, result == 0 && !guarded ? record_to_remember(sig, act)
	                                                : SZ_NO_RECORD);
	sz_lazy_refresh(sig);
	return result;
}

static long query(int sig, struct sz_kernel_action *before)
{
	uint64_t entry = __atomic_load_n(&table[sig], __ATOMIC_RELAXED);
	long result = sz_kernel_sigaction(sig, NULL, before);

	if (result < 0 || sz_guard_decode(sig, before))
		return result;
	sz_disposition_unwrap(before);
	if ((uint32_t)entry == UNKNOWN && !sz_thread.vfork_child)
		replace(sig, &entry,
		        entry | (uint32_t)(record_to_remember(sig, before) + 1));
	return result;
}

int sz_disposition(int sig, const struct sz_kernel_action *act, struct sz_kernel_action *old,
                   void *caller, enum sz_function fn)
{
	struct sz_kernel_action now, wanted;
	bool known = false;
	long result;

	sz_ensure_started();
	if (sig < 1 || sig > SZ_SIGNALS)
		return -EINVAL;
	if (act) {
		wanted = *act;
		wanted.mask &= ~SZ_UNBLOCKABLE;
		sz_disposition_unwrap(&wanted);
		act = &wanted;
	}
	if (sz_remember || sz_mode == SZ_WATCH)
		known = answered(sig, act, &now);
	if (known && sz_remember) {
		if (sz_mode == SZ_CHECK)
			check(sig, now);
		sz_lazy_saved();
		result = 0;
	} else {
		result = act ? change(sig, act, &now) : query(sig, &now);
		if (sz_mode == SZ_WATCH)
			sz_watch_action(fn, caller, result, sig, act,
			                act && result == 0 && sz_disposition_same(act, &now), known);
	}
	if (result == 0 && old)
		*old = now;
	return (int)result;
}

void sz_disposition_complete(struct sz_kernel_action *act)
{
	act->flags |= SZ_SA_RESTORER;
	act->restorer = (uintptr_t)sz_restore_rt;
}
