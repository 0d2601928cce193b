// SPDX-License-Identifier: MIT
// The signal mask of the calling thread: the one place that decides whether the kernel must
// be called. Everything here is async-signal-safe and returns 0 or -errno.
#pragma once
#include "functions.h"
#include "mode.h"
#include "thread_state.h"

// One rt_sigprocmask; afterwards the thread's mask is what the kernel now holds. Returns 1
// when the kernel's old mask was not the remembered one: somebody else changed it.
// `old` must not be NULL. Specified and written in x86_64/mask_call.S.
long sz_mask_call(int how, const sz_set *set, sz_set *old);

// The general path: any mode, any state of knowledge. `set` and `old` may be NULL.
int sz_mask_slow(int how, const sz_set *set, sz_set *old, void *caller, enum sz_function fn);

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

// sigprocmask(2) on one word.
static inline int sz_mask_op(int how, const sz_set *set, sz_set *old, void *caller,
                             enum sz_function fn)
{
	return sz_mask_remembered(how, set, old) ? 0 : sz_mask_slow(how, set, old, caller, fn);
}
