// SPDX-License-Identifier: MIT
// The rule is that of sz_mask_lazy, the moment and the price those of lazy.c, what a guard can
// stand for that of guard.c.
#define _GNU_SOURCE
#include "forecast.h"

#include <signal.h>

#include "disposition.h"
#include "guard.h"
#include "handler_record.h"
#include "inherited.h"
#include "lazy.h"
#include "thread_state.h"
#include "watch.h"

#define NO_RECORD 0u

// What a thread's mask was when it was last seen, and what the kernel would have held of it.
static __thread struct {
	sz_set mask, kernel;
} books;

static bool hot;
static unsigned calls, changes, saved;
static unsigned dispositions_changed[32];
static sz_set lazy_ok, never, once;
static unsigned sections;
static bool sections_are_free;
static sz_set ignored; // as was found out when a guard was wanted

// The record that a guard would stand for, and that whose shape it would have, each + 1.
static uint32_t stands_for[32], shapes[32];

static void count_saved(void)
{
	if (calls >= 4 * sz_hot_threshold)
		return;
	saved++;
	calls++;
}

static bool guarded(int sig)
{
	return sig < 32 && stands_for[sig] != NO_RECORD;
}

static bool can_stand_for(int sig, const struct sz_kernel_action *act)
{
	return sz_guard_fits(sig, act) &&
	       (act->handler == (uintptr_t)SIG_DFL || sz_guard_same_shape(shapes[sig] - 1, act));
}

static void put_guard(int sig, const struct sz_kernel_action *act)
{
	stands_for[sig] = shapes[sig] = (uint32_t)(sz_record_find(act) + 1);
}

static bool may_be_lazy(int sig)
{
	struct sz_kernel_action now;

	if (!hot || SZ_BIT(sig) & (never | ~SZ_LAZY_CANDIDATES))
		return false;
	return guarded(sig) ||
	       (sz_disposition_remembered(sig, &now) && sz_lazy_without_guard(sig, &now));
}

static void refresh(int sig)
{
	if (may_be_lazy(sig)) {
		once |= SZ_BIT(sig);
		lazy_ok |= SZ_BIT(sig);
	}
}

static void become_hot(void)
{
	hot = true;
	if (sz_inherited_filters() || sz_inherited_sockets())
		never = ~(sz_set)0;
	for (int sig = 1; sig < 32; sig++)
		refresh(sig);
}

static unsigned cost_of(sz_set need)
{
	struct sz_kernel_action now;
	unsigned cost = 0;

	if (need & (never | ignored | ~SZ_LAZY_CANDIDATES))
		return 0;
	for (int sig = 1; sig < 32; sig++) {
		if (!(need & SZ_BIT(sig)))
			continue;
		if (!sz_disposition_remembered(sig, &now))
			cost += 2;
		else if (sz_guard_fits(sig, &now) && !(now.flags & SA_ONSTACK))
			cost++;
		else
			return 0;
	}
	return cost;
}

// The question is a call that the program did not make; it is asked once a signal.
static bool cover(int sig)
{
	struct sz_kernel_action now;

	if (!sz_disposition_remembered(sig, &now)) {
		sz_watch_added(0, 1);
		if (sz_kernel_sigaction(sig, NULL, &now) < 0)
			return false;
	}
	if (!sz_guard_fits(sig, &now) || now.flags & SA_ONSTACK) {
		ignored |= SZ_BIT(sig);
		return false;
	}
	if (!guarded(sig)) {
		sz_watch_added(0, 1);
		put_guard(sig, &now);
	}
	refresh(sig);
	return true;
}

static bool spend(unsigned cost)
{
	unsigned price = cost - 1, paid = price < saved ? price : saved;

	if (!cost)
		return false;
	if (sz_hot_threshold && price > saved + changes / SZ_CHANGES_A_GUARD)
		return false;
	saved -= paid;
	if (sz_hot_threshold)
		changes -= (price - paid) * SZ_CHANGES_A_GUARD;
	return true;
}

static bool instead(sz_set need)
{
	if (++changes < sz_hot_threshold && !hot)
		return false;
	if (!hot)
		become_hot();
	need &= ~lazy_ok;
	if (!need)
		return true;
	if (!spend(cost_of(need)))
		return false;
	for (int sig = 1; sig < 32; sig++)
		if (need & SZ_BIT(sig) && !cover(sig))
			return false;
	return true;
}

// What the kernel did on its own, for a handler, it knows; and a handler's end gave back what
// was before.
static void catch_up(sz_set before)
{
	books.kernel = (books.kernel | (before & ~books.mask)) & before;
}

static bool is_free(sz_set before, sz_set after)
{
	sz_set kernel = books.kernel;

	return before == after || (!(after & ~(kernel | lazy_ok)) && !(kernel & ~after));
}

bool sz_forecast_mask(sz_set before, sz_set after, bool first)
{
	bool removed = false;

	if (sz_thread.vfork_child)
		return !first && before == after;
	if (!first) {
		catch_up(before);
		removed = is_free(before, after) ||
		          (instead(after & ~(books.kernel | lazy_ok)) && is_free(before, after));
	}
	books.mask = after;
	if (!removed)
		books.kernel = after;
	else
		count_saved();
	return removed;
}

// Adds what it would cost to `cost`.
static bool guard_for_all(int sig, unsigned *cost)
{
	struct sz_kernel_action now;

	if (SZ_BIT(sig) & (SZ_UNBLOCKABLE | SZ_LIBC_INTERNAL) || guarded(sig))
		return true;
	if (!sz_disposition_remembered(sig, &now)) {
		++*cost;
		if (sz_kernel_sigaction(sig, NULL, &now) < 0)
			return false;
	}
	*cost += sz_guard_fits(sig, &now);
	return sz_guard_can_be_for_all(sig, &now);
}

static bool guard_all(void)
{
	unsigned cost = 0;
	bool all = !sz_inherited_filters();

	for (int sig = 1; sig <= SZ_SIGNALS && all; sig++)
		all = guard_for_all(sig, &cost);
	sz_watch_added(0, cost);
	return all;
}

bool sz_forecast_section(bool enters)
{
	if (enters && !sections_are_free && ++sections == 4 * sz_hot_threshold)
		sections_are_free = guard_all();
	return sections_are_free;
}

static bool action_is_free(int sig, const struct sz_kernel_action *act, bool remembered)
{
	if (!guarded(sig))
		return remembered;
	if (!act)
		return true;
	if (!can_stand_for(sig, act))
		return false;
	stands_for[sig] = (uint32_t)(sz_record_find(act) + 1);
	return true;
}

static bool wants_guard(int sig, const struct sz_kernel_action *act)
{
	if (!(SZ_BIT(sig) & SZ_LAZY_CANDIDATES) || !sz_guard_fits(sig, act))
		return false;
	return once & SZ_BIT(sig) ||
	       (++dispositions_changed[sig] > sz_hot_threshold && !sz_inherited_filters());
}

static void changed(int sig, const struct sz_kernel_action *act)
{
	ignored &= ~SZ_BIT(sig);
	lazy_ok &= ~SZ_BIT(sig);
	if (wants_guard(sig, act)) {
		put_guard(sig, act);
	} else {
		stands_for[sig] = NO_RECORD;
		if (books.mask & ~books.kernel & SZ_BIT(sig))
			sz_forecast_flush();
	}
	refresh(sig);
}

bool sz_forecast_action(int sig, const struct sz_kernel_action *act, bool remembered)
{
	if (sz_thread.vfork_child)
		return remembered;
	if (action_is_free(sig, act, remembered)) {
		count_saved();
		return true;
	}
	if (act && sig < 32)
		changed(sig, act);
	return false;
}

void sz_forecast_flush(void)
{
	if (books.kernel == books.mask)
		return;
	sz_watch_added(1, 0);
	books.kernel = books.mask;
}

void sz_forecast_never(sz_set signals)
{
	never |= signals;
	lazy_ok &= ~signals;
	sz_forecast_flush();
}
