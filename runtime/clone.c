// SPDX-License-Identifier: MIT
// clone(2) through libc. A child that shares our memory but not our signals must not leave
// what it learns about itself in our state.
#define _GNU_SOURCE
#include <sched.h>
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

SZ_INTERPOSE int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	struct sigzero_section words;
	struct sz_thread before;
	uint32_t *registered;
	va_list rest;
	pid_t *parent_tid, *child_tid;
	void *tls;
	int pid;

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
	if (!shares_thread_storage(flags) || !(flags & CLONE_VFORK)) {
		if (flags & CLONE_VM)
			sz_flush();
		return sz_real_clone(function, stack, flags, argument, parent_tid, tls, child_tid);
	}

	sz_flush();
	// As vfork: we sleep until the child is gone. What the mask is then, the kernel knows
	// better than a copy: a handler may have changed it in between. But not in a section that
	// blocks everything.
	before = sz_thread;
	words = sigzero_self;
	registered = SZ_READ(sz_registered);
	SZ_READ(sz_thread.vfork_child) = 1;
	pid = sz_real_clone(function, stack, flags, argument, parent_tid, tls, child_tid);
	SZ_READ(sz_thread.known) = 0;
	SZ_READ(sz_thread.vfork_child) = before.vfork_child;
	if (before.held) {
		SZ_READ(sz_thread.mask) = before.mask;
		SZ_READ(sz_thread.kernel) = before.kernel;
		SZ_READ(sz_thread.known) = before.known;
		SZ_READ(sz_thread.held) = 1;
		sigzero_self = words;
	}
	SZ_READ(sz_registered) = registered;
	return pid;
}
int __clone(int (*)(void *), void *, int, void *, ...) __attribute__((nothrow, leaf)) SZ_ALIAS(clone);
