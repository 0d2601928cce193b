// SPDX-License-Identifier: MIT
// clone(2) through libc. A child that shares our memory but not our signals must not leave
// what it learns about itself in our state.
#define _GNU_SOURCE
#include <sched.h>
#include <stdarg.h>

#include "mask.h"
#include "real.h"
#include "thread_state.h"
#include "visibility.h"

static bool shares_thread_storage(int flags)
{
	return flags & CLONE_VM && !(flags & CLONE_SETTLS);
}

SZ_INTERPOSE int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	uint32_t vfork_child;
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
	// better than a copy: a handler may have changed it in between.
	vfork_child = SZ_READ(sz_thread.vfork_child);
	SZ_READ(sz_thread.vfork_child) = 1;
	pid = sz_real_clone(function, stack, flags, argument, parent_tid, tls, child_tid);
	SZ_READ(sz_thread.known) = 0;
	SZ_READ(sz_thread.vfork_child) = vfork_child;
	return pid;
}
int __clone(int (*)(void *), void *, int, void *, ...) __attribute__((nothrow, leaf)) SZ_ALIAS(clone);
