// SPDX-License-Identifier: MIT
// Whoever makes a change in the kernel first retires the guard that is known, so that a handler
// that comes right after it asks the kernel. And the kernel's answer, which is the action that was exchanged for the new one, says which guard
// was taken away. Who sees that retires it; until then it may still be switched, which then
// happened just before. Who puts one in makes it one that may be switched only if nobody has
// retired it since. A guard that is retired too early only costs system calls. Nobody waits for
// anybody, and who never comes back from a change leaves a guard retired. `current` is a hint
// where to look.
//
// Two that put in the same guard could not tell what the other's stood for. So only one puts one
// in at a time, and the rest do without; who never comes back leaves the signal without.
#define _GNU_SOURCE
#include "guard.h"

#include <errno.h>
#include <stddef.h>

#include "disposition.h"
#include "inherited.h"
#include "lazy.h"
#include "mode.h"
#include "section.h"
#include "thread_state.h"
#include "written.h"

SZ_WRITTEN static uint32_t current[SZ_SIGNALS + 1]; // guard + 1
SZ_WRITTEN static uint8_t putting[SZ_SIGNALS + 1]; // somebody is putting one in
SZ_WRITTEN_LAST struct sz_guard sz_guards[SZ_SIGNALS + 1][SZ_GUARDS];

#define CHANGE ((uint64_t)1 << 32) // one more in the count of changes

#define IGNORED_BY_DEFAULT (SZ_BIT(SIGCHLD) | SZ_BIT(SIGCONT) | SZ_BIT(SIGURG) | SZ_BIT(SIGWINCH))

// What the kernel itself does differently for a handler.
#define SHAPE_FLAGS (SA_ONSTACK | SA_NODEFER | SA_NOCLDSTOP | SA_NOCLDWAIT)

// The first process of a PID namespace is spared default actions. One that was in it once counts
// as such for good; who makes a namespace is not lazy any more (never_lazy.c).
static bool is_init(void)
{
	static uint8_t init; // 0: not asked yet, 1: no, 2: yes

	if (!init)
		init = sz_syscall4(SYS_getpid, 0, 0, 0, 0) == 1 ? 2 : 1;
	return init == 2;
}

static bool ignored_by_default(int sig)
{
	return SZ_BIT(sig) & IGNORED_BY_DEFAULT || is_init();
}

bool sz_guard_fits(int sig, const struct sz_kernel_action *act)
{
	if (act->handler == (uintptr_t)SIG_IGN || SZ_BIT(sig) & (SZ_UNBLOCKABLE | SZ_LIBC_INTERNAL) ||
	    (uint32_t)act->flags & ~(uint32_t)SZ_STABLE_FLAGS)
		return false;
	if (act->handler == (uintptr_t)SIG_DFL)
		return !ignored_by_default(sig);
	return sig < 32;
}

bool sz_guard_same_shape(int record, const struct sz_kernel_action *act)
{
	const struct sz_handler_record *r = &sz_handler_records[record];

	return r->mask == act->mask && !((r->flags ^ act->flags) & SHAPE_FLAGS);
}

// The default action can be stood for in any shape.
static bool can_stand_for(const struct sz_guard *guard, const struct sz_kernel_action *act)
{
	return act->handler == (uintptr_t)SIG_DFL ||
	       sz_guard_same_shape((int)guard->shape - 1, act);
}

static struct sz_kernel_action guard_action(const struct sz_kernel_action *act,
                                            const struct sz_guard *guard, int sig)
{
	struct sz_kernel_action given = *act;

	given.handler = (uintptr_t)sz_guard_entries +
	                (uintptr_t)(guard - sz_guards[sig]) * SZ_ENTRY_SIZE;
	given.flags |= SA_RESTART | SA_SIGINFO; // else siginfo is not filled in
	sz_disposition_complete(&given);
	return given;
}

static bool replace(struct sz_guard *guard, uint64_t *from, uint64_t to)
{
	return __atomic_compare_exchange_n(&guard->stands_for, from, to, false, __ATOMIC_ACQ_REL,
	                                   __ATOMIC_ACQUIRE);
}

static uint64_t load(const struct sz_guard *guard)
{
	return __atomic_load_n(&guard->stands_for, __ATOMIC_ACQUIRE);
}

static int record_in(uint64_t stands_for)
{
	return (int)((uint32_t)stands_for & ~SZ_GUARD_RETIRED) - 1;
}

// The guard in force, if there is one.
static struct sz_guard *guard_of(int sig, uint64_t *stands_for)
{
	uint32_t hint = __atomic_load_n(&current[sig], __ATOMIC_ACQUIRE);
	struct sz_guard *guard;

	if (!hint)
		return NULL;
	guard = &sz_guards[sig][hint - 1];
	*stands_for = load(guard);
	return *stands_for & SZ_GUARD_RETIRED ? NULL : guard;
}

bool sz_guard_query(int sig, struct sz_kernel_action *now)
{
	uint64_t stands_for;

	if (!guard_of(sig, &stands_for))
		return false;
	sz_record_action(record_in(stands_for), now);
	return true;
}

bool sz_guard_switch(int sig, const struct sz_kernel_action *act, struct sz_kernel_action *old)
{
	uint64_t from;
	struct sz_guard *guard = guard_of(sig, &from);
	int record;

	if (!guard || !sz_guard_fits(sig, act) || !can_stand_for(guard, act))
		return false;
	record = sz_record_find(act);
	if (record == SZ_NO_RECORD)
		return false;
	do {
		if (from & SZ_GUARD_RETIRED)
			return false;
		sz_record_action(record_in(from), old);
	} while (!replace(guard, &from, (from & ~(CHANGE - 1)) | (uint32_t)(record + 1)));
	return true;
}

bool sz_guard_decode(int sig, struct sz_kernel_action *kernel)
{
	int guard = sz_guard_of_entry(kernel->handler);

	if (guard == SZ_NO_RECORD)
		return false;
	sz_record_action(sz_guard_record(sig, guard), kernel);
	return true;
}

static void retire(struct sz_guard *guard)
{
	uint64_t from = load(guard);

	while (!replace(guard, &from, (from + CHANGE) | SZ_GUARD_RETIRED))
		;
}

// But for the one that is being put in, which is retired until then.
static void retire_known(int sig, const struct sz_guard *but)
{
	uint64_t stands_for;
	struct sz_guard *guard = guard_of(sig, &stands_for);

	if (guard && guard != but)
		retire(guard);
}

void sz_guard_doubt(int sig)
{
	retire_known(sig, NULL);
}

bool sz_guard_removed(int sig, struct sz_kernel_action *kernel)
{
	int number = sz_guard_of_entry(kernel->handler);

	if (number == SZ_NO_RECORD)
		return false;
	retire(sz_guard_numbered(sig, number));
	return sz_guard_decode(sig, kernel);
}

static struct sz_guard *guard_in_shape(int sig, const struct sz_kernel_action *act, int record)
{
	for (struct sz_guard *guard = sz_guards[sig]; guard < sz_guards[sig] + SZ_GUARDS; guard++) {
		uint32_t none = 0;

		if (__atomic_compare_exchange_n(&guard->shape, &none, (uint32_t)record + 1, false,
		                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
		    sz_guard_same_shape((int)none - 1, act))
			return guard;
	}
	return NULL;
}

// One exchange in the kernel, by which a guard for `act` comes in. What it was exchanged for is
// *old, in the program's words. False, and nothing is done, where there can be no guard now.
static bool put_in(int sig, const struct sz_kernel_action *act, struct sz_kernel_action *old,
                   long *result)
{
	int record = sz_guard_fits(sig, act) ? sz_record_find(act) : SZ_NO_RECORD;
	struct sz_guard *guard;
	struct sz_kernel_action given;
	uint64_t from, waiting;
	int before;

	guard = record == SZ_NO_RECORD ? NULL : guard_in_shape(sig, act, record);
	if (!guard || __atomic_exchange_n(&putting[sig], 1, __ATOMIC_ACQUIRE))
		return false;
	given = guard_action(act, guard, sig);
	from = load(guard);
	do
		waiting = ((from + CHANGE) & ~(CHANGE - 1)) | SZ_GUARD_RETIRED |
		          (uint32_t)(record + 1);
	while (!replace(guard, &from, waiting));
	before = record_in(from);
	retire_known(sig, guard);
	*result = sz_kernel_sigaction(sig, &given, old);
	if (*result < 0)
		goto out;
	if (old->handler == given.handler)
		sz_record_action(before, old);
	else if (!sz_guard_removed(sig, old))
		sz_disposition_unwrap(old);
	__atomic_store_n(&current[sig], (uint32_t)(guard - sz_guards[sig]) + 1, __ATOMIC_RELEASE);
	replace(guard, &waiting, waiting & ~(uint64_t)SZ_GUARD_RETIRED);
out:
	__atomic_store_n(&putting[sig], 0, __ATOMIC_RELEASE);
	return true;
}

// Sections rely on guards, and here is none: the next ones block for real. One that is in force
// still needs siginfo, to send the signal again; but what SA_RESETHAND resets keeps its flags.
static void for_sections_too(struct sz_kernel_action *given)
{
	sz_section_fall_back();
	if (sz_record_of_entry(given->handler) != SZ_NO_RECORD && !(given->flags & SA_RESETHAND))
		given->flags |= SA_SIGINFO;
}

long sz_guard_install(int sig, const struct sz_kernel_action *act, struct sz_kernel_action *old,
                      bool guarded)
{
	struct sz_kernel_action given = *act, replaced;
	bool for_sections = sz_guard_wanted_for_all();
	long result;

	if (guarded && put_in(sig, act, old, &result))
		return result;
	if (sz_disposition_wrap(&given) < 0)
		sz_step_aside("too many different signal handlers");
	if (for_sections)
		for_sections_too(&given);
	retire_known(sig, NULL);
	result = sz_kernel_sigaction(sig, &given, old);
	if (result == 0 && !sz_guard_removed(sig, old))
		sz_disposition_unwrap(old);
	// Somebody who covers all signals may have been here before our exchange.
	if (result == 0 && !for_sections && sz_guard_wanted_for_all()) {
		for_sections_too(&given);
		if (sz_kernel_sigaction(sig, &given, &replaced) == 0)
			sz_guard_removed(sig, &replaced);
	}
	return result;
}

bool sz_guard_cover(int sig, const struct sz_kernel_action *now)
{
	struct sz_kernel_action old, covered;
	long result;

	if (!put_in(sig, now, &old, &result) || result < 0)
		return false;
	if (sz_disposition_same(&old, now))
		return true;
	// It was changed since we looked, and is now changed back.
	sz_guard_install(sig, &old, &covered, false);
	return false;
}

static bool for_all;
static uint32_t covering_all;

bool sz_guard_wanted_for_all(void)
{
	return __atomic_load_n(&covering_all, __ATOMIC_SEQ_CST) || sz_guard_is_for_all();
}

bool sz_guard_is_for_all(void)
{
	return __atomic_load_n(&for_all, __ATOMIC_SEQ_CST);
}

// What is ignored may be missed. Of a real-time signal, sending again would change the order.
bool sz_guard_can_be_for_all(int sig, const struct sz_kernel_action *act)
{
	if (act->handler == (uintptr_t)SIG_IGN ||
	    (act->handler == (uintptr_t)SIG_DFL && ignored_by_default(sig)))
		return true;
	return sz_guard_fits(sig, act);
}

static bool guard_for_all(int sig)
{
	struct sz_kernel_action now;

	if (SZ_BIT(sig) & (SZ_UNBLOCKABLE | SZ_LIBC_INTERNAL) || sz_guard_query(sig, &now))
		return true;
	if (sz_disposition(sig, NULL, &now, NULL, SZ_FN_SIGACTION) < 0 ||
	    !sz_guard_can_be_for_all(sig, &now))
		return false;
	return !sz_guard_fits(sig, &now) || sz_guard_cover(sig, &now);
}

bool sz_guard_all(void)
{
	int sig = 1;

	if (sz_guard_is_for_all())
		return true;
	if (!sz_lazy_mode || sz_lazy_ended() || sz_thread.vfork_child || sz_inherited_filters())
		return false;
	// What another thread installs meanwhile is to be a guard too.
	__atomic_fetch_add(&covering_all, 1, __ATOMIC_SEQ_CST);
	while (sig <= SZ_SIGNALS && guard_for_all(sig))
		sig++;
	if (sig > SZ_SIGNALS)
		__atomic_store_n(&for_all, true, __ATOMIC_SEQ_CST);
	__atomic_fetch_sub(&covering_all, 1, __ATOMIC_SEQ_CST);
	return sig > SZ_SIGNALS;
}

void sz_guard_none(void)
{
	struct sz_kernel_action now, old;

	__atomic_store_n(&for_all, false, __ATOMIC_SEQ_CST);
	for (int sig = 1; sig <= SZ_SIGNALS; sig++)
		if (sz_guard_query(sig, &now))
			sz_guard_install(sig, &now, &old, false);
}
