// SPDX-License-Identifier: MIT
// Mode `watch`: counters by function and caller, in a file that outlives the process
// (watch_format.h). All async-signal-safe; in other modes the callers below do nothing.
#pragma once
#include <stdbool.h>

#include "functions.h"
#include "kernel.h"
#include "mode.h"

void sz_watch_start(const char *directory, bool follow);

// One rt_sigprocmask: its result, and the kernel's mask before it.
void sz_watch_mask(enum sz_function fn, void *caller, long result, int how, const sz_set *set,
                   sz_set before);

// One rt_sigaction. `known`: mode shadow would have answered it from memory.
void sz_watch_action(enum sz_function fn, void *caller, long result, int sig,
                     const struct sz_kernel_action *act, bool same, bool known);

// Calls that mode lazy would make of its own.
void sz_watch_added(unsigned masks, unsigned actions);

void sz_watch_count_other(enum sz_function fn, void *caller);
void sz_watch_count_opaque(enum sz_function fn, void *caller);
void sz_watch_note(const char *text);

// Another signal system call.
static inline void sz_watch_other(enum sz_function fn, void *caller)
{
	sz_ensure_started();
	if (__builtin_expect(sz_mode == SZ_WATCH, 0))
		sz_watch_count_other(fn, caller);
}

// A function of libc that makes its signal calls inside, where we do not see them.
static inline void sz_watch_opaque(enum sz_function fn, void *caller)
{
	sz_ensure_started();
	if (__builtin_expect(sz_mode == SZ_WATCH, 0))
		sz_watch_count_opaque(fn, caller);
}
