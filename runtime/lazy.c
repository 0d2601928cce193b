// SPDX-License-Identifier: MIT
// Guards cost a call each, so a process starts as in mode shadow and becomes lazy after a number
// of real changes; and no more is spent on guards than was saved before. The counters are
// not exact where threads race, which only shifts the moment.
#define _GNU_SOURCE
#include "lazy.h"

#include <stddef.h>
#include <sys/single_threaded.h>

#include "disposition.h"
#include "forecast.h"
#include "guard.h"
#include "inherited.h"
#include "mask.h"
#include "mode.h"
#include "section.h"
#include "section_kernel.h"
#include "thread_state.h"
#include "written.h"

SZ_WRITTEN sz_set sz_lazy_ok;
bool sz_lazy_mode;
unsigned sz_hot_threshold = 16;

SZ_WRITTEN unsigned sz_lazy_changes;
SZ_WRITTEN sz_set sz_lazy_excluded;

SZ_WRITTEN static bool hot;
SZ_WRITTEN static unsigned calls, saved;
SZ_WRITTEN static unsigned dispositions_changed[32];
SZ_WRITTEN static bool ended;
SZ_WRITTEN static sz_set once; // has been in sz_lazy_ok: keeps its guard, another thread may rely on it

void sz_lazy_saved(void)
{
	// From here on what can be answered from memory is, without counting; so much was
	// saved by then that no guard is too dear.
	if (sz_usable == SZ_IS_KNOWN)
		return;
	saved++;
	if (++calls >= 4 * sz_hot_threshold && sz_mode == SZ_LAZY)
		sz_usable = SZ_IS_KNOWN;
}

bool sz_lazy_without_guard(int sig, const struct sz_kernel_action *act)
{
	return sz_guard_fits(sig, act) && act->handler != (uintptr_t)SIG_DFL &&
	       (act->flags & (SA_RESTART | SA_SIGINFO | SA_ONSTACK)) == (SA_RESTART | SA_SIGINFO);
}

static bool may_be_lazy(int sig)
{
	struct sz_kernel_action now;

	if (!hot || sz_lazy_is_hopeless(SZ_BIT(sig)))
		return false;
	if (sz_guard_query(sig, &now))
		return true;
	return sz_disposition_remembered(sig, &now) && sz_lazy_without_guard(sig, &now);
}

void sz_lazy_suspend(int sig)
{
	__atomic_fetch_and(&sz_lazy_ok, ~SZ_BIT(sig), __ATOMIC_SEQ_CST);
}

void sz_lazy_refresh(int sig)
{
	if (!may_be_lazy(sig))
		return;
	__atomic_fetch_or(&once, SZ_BIT(sig), __ATOMIC_RELAXED);
	__atomic_fetch_or(&sz_lazy_ok, SZ_BIT(sig), __ATOMIC_SEQ_CST);
}

static void become_hot(void)
{
	hot = true;
	sz_mask_directly = sz_mode == SZ_LAZY;
	ended |= sz_inherited_filters();
	if (ended || sz_inherited_sockets())
		__atomic_store_n(&sz_lazy_excluded, ~(sz_set)0, __ATOMIC_SEQ_CST);
	for (int sig = 1; sig < 32; sig++)
		sz_lazy_refresh(sig);
}

static int ask(int sig, struct sz_kernel_action *now)
{
	return sz_disposition(sig, NULL, now, NULL, SZ_FN_SIGACTION) < 0 ||
	       !sz_disposition_remembered(sig, now);
}

static bool cover(int sig)
{
	struct sz_kernel_action now;

	if (!sz_disposition_remembered(sig, &now) && ask(sig, &now))
		goto never_again;
	if (!sz_guard_fits(sig, &now))
		return false;
	if (now.flags & SA_ONSTACK)
		goto never_again;
	if (sz_guard_query(sig, &now) || sz_guard_cover(sig, &now)) {
		sz_lazy_refresh(sig);
		return true;
	}
never_again:
	__atomic_fetch_or(&sz_lazy_excluded, SZ_BIT(sig), __ATOMIC_RELAXED);
	return false;
}

// How many calls it takes to cover these; 0 if one of them cannot be, as far as we know.
static unsigned cost_of(sz_set need)
{
	struct sz_kernel_action now;
	unsigned cost = 0;

	if (sz_lazy_is_hopeless(need))
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

// One call is saved by it at once.
static bool spend(unsigned cost)
{
	unsigned price = cost - 1, paid = price < saved ? price : saved;

	if (!cost)
		return false;
	if (sz_hot_threshold && price > saved + sz_lazy_changes / SZ_CHANGES_A_GUARD)
		return false;
	saved -= paid;
	if (sz_hot_threshold)
		sz_lazy_changes -= (price - paid) * SZ_CHANGES_A_GUARD;
	return true;
}

bool sz_lazy_instead(sz_set need)
{
	if (++sz_lazy_changes < sz_hot_threshold && !hot)
		return false;
	if (!hot)
		become_hot();
	need &= ~sz_lazy_ok;
	if (!need)
		return true;
	if (sz_thread.vfork_child || !spend(cost_of(need)))
		return false;
	for (int sig = 1; sig < 32; sig++)
		if (need & SZ_BIT(sig) && !cover(sig))
			return false;
	return true;
}

bool sz_lazy_wants_guard(int sig, const struct sz_kernel_action *act)
{
	if (!sz_lazy_mode || ended || !sz_guard_fits(sig, act))
		return false;
	if (sz_guard_wanted_for_all())
		return true;
	if (!(SZ_BIT(sig) & SZ_LAZY_CANDIDATES))
		return false;
	if (sz_lazy_excluded & SZ_BIT(sig))
		return false;
	if (once & SZ_BIT(sig))
		return true;
	return ++dispositions_changed[sig] > sz_hot_threshold && !sz_inherited_filters();
}

void sz_lazy_never(sz_set signals)
{
	__atomic_fetch_or(&sz_lazy_excluded, signals, __ATOMIC_SEQ_CST);
	__atomic_fetch_and(&sz_lazy_ok, ~signals, __ATOMIC_SEQ_CST);
	if (sz_mode == SZ_WATCH)
		sz_forecast_never(signals);
	sz_flush();
}

void sz_lazy_end(void)
{
	ended = true;
	sz_lazy_never(~(sz_set)0);
	sz_section_fall_back();
	sz_section_without_kernel();
	sz_guard_none();
}

bool sz_lazy_ended(void)
{
	return ended;
}

// Each hop of a signal from one thread that blocks it lazily to the next is paid for by a lazy
// block; with an end to these it reaches a thread that has it open.
void sz_lazy_promoted(int sig)
{
	static uint32_t hops[SZ_SIGNALS + 1];

	if (__libc_single_threaded || ++hops[sig] < 4096)
		return;
	__atomic_fetch_or(&sz_lazy_excluded, SZ_BIT(sig), __ATOMIC_SEQ_CST);
	__atomic_fetch_and(&sz_lazy_ok, ~SZ_BIT(sig), __ATOMIC_SEQ_CST);
}

void sz_lazy_looked_for(sz_set signals)
{
	if (!__libc_single_threaded && sz_lazy_mode)
		sz_lazy_never(signals);
}
