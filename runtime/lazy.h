// SPDX-License-Identifier: MIT
// Which signals may be blocked without telling the kernel, and when it pays to begin with it.
// All async-signal-safe.
#pragma once
#include <signal.h>
#include <stdbool.h>

#include "kernel.h"

// A block of these may be lazy, if what the program has installed allows it. Not those that
// a later SIGCONT must be able to discard while they are pending, nor SIGABRT, which libc's
// abort unblocks without us, nor real-time signals, whose order sending again would change.
#define SZ_LAZY_CANDIDATES                                                                  \
	((SZ_BIT(32) - 1) & ~(SZ_UNBLOCKABLE | SZ_BIT(SIGTSTP) | SZ_BIT(SIGTTIN) |          \
	                      SZ_BIT(SIGTTOU) | SZ_BIT(SIGCONT) | SZ_BIT(SIGABRT)))

#pragma GCC visibility push(hidden)

// The signals of which an arrival comes through us and cannot be told from a real block.
// 0 until the process is hot, and in every mode but lazy and check.
extern sz_set sz_lazy_ok;

// Is this mode lazy or check?
extern bool sz_lazy_mode;

// How many real changes make a process hot.
extern unsigned sz_hot_threshold;

// Real changes since the last were spent on guards.
extern unsigned sz_lazy_changes;

// Not to be blocked lazily, ever.
extern sz_set sz_lazy_excluded;

#pragma GCC visibility pop

// So many real changes are worth a guard where nothing was saved before: a program that does
// nothing but block for real becomes lazy too, and spends no more than a few of a hundred calls.
#define SZ_CHANGES_A_GUARD 32

// A call that the kernel never saw.
void sz_lazy_saved(void);

// The process is about to change its mask for real: from the threshold on, guards are put
// over the signals that it blocks. True if the change should be tried without a call again.
bool sz_lazy_instead(sz_set need);

// Foretells for a process that is hot that sz_lazy_instead would say no: `need` holds what may
// never be lazy.
static inline bool sz_lazy_is_hopeless(sz_set need)
{
	return need & (__atomic_load_n(&sz_lazy_excluded, __ATOMIC_RELAXED) | ~SZ_LAZY_CANDIDATES);
}

// The program changes what it does with a signal: should this be a guard? It costs no call.
bool sz_lazy_wants_guard(int sig, const struct sz_kernel_action *act);

// May a block of `sig` be lazy with this installed and no guard? Only what is restarted anyway,
// and with a siginfo that can be sent again.
bool sz_lazy_without_guard(int sig, const struct sz_kernel_action *act);

// What the program does with `sig` is being changed, or has been.
void sz_lazy_suspend(int sig);
void sz_lazy_refresh(int sig);

// These are never blocked lazily from here on. Flushes this thread.
void sz_lazy_never(sz_set signals);

// The same for all, and no guard stays: the wrapper will make no system call but rt_sigreturn.
void sz_lazy_end(void);
bool sz_lazy_ended(void);

// One was sent again.
void sz_lazy_promoted(int sig);

// The program waits for these, or looks whether they are pending. Another thread that blocks them
// lazily may have one in its hands for a moment, so with threads they are blocked for real from
// here on.
void sz_lazy_looked_for(sz_set signals);
