// SPDX-License-Identifier: MIT
// sigsuspend (POSIX), sigpause(3). The kernel swaps the mask for their duration and libc waits,
// since they are cancellation points. The kernel puts its own mask back afterwards, so nothing
// may be blocked lazily. A handler that ends such a wait asks the kernel for its mask (arrival.c).
// Async-signal-safe.
#define _GNU_SOURCE
#include <signal.h>

#include "mask.h"
#include "libc_result.h"
#include "real.h"
#include "visibility.h"
#include "watch.h"

SZ_INTERPOSE int sigsuspend(const sigset_t *set)
{
	sz_watch_other(SZ_FN_SIGSUSPEND, SZ_CALLER);
	sz_flush();
	return sz_real_sigsuspend(set);
}
int __sigsuspend(const sigset_t *) __attribute__((nonnull)) SZ_ALIAS(sigsuspend);

static int suspend_bsd(int mask, void *caller)
{
	sigset_t set;

	sz_watch_other(SZ_FN_SIGPAUSE, caller);
	sz_flush();
	sigemptyset(&set);
	*(sz_set *)&set = (unsigned)mask;
	return sz_real_sigsuspend(&set);
}

static int suspend_without(int sig, void *caller)
{
	sigset_t set;
	int result;

	sigemptyset(&set);
	result = sz_mask_op(SIG_BLOCK, NULL, (sz_set *)&set, caller, SZ_FN_SIGPAUSE);
	if (result < 0)
		return sz_libc_result(result);
	if (sigdelset(&set, sig) < 0)
		return -1;
	sz_watch_other(SZ_FN_SIGPAUSE, caller);
	sz_flush();
	return sz_real_sigsuspend(&set);
}

// signal.h gives the name sigpause to X/Open's function, so each needs its label.
int bsd_sigpause(int mask) __asm__("sigpause");
SZ_INTERPOSE int bsd_sigpause(int mask)
{
	return suspend_bsd(mask, SZ_CALLER);
}

int xpg_sigpause(int sig) __asm__("__xpg_sigpause");
SZ_INTERPOSE int xpg_sigpause(int sig)
{
	return suspend_without(sig, SZ_CALLER);
}

int __sigpause(int sig_or_mask, int is_sig);
SZ_INTERPOSE int __sigpause(int sig_or_mask, int is_sig)
{
	return is_sig ? suspend_without(sig_or_mask, SZ_CALLER)
	              : suspend_bsd(sig_or_mask, SZ_CALLER);
}
