// SPDX-License-Identifier: MIT
// Calls that swap the mask for their duration: sigsuspend, sigpause, pselect, ppoll,
// epoll_pwait. The kernel does the swapping and libc the waiting (they are cancellation
// points); all that is left here is to tell a handler that interrupts the wait which mask
// was in force. It clears the note when it has used it. POSIX; sigpause(3), epoll_wait(2).
// Async-signal-safe as far as libc's are.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>

#include "mask.h"
#include "real.h"
#include "visibility.h"
#include "watch.h"

// A cancelled thread does not come back to take the note away; the frame tells that it has
// left.
static void note(const sigset_t *set, const void *frame)
{
	sz_ensure_started();
	if (set) {
		SZ_READ(sz_thread.temporary_mask) = *(const sz_set *)set;
		SZ_READ(sz_thread.temporary_frame) = (uintptr_t)frame;
		SZ_READ(sz_thread.temporary) = SZ_TEMPORARY_KNOWN;
	}
}

static int done(int result)
{
	SZ_READ(sz_thread.temporary) = SZ_TEMPORARY_NONE;
	return result;
}

#define WITH_MASK(set, call) (note((set), __builtin_frame_address(0)), done(call))

static int suspend(const sigset_t *set)
{
	return WITH_MASK(set, sz_real_sigsuspend(set));
}

SZ_INTERPOSE int sigsuspend(const sigset_t *set)
{
	sz_watch_other(SZ_FN_SIGSUSPEND, SZ_CALLER);
	return suspend(set);
}
int __sigsuspend(const sigset_t *) __attribute__((nonnull)) SZ_ALIAS(sigsuspend);

static int suspend_bsd(int mask, void *caller)
{
	sigset_t set;

	sz_watch_other(SZ_FN_SIGPAUSE, caller);
	sigemptyset(&set);
	*(sz_set *)&set = (unsigned)mask;
	return suspend(&set);
}

static int suspend_without(int sig, void *caller)
{
	sigset_t set;
	int result;

	sigemptyset(&set);
	result = sz_mask_op(SIG_BLOCK, NULL, (sz_set *)&set, caller, SZ_FN_SIGPAUSE);
	if (result < 0) {
		errno = -result;
		return -1;
	}
	if (sigdelset(&set, sig) < 0)
		return -1;
	sz_watch_other(SZ_FN_SIGPAUSE, caller);
	return suspend(&set);
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

SZ_INTERPOSE int __sigpause(int sig_or_mask, int is_sig)
{
	return is_sig ? suspend_without(sig_or_mask, SZ_CALLER)
	              : suspend_bsd(sig_or_mask, SZ_CALLER);
}

SZ_INTERPOSE int pselect(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e,
                         const struct timespec *restrict timeout, const sigset_t *restrict set)
{
	return WITH_MASK(set, sz_real_pselect(n, r, w, e, timeout, set));
}

SZ_INTERPOSE int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                       const sigset_t *set)
{
	return WITH_MASK(set, sz_real_ppoll(fds, n, timeout, set));
}

int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                const sigset_t *set, size_t size);
SZ_INTERPOSE int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                             const sigset_t *set, size_t size)
{
	return WITH_MASK(set, sz_real_ppoll_chk(fds, n, timeout, set, size));
}

SZ_INTERPOSE int epoll_pwait(int fd, struct epoll_event *events, int n, int timeout,
                             const sigset_t *set)
{
	return WITH_MASK(set, sz_real_epoll_pwait(fd, events, n, timeout, set));
}

SZ_INTERPOSE int epoll_pwait2(int fd, struct epoll_event *events, int n,
                              const struct timespec *timeout, const sigset_t *set)
{
	sz_ensure_started();
	if (!sz_real_epoll_pwait2) { // glibc before 2.35
		errno = ENOSYS;
		return -1;
	}
	return WITH_MASK(set, sz_real_epoll_pwait2(fd, events, n, timeout, set));
}
