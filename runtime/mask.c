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

int sz_mask_slow(int how, const sz_set *set, sz_set *old, void *caller, enum sz_function fn)
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

// libc never lets a program block the two signals it uses itself.
static inline int libc_mask_op(int how, const sigset_t *set, sigset_t *old, void *caller,
                               enum sz_function fn)
{
	sz_set word;

	if (set)
		word = *(const sz_set *)set & ~SZ_LIBC_INTERNAL;
	return sz_mask_op(how, set ? &word : NULL, (sz_set *)old, caller, fn);
}

// POSIX. Async-signal-safe.
SZ_INTERPOSE int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	int result = libc_mask_op(how, set, old, SZ_CALLER, SZ_FN_SIGPROCMASK);

	if (__builtin_expect(result < 0, 0)) {
		errno = -result;
		return -1;
	}
	return 0;
}

// POSIX. Returns the error number and leaves errno alone. Async-signal-safe.
SZ_INTERPOSE int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	return -libc_mask_op(how, set, old, SZ_CALLER, SZ_FN_PTHREAD_SIGMASK);
}
