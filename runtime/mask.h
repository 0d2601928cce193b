// SPDX-License-Identifier: MIT
// The signal mask of the calling thread: the one place that decides whether the kernel must
// be called. Everything here is async-signal-safe and returns 0 or -errno.
#pragma once
#include "functions.h"
#include "lazy.h"
#include "mode.h"
#include "thread_state.h"

// One rt_sigprocmask; afterwards the kernel holds what the program believes. Returns 1 when the
// kernel's old mask was not the remembered one: somebody else changed it; SZ_MASK_HELD, and
// nothing is done, in a critical section that holds a signal. `caller` is NULL where the program
// changes nothing. Specified and written in x86_64/mask_call.S, as are the next two.
long sz_mask_call(int how, const sz_set *set, sz_set *old, void *caller);
#define SZ_MASK_HELD 2

// The same for a change of which is_direct in mask.c said that there is no more to it. Returns 0
// or an error number, not negated.
int sz_mask_direct(int how, sz_set set, sz_set *old, void *caller);

// Mode shadow, or lazy in a process that is hot: nothing is to be counted or checked.
extern bool sz_mask_directly __attribute__((visibility("hidden")));

// The change without a call; 0 if it takes one. `old` may be NULL.
int sz_mask_lazy(int how, const sz_set *set, sz_set *old, void *caller);

// The general path: any mode, any state of knowledge. `set` and `old` may be NULL.
int sz_mask_slow(int how, const sz_set *set, sz_set *old, void *caller, enum sz_function fn);

// What is blocked lazily is blocked for real from here on (K = V).
void sz_flush_slow(void);

// True too where it is only foretold (watch).
static inline bool sz_is_lazy(void)
{
	return SZ_READ(sz_thread.mask) != SZ_READ(sz_thread.kernel) || sz_mode == SZ_WATCH;
}

static inline void sz_flush(void)
{
	if (__builtin_expect(sz_is_lazy(), 0))
		sz_flush_slow();
}

static inline sz_set sz_mask_applied(int how, sz_set mask, sz_set set)
{
	mask = how == 0 ? mask | set : how == 1 ? mask & ~set : set;
	return mask & ~SZ_UNBLOCKABLE;
}

// True if the call can be answered from memory, and then it is. The single read of the mask
// is the moment at which it takes place: a handler that runs later came after it.
static inline __attribute__((always_inline)) bool sz_mask_remembered(int how, const sz_set *set,
                                                                     sz_set *old)
{
	sz_set mask;

	if (__builtin_expect(SZ_KNOWN != SZ_READ(sz_usable), 0))
		return false;
	mask = SZ_READ(sz_thread.mask);
	if (set && ((unsigned)how > 2 || sz_mask_applied(how, mask, *set) != mask))
		return false;
	if (old)
		*old = mask;
	return true;
}

// The same with a change that the kernel need not know of.
static inline __attribute__((always_inline)) bool sz_mask_free(int how, const sz_set *set,
                                                               sz_set *old, void *caller)
{
	if (sz_mask_remembered(how, set, old))
		return true;
	return set && SZ_READ(sz_lazy_ok) && SZ_READ(sz_usable) == SZ_IS_KNOWN &&
	       sz_mask_lazy(how, set, old, caller);
}

// sigprocmask(2) on one word.
static inline int sz_mask_op(int how, const sz_set *set, sz_set *old, void *caller,
                             enum sz_function fn)
{
	return sz_mask_free(how, set, old, caller) ? 0
	                                           : sz_mask_slow(how, set, old, caller, fn);
}
