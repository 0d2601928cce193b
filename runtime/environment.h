// SPDX-License-Identifier: MIT
// How the runtime is told what to do, and how it keeps out of the program's sight.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "mode.h"

struct sz_settings {
	enum sz_mode mode;
	const char *bad_mode; // the value of SIGZERO_MODE if it is none, else NULL
	const char *out;      // SIGZERO_OUT
	const char *follow;   // SIGZERO_FOLLOW: patterns of programs to treat; NULL: this one only
	bool quiet;           // SIGZERO_QUIET
	const char *hot;      // SIGZERO_HOT: real changes before laziness begins; NULL: as we think
	const char *filters;  // SIGZERO_FILTERS: so many seccomp filters are known to let us work; NULL: 0
};

// SIGZERO_SIGFASTBLOCK=off: the kernel's is not used.
extern bool sz_environment_no_sigfastblock __attribute__((visibility("hidden")));

// Reads SIGZERO_*. If children are not followed, takes our variables and our entry in
// LD_PRELOAD out of the environment, in place: the program sees what it would have seen.
// Not async-signal-safe.
void sz_environment_read(struct sz_settings *settings);

// The environment for an exec of the process that was started itself: what was taken out
// goes back in. Room of this many bytes is needed for it. Async-signal-safe.
size_t sz_environment_size(char *const envp[]);
char **sz_environment_restore(void *room, char *const envp[]);

// Must sz_environment_restore be used for an exec now?
bool sz_environment_is_needed(void);
