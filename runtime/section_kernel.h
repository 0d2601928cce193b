// SPDX-License-Identifier: MIT
// sigfastblock(2) of a patched kernel (kernel/ in the source). A thread gives the kernel one word, and
// while the count in it is not 0 the kernel holds everything but KILL and STOP back: 32 and 33 too.
//
// > Where a thread has given its own word, K is what it is outside of sections, and no signal
// > arrives in one; PEND is the kernel's, which sets it whenever the count is not 0.
//
// All of it is async-signal-safe.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum sz_given {
	SZ_GIVEN_NOTHING,
	SZ_GIVEN_OWN,   // sigzero_self.word
	SZ_GIVEN_OTHER, // somebody was faster; not asked again
};
extern __thread uint32_t sz_given __attribute__((tls_model("initial-exec")));

// The call itself, by its kernel's rules. Only where it can be had.
long sz_sigfastblock(int command, void *word);

// Can it be had here? Found out once a process, by system calls.
bool sz_sigfastblock_works(void);

// Gives the kernel this thread's own word, if that can be had. `entered`: how many sections the
// process has made by now.
bool sz_section_give(uint32_t entered);

// Takes it back. A section that is in force blocks for real from here on.
void sz_section_take_from_kernel(void);

// The same, and no thread of this process gives the kernel anything from here on.
void sz_section_without_kernel(void);

// A child of vfork may do to the word what it likes, and what it does to the mask is its own: so
// a section blocks for real while there is one.
void sz_section_before_vfork(void);

#pragma GCC visibility pop
