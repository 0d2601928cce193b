// SPDX-License-Identifier: MIT
// sigaction (POSIX), signal and its relatives (signal(2), sysv_signal(3), siginterrupt(3),
// sigvec(3)), over the dispositions. All async-signal-safe, as glibc's are.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "disposition.h"
#include "libc_result.h"
#include "visibility.h"

// The signals for which siginterrupt(sig, 1) was called: signal leaves SA_RESTART out.
static sz_set interrupting;

static int libc_disposition(int sig, const struct sz_kernel_action *act,
                            struct sz_kernel_action *old, void *caller, enum sz_function fn)
{
	int result = -EINVAL;

	if (sig >= 1 && sig <= SZ_SIGNALS && !(SZ_BIT(sig) & SZ_LIBC_INTERNAL))
		result = sz_disposition(sig, act, old, caller, fn);
	return sz_libc_result(result);
}

static void from_libc(struct sz_kernel_action *to, const struct sigaction *from)
{
	to->handler = (uintptr_t)from->sa_handler;
	to->flags = (unsigned)from->sa_flags;
	to->mask = *(const sz_set *)&from->sa_mask;
	sz_disposition_complete(to);
}

static void to_libc(struct sigaction *to, const struct sz_kernel_action *from)
{
	memset(to, 0, sizeof *to);
	to->sa_handler = (__sighandler_t)from->handler;
	to->sa_flags = (int)from->flags;
	to->sa_restorer = (void (*)(void))from->restorer;
	*(sz_set *)&to->sa_mask = from->mask;
}

SZ_INTERPOSE int sigaction(int sig, const struct sigaction *restrict act,
                           struct sigaction *restrict old)
{
	struct sz_kernel_action kernel_act, kernel_old;

	if (act)
		from_libc(&kernel_act, act);
	if (libc_disposition(sig, act ? &kernel_act : NULL, &kernel_old, SZ_CALLER,
	                     SZ_FN_SIGACTION) < 0)
		return -1;
	if (old)
		to_libc(old, &kernel_old);
	return 0;
}
int __sigaction(int, const struct sigaction *, struct sigaction *) SZ_ALIAS(sigaction);

static __sighandler_t install(int sig, __sighandler_t handler, uint64_t flags, sz_set mask,
                              void *caller, enum sz_function fn)
{
	struct sz_kernel_action act = {
		.handler = (uintptr_t)handler, .flags = flags, .mask = mask};
	struct sz_kernel_action old;

	if (handler == SIG_ERR || sig < 1 || sig > SZ_SIGNALS) {
		errno = EINVAL;
		return SIG_ERR;
	}
	sz_disposition_complete(&act);
	if (libc_disposition(sig, &act, &old, caller, fn) < 0)
		return SIG_ERR;
	return (__sighandler_t)old.handler;
}

SZ_INTERPOSE __sighandler_t signal(int sig, __sighandler_t handler)
{
	sz_set bit = sig >= 1 && sig <= SZ_SIGNALS ? SZ_BIT(sig) : 0;
	uint64_t flags = __atomic_load_n(&interrupting, __ATOMIC_RELAXED) & bit ? 0 : SA_RESTART;

	return install(sig, handler, flags, bit, SZ_CALLER, SZ_FN_SIGNAL);
}
__sighandler_t bsd_signal(int, __sighandler_t) SZ_ALIAS(signal);
__sighandler_t ssignal(int, __sighandler_t) SZ_ALIAS(signal);

SZ_INTERPOSE __sighandler_t sysv_signal(int sig, __sighandler_t handler)
{
	return install(sig, handler, SA_RESETHAND | SA_NODEFER | SA_INTERRUPT, 0, SZ_CALLER,
	               SZ_FN_SYSV_SIGNAL);
}
__sighandler_t __sysv_signal(int, __sighandler_t) SZ_ALIAS(sysv_signal);

SZ_INTERPOSE int siginterrupt(int sig, int interrupt)
{
	struct sz_kernel_action act;

	if (libc_disposition(sig, NULL, &act, SZ_CALLER, SZ_FN_SIGINTERRUPT) < 0)
		return -1;
	if (interrupt) {
		__atomic_fetch_or(&interrupting, SZ_BIT(sig), __ATOMIC_RELAXED);
		act.flags &= ~(uint64_t)SA_RESTART;
	} else {
		__atomic_fetch_and(&interrupting, ~SZ_BIT(sig), __ATOMIC_RELAXED);
		act.flags |= SA_RESTART;
	}
	sz_disposition_complete(&act);
	return libc_disposition(sig, &act, NULL, SZ_CALLER, SZ_FN_SIGINTERRUPT);
}

// 4.2BSD's, only for old binaries: glibc no longer declares it.
struct sigvec {
	__sighandler_t sv_handler;
	int sv_mask;
	int sv_flags;
};
#define SV_ONSTACK (1 << 0)
#define SV_INTERRUPT (1 << 1)
#define SV_RESETHAND (1 << 2)

int sigvec(int sig, const struct sigvec *vec, struct sigvec *old_vec);
SZ_INTERPOSE int sigvec(int sig, const struct sigvec *vec, struct sigvec *old_vec)
{
	struct sz_kernel_action act, old;

	if (vec) {
		act.handler = (uintptr_t)vec->sv_handler;
		act.mask = (unsigned)vec->sv_mask;
		act.flags = (vec->sv_flags & SV_ONSTACK ? SA_ONSTACK : 0) |
		            (vec->sv_flags & SV_INTERRUPT ? 0 : SA_RESTART) |
		            (vec->sv_flags & SV_RESETHAND ? SA_RESETHAND : 0);
		sz_disposition_complete(&act);
	}
	if (libc_disposition(sig, vec ? &act : NULL, &old, SZ_CALLER, SZ_FN_SIGVEC) < 0)
		return -1;
	if (old_vec) {
		old_vec->sv_handler = (__sighandler_t)old.handler;
		old_vec->sv_mask = (int)(unsigned)old.mask;
		old_vec->sv_flags = (old.flags & SA_ONSTACK ? SV_ONSTACK : 0) |
		                    (old.flags & SA_RESTART ? 0 : SV_INTERRUPT) |
		                    (old.flags & SA_RESETHAND ? SV_RESETHAND : 0);
	}
	return 0;
}
