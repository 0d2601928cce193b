// SPDX-License-Identifier: MIT
// sigprocmask, pthread_sigmask, and the general path below all functions of the mask family.
#include "mask.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "check.h"
#include "visibility.h"
#include "watch.h"

__thread struct sz_thread sz_thread;

static inline __attribute__((always_inline)) int
call_kernel(int how, const sz_set *set, sz_set *old, void *caller, enum sz_function fn)
{
	sz_set before;
	long result;

	sz_ensure_started();
	if (sz_mode == SZ_CHECK && sz_check_mask_step(how, set, &before)) {
		if (old)
			*old = before;
		return 0;
	}
	result = sz_mask_call(how, set, &before);
	if (sz_mode == SZ_WATCH)
		sz_watch_mask(fn, caller, result, how, set, before);
	if (result < 0)
		return (int)result;
	if (result > 0)
		sz_step_aside("the signal mask was changed without libc");
	if (sz_mode == SZ_CHECK)
		sz_check_mask();
	if (old)
		*old = before;
	return 0;
}

int sz_mask_slow(int how, const sz_set *set, sz_set *old, void *caller, enum sz_function fn)
{
	return call_kernel(how, set, old, caller, fn);
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
	int result = call_kernel(how, given ? &set : NULL, old, caller, SZ_FN_SIGPROCMASK);

	if (__builtin_expect(result < 0, 0)) {
		errno = -result;
		return -1;
	}
	return 0;
}

static __attribute__((noinline)) int pthread_sigmask_slow(int how, bool given, sz_set set,
                                                          sz_set *old, void *caller)
{
	return -call_kernel(how, given ? &set : NULL, old, caller, SZ_FN_PTHREAD_SIGMASK);
}

// POSIX. Async-signal-safe.
SZ_INTERPOSE int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	sz_set word = libc_word(set);

	if (sz_mask_remembered(how, set ? &word : NULL, (sz_set *)old))
		return 0;
	return sigprocmask_slow(how, set != NULL, word, (sz_set *)old, SZ_CALLER);
}

// POSIX. Returns the error number and leaves errno alone. Async-signal-safe.
SZ_INTERPOSE int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	sz_set word = libc_word(set);

	if (sz_mask_remembered(how, set ? &word : NULL, (sz_set *)old))
		return 0;
	return pthread_sigmask_slow(how, set != NULL, word, (sz_set *)old, SZ_CALLER);
}
