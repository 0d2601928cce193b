// SPDX-License-Identifier: MIT
// The functions of System V: sighold, sigrelse, sigset, sigignore. sigset(3), POSIX 2008
// (obsolescent). All async-signal-safe. Each makes the calls that glibc's makes, in its
// order.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>

#include "disposition.h"
#include "libc_result.h"
#include "mask.h"
#include "visibility.h"

#ifndef SIG_HOLD
#define SIG_HOLD ((__sighandler_t)2)
#endif

// libc's sigaddset knows which signals a program may name.
static int one_signal(int sig, sz_set *set)
{
	sigset_t libc_set;

	sigemptyset(&libc_set);
	if (sigaddset(&libc_set, sig) < 0)
		return -1;
	*set = *(const sz_set *)&libc_set;
	return 0;
}

static int change_one(int how, int sig, sz_set *old, void *caller, enum sz_function fn)
{
	sz_set set;
	int result;

	if (one_signal(sig, &set) < 0)
		return -1;
	result = sz_mask_op(how, &set, old, caller, fn);
	return sz_libc_result(result);
}

static int install(int sig, const struct sz_kernel_action *act, struct sz_kernel_action *old,
                   void *caller, enum sz_function fn)
{
	int result = SZ_BIT(sig) & SZ_LIBC_INTERNAL ? -EINVAL
	                                            : sz_disposition(sig, act, old, caller, fn);

	return sz_libc_result(result);
}

SZ_INTERPOSE int sighold(int sig)
{
	return change_one(SIG_BLOCK, sig, NULL, SZ_CALLER, SZ_FN_SIGHOLD);
}

SZ_INTERPOSE int sigrelse(int sig)
{
	return change_one(SIG_UNBLOCK, sig, NULL, SZ_CALLER, SZ_FN_SIGRELSE);
}

SZ_INTERPOSE int sigignore(int sig)
{
	struct sz_kernel_action act = {.handler = (uintptr_t)SIG_IGN};

	if (sig < 1 || sig > SZ_SIGNALS) {
		errno = EINVAL;
		return -1;
	}
	sz_disposition_complete(&act);
	return install(sig, &act, NULL, SZ_CALLER, SZ_FN_SIGIGNORE);
}

SZ_INTERPOSE __sighandler_t sigset(int sig, __sighandler_t handler)
{
	struct sz_kernel_action act = {.handler = (uintptr_t)handler}, old;
	sz_set set, old_mask;

	if (one_signal(sig, &set) < 0)
		return SIG_ERR;
	if (handler == SIG_HOLD) {
		if (change_one(SIG_BLOCK, sig, &old_mask, SZ_CALLER, SZ_FN_SIGSET) < 0)
			return SIG_ERR;
		if (old_mask & set)
			return SIG_HOLD;
		if (install(sig, NULL, &old, SZ_CALLER, SZ_FN_SIGSET) < 0)
			return SIG_ERR;
		return (__sighandler_t)old.handler;
	}
	sz_disposition_complete(&act);
	if (install(sig, &act, &old, SZ_CALLER, SZ_FN_SIGSET) < 0)
		return SIG_ERR;
	if (change_one(SIG_UNBLOCK, sig, &old_mask, SZ_CALLER, SZ_FN_SIGSET) < 0)
		return SIG_ERR;
	return old_mask & set ? SIG_HOLD : (__sighandler_t)old.handler;
}
