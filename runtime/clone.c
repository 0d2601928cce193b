// SPDX-License-Identifier: MIT
// clone(2) through libc. A child that shares our memory but not our signals must not leave
// what it learns about itself in our state.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdarg.h>

#include "mask.h"
#include "real.h"
#include "section.h"
#include "thread_state.h"
#include "visibility.h"

static bool shares_thread_storage(int flags)
{
	return flags & CLONE_VM && !(flags & CLONE_SETTLS);
}

// What a child that the parent sleeps for needs; on the parent's stack, which both share.
struct child {
	int (*function)(void *);
	void *argument;
	sz_set mask;
};

static int start(void *argument)
{
	struct child child = *(struct child *)argument;

	sz_kernel_change_mask(SIG_SETMASK, &child.mask, NULL);
	return child.function(child.argument);
}

// As vfork: we sleep until the child is gone, and take our state back. libc makes the call, so that
// there is no telling in which instruction of it a signal arrived: none may, as in posix_spawn.
static int clone_and_sleep(struct child *child, void *stack, int flags, pid_t *parent_tid,
                           void *tls, pid_t *child_tid)
{
	sz_set everything = ~(sz_set)0;
	struct sigzero_section words;
	struct sz_thread before;
	uint32_t *registered;
	int pid;

	sz_flush();
	sz_kernel_change_mask(SIG_SETMASK, &everything, &child->mask);
	before = sz_thread;
	words = sigzero_self;
	registered = sz_registered;
	sz_thread.vfork_child = 1;
	pid = sz_real_clone(start, stack, flags, child, parent_tid, tls, child_tid);
	before.forgetful = SZ_READ(sz_thread.forgetful); // set by other threads, for good
	sz_thread = before;
	sigzero_self = words;
	sz_registered = registered;
	sz_kernel_change_mask(SIG_SETMASK, &child->mask, NULL);
	return pid;
}

SZ_INTERPOSE int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	struct child child = {function, argument, 0};
	pid_t *parent_tid, *child_tid;
	va_list rest;
	void *tls;

	va_start(rest, argument);
	parent_tid = va_arg(rest, pid_t *);
	tls = va_arg(rest, void *);
	child_tid = va_arg(rest, pid_t *);
	va_end(rest);
	sz_ensure_started();
	if (!(flags & CLONE_VFORK) && flags & CLONE_VM &&
	    (shares_thread_storage(flags) || !(flags & CLONE_SIGHAND)))
		sz_step_aside("clone made a process that shares our memory but not our signals");
	if (flags & CLONE_NEWPID)
		sz_lazy_end();
	if (shares_thread_storage(flags) && flags & CLONE_VFORK && function && stack && sz_remember)
		return clone_and_sleep(&child, stack, flags, parent_tid, tls, child_tid);
	if (flags & CLONE_VM)
		sz_flush();
	return sz_real_clone(function, stack, flags, argument, parent_tid, tls, child_tid);
}
int __clone(int (*)(void *), void *, int, void *, ...) __attribute__((nothrow, leaf)) SZ_ALIAS(clone);
