// SPDX-License-Identifier: MIT
// sigprocmask, pthread_sigmask, and the general path below all functions of the mask family.
#include "mask.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "check.h"
#include "forecast.h"
#include "libc_result.h"
#include "section_kernel.h"
#include "visibility.h"
#include "watch.h"

__thread struct sz_thread sz_thread;
bool sz_mask_directly;

static bool is_known(void)
{
	return SZ_KNOWN == SZ_IS_KNOWN && sz_remember;
}

// In a critical section that holds a signal the kernel blocks everything, so no handler can
// come between.
static int change_held(int how, const sz_set *set, sz_set *old, void *caller)
{
	sz_set before = sz_thread.mask;

	if (set && (unsigned)how > 2)
		return -EINVAL;
	if (set) {
		sz_thread.mask = sz_mask_applied(how, before, *set);
		sz_thread.changed_by = caller;
		sz_thread.changes++;
	}
	if (old)
		*old = before;
	return 0;
}

// The one real call. After it every return costs more than all the rest here, so what follows
// is one function.
static inline __attribute__((always_inline)) int
call_kernel(int how, const sz_set *set, sz_set *old, void *caller, enum sz_function fn)
{
	sz_set before;
	long result = sz_mask_call(how, set, &before, caller);

	if (sz_mode == SZ_WATCH)
		sz_watch_mask(fn, caller, result, how, set, before);
	if (result < 0)
		return (int)result;
	if (result == SZ_MASK_HELD)
		return change_held(how, set, old, caller);
	if (result > 0)
		sz_step_aside("the signal mask was changed without libc");
	if (old)
		*old = before;
	return 0;
}

// Where sz_mask_direct ends if not by returning 0.
__attribute__((visibility("hidden"))) int sz_mask_direct_result(long result, int how, sz_set set,
                                                                sz_set *old, void *caller)
{
	if (result == SZ_MASK_HELD)
		return -change_held(how, &set, old, caller);
	if (result < 0)
		return (int)-result;
	sz_step_aside("the signal mask was changed without libc");
	return 0;
}

// Who stepped aside, or is being cancelled, may still have something blocked lazily.
static void drain(void)
{
	if (sz_thread.known && (!sz_remember || sz_thread.forgetful))
		sz_flush();
}

// What may only be blocked for real, if this change blocks anything of the kind.
static sz_set needs(int how, const sz_set *set)
{
	sz_set new = sz_mask_applied(how, SZ_READ(sz_thread.mask), *set);

	return new & ~(SZ_READ(sz_thread.kernel) | sz_lazy_ok);
}

static bool without_kernel(int how, const sz_set *set, sz_set *old, void *caller)
{
	sz_set before = SZ_READ(sz_thread.mask);

	if (!set || ((unsigned)how <= 2 && sz_mask_applied(how, before, *set) == before)) {
		if (old)
			*old = before;
		return true;
	}
	if (!sz_lazy_mode || (unsigned)how > 2)
		return false;
	return sz_mask_lazy(how, set, old, caller) ||
	       (sz_lazy_instead(needs(how, set)) && sz_mask_lazy(how, set, old, caller));
}

// In mode check the kernel is asked before and after.
static inline __attribute__((always_inline)) int
slow(int how, const sz_set *set, sz_set *old, void *caller, enum sz_function fn)
{
	int result;

	sz_ensure_started();
	drain();
	if (sz_checking)
		sz_check_mask();
	if (is_known() && without_kernel(how, set, old, caller)) {
		sz_lazy_saved();
		return 0;
	}
	result = call_kernel(how, set, old, caller, fn);
	if (sz_checking)
		sz_check_mask();
	return result;
}

int sz_mask_slow(int how, const sz_set *set, sz_set *old, void *caller, enum sz_function fn)
{
	return slow(how, set, old, caller, fn);
}

void sz_flush_slow(void)
{
	if (sz_mode == SZ_WATCH) {
		sz_forecast_flush();
		return;
	}
	if (sz_thread.known && sz_mask_call(SIG_BLOCK, NULL, NULL, NULL) == 1)
		sz_step_aside("the signal mask was changed without libc");
	if (sz_checking)
		sz_check_mask();
}

// From x86_64/vfork.S: the child must find in the kernel what the program believes, and both
// share the thread's state.
__attribute__((visibility("hidden"))) void sz_flush_before_vfork(void)
{
	sz_flush();
	sz_section_before_vfork();
}

// Must the kernel be called, and is there nothing to do beside it? If a handler changes what this
// looks at, a call is made too many or the long way is gone.
static bool is_direct(int how, const sigset_t *set, sz_set word)
{
	sz_set mask, kernel, new;

	if (!SZ_READ(sz_mask_directly) || SZ_KNOWN != SZ_IS_KNOWN || !set || (unsigned)how > 2)
		return false;
	mask = SZ_READ(sz_thread.mask);
	kernel = SZ_READ(sz_thread.kernel);
	new = sz_mask_applied(how, mask, word);
	if (new == mask)
		return false;
	if (!sz_lazy_mode)
		return true;
	if (!(kernel & ~new) && !sz_lazy_is_hopeless(new & ~(kernel | SZ_READ(sz_lazy_ok))))
		return false;
	sz_lazy_changes++;
	return true;
}

// libc never lets a program block the two signals it uses itself.
static inline sz_set libc_word(const sigset_t *set)
{
	return set ? *(const sz_set *)set & ~SZ_LIBC_INTERNAL : 0;
}

// The slow halves take the set by value, so that they can be jumped to: after a system call
// every return costs more than all the rest here.
static __attribute__((noinline)) int sigprocmask_slow(int how, bool given, sz_set set,
                                                      sz_set *old, void *caller)
{
	return sz_libc_result(slow(how, given ? &set : NULL, old, caller, SZ_FN_SIGPROCMASK));
}

static __attribute__((noinline)) int pthread_sigmask_slow(int how, bool given, sz_set set,
                                                          sz_set *old, void *caller)
{
	return -slow(how, given ? &set : NULL, old, caller, SZ_FN_PTHREAD_SIGMASK);
}

// POSIX. Async-signal-safe.
SZ_INTERPOSE int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	sz_set word = libc_word(set);

	if (sz_mask_free(how, set ? &word : NULL, (sz_set *)old, SZ_CALLER))
		return 0;
	if (is_direct(how, set, word))
		return sz_libc_result(-sz_mask_direct(how, word, (sz_set *)old, SZ_CALLER));
	return sigprocmask_slow(how, set != NULL, word, (sz_set *)old, SZ_CALLER);
}

// POSIX. Returns the error number and leaves errno alone. Async-signal-safe.
SZ_INTERPOSE int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	sz_set word = libc_word(set);

	if (sz_mask_free(how, set ? &word : NULL, (sz_set *)old, SZ_CALLER))
		return 0;
	if (is_direct(how, set, word))
		return sz_mask_direct(how, word, (sz_set *)old, SZ_CALLER);
	return pthread_sigmask_slow(how, set != NULL, word, (sz_set *)old, SZ_CALLER);
}
