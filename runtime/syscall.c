// SPDX-License-Identifier: MIT
// System calls by number, through libc's syscall(2): those that touch the mask or the
// dispositions must be seen here too. The program speaks the kernel's language then:
// signals 32 and 33 are not filtered, and the restorer is its own.
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "disposition.h"
#include "mask.h"
#include "never_lazy.h"
#include "watch.h"

// A caller by number may count on EFAULT for a bad pointer, so only the kernel may follow
// one, unless it leads to the frames above us.
static bool on_our_stack(const void *pointer)
{
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);

	return !pointer || (uintptr_t)pointer - frame < 16384;
}

static long mask_by_number(int how, const sz_set *set, sz_set *old, void *caller)
{
	sz_set copy, before = 0;
	long result;

	if (on_our_stack(set) && on_our_stack(old)) {
		if (set)
			copy = *set;
		return sz_mask_op(how, set ? &copy : NULL, old, caller, SZ_FN_SYSCALL);
	}
	sz_flush();
	SZ_READ(sz_thread.known) = 0;
	if (sz_mode == SZ_WATCH)
		sz_kernel_mask(&before);
	result = sz_kernel_change_mask(how, set, old);
	if (sz_mode == SZ_WATCH) {
		if (result == 0 && set)
			copy = *set;
		sz_watch_mask(SZ_FN_SYSCALL, caller, result, how, set ? &copy : NULL, before);
	}
	return result;
}

// Here the kernel is only asked whether the memory is there: to look at an action it reads it before
// it finds that SIGKILL has none, and it tells an old one only for a signal that exists.
static long action_by_number(int sig, const struct sz_kernel_action *act,
                             struct sz_kernel_action *old, void *caller)
{
	struct sz_kernel_action before;
	long result;

	if (!on_our_stack(act) && sz_kernel_sigaction(SIGKILL, act, NULL) == -EFAULT)
		return -EFAULT;
	result = sz_disposition(sig, act, old ? &before : NULL, caller, SZ_FN_SYSCALL);
	if (result == 0 && old) {
		if (!on_our_stack(old) && sz_kernel_sigaction(sig, NULL, old) == -EFAULT)
			return -EFAULT;
		*old = before;
	}
	return result;
}

// clone3's flags lie in memory that we may not be able to read; a call with less of it than
// there ever was only asks whether clone3 exists.
static bool may_share_memory(long number, long a, long b)
{
	return number == SYS_clone3 ? b >= 64 : a & CLONE_VM;
}

static long by_number(long number, long a, long b, long c, long d, long e, long f, void *caller)
{
	switch (number) {
	case SYS_rt_sigprocmask:
		if (d != sizeof(sz_set))
			return -EINVAL;
		return mask_by_number((int)a, (const sz_set *)b, (sz_set *)c, caller);
	case SYS_rt_sigaction:
		if (d != sizeof(sz_set))
			return -EINVAL;
		return action_by_number((int)a, (const struct sz_kernel_action *)b,
		                        (struct sz_kernel_action *)c, caller);
	case SYS_clone:
	case SYS_clone3:
		if (may_share_memory(number, a, b))
			sz_step_aside("a thread or process sharing memory was made by number");
		if (number == SYS_clone && a & CLONE_NEWPID)
			sz_lazy_end();
		break;
	case SYS_unshare:
		if (a & CLONE_NEWPID)
			sz_lazy_end();
		break;
	case SYS_vfork:
		sz_step_aside("vfork was called by number");
		break;
	case SYS_timer_create:
		// Which signal it sends is in memory that we may not be able to read.
		sz_lazy_never(~(sz_set)0);
		break;
	case SYS_seccomp:
		sz_lazy_end();
		break;
	case SYS_prctl:
		if (a == PR_SET_SECCOMP)
			sz_lazy_end();
		break;
	case SYS_setsockopt:
		if (sz_option_makes_calls_end((int)b, (int)c))
			sz_lazy_never(~(sz_set)0);
		break;
	case SYS_kill:
		sz_sends_as_the_kernel((int)a, (int)b);
		break;
	case SYS_fcntl:
		sz_lazy_never(sz_sent_by_input((int)b, c));
		break;
	}
	sz_flush(); // it may wait, and not be restarted
	return sz_syscall6(number, a, b, c, d, e, f);
}

__attribute__((visibility("hidden"))) long sz_syscall_c(long number, long a, long b, long c,
                                                        long d, long e, long f, void *caller)
{
	long result;

	sz_ensure_started();
	result = by_number(number, a, b, c, d, e, f, caller);
	if (result < 0 && result >= -4095) {
		errno = (int)-result;
		return -1;
	}
	return result;
}
