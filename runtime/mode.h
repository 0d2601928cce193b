// SPDX-License-Identifier: MIT
// How much the runtime does in this process. DESIGN: modes of the runtime.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum sz_mode {
	SZ_UNSET,  // before sz_start: pass everything through
	SZ_OFF,    // do nothing
	SZ_WATCH,  // pass through and count
	SZ_SHADOW, // remember the mask and the dispositions
	SZ_LAZY,   // and block without telling the kernel where that cannot be told
	SZ_CHECK,  // lazy, and ask the kernel after each step
};

#pragma GCC visibility push(hidden)

extern uint32_t sz_mode;

// 1 where the mask may be remembered (shadow, lazy, check); 0 for good once we stepped aside.
extern uint32_t sz_remember;

// What a thread's two words must be for its mask to be used without a further look: 1 in
// mode shadow, and in mode lazy after some calls, otherwise something that they never are.
#define SZ_NEVER (~(uint64_t)0)
extern uint64_t sz_usable;

// 1 in mode check, for the assembly.
extern uint8_t sz_checking;

#pragma GCC visibility pop

// Reads the environment and finds libc's functions. Runs as a constructor, and before that
// from the first call of another library's constructor. Not async-signal-safe; a second
// call returns at once.
void sz_start(void);

static inline void sz_ensure_started(void)
{
	if (__builtin_expect(sz_mode == SZ_UNSET, 0))
		sz_start();
}

// Something changes signals behind libc's back: from here on every call goes to the kernel,
// in all threads, for good. Says `why` once, in one line. Async-signal-safe.
void sz_step_aside(const char *why);

// One line on standard error (unless SIGZERO_QUIET) and in the counter file.
// Async-signal-safe.
void sz_say(const char *text);
