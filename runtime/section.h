// SPDX-License-Identifier: MIT
// Critical sections (sigzero.h), seen from the arrival of a signal. A thread has two words: its
// own, entered by the inline functions, and one that it may have registered by sigfastblock(2).
// While the count in either is not 0, nothing may be delivered.
//
// What is inlined here makes no call and no system call, and may be run twice: the handler
// wrapper uses it before the arrival has happened.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel.h"
#include "sigzero.h"
#include "thread_state.h"

#define SZ_ALWAYS_INLINE static inline __attribute__((always_inline))

// What a section holds back. libc's own two signals keep threads cancellable, and setuid and its
// kin working.
#define SZ_SECTION_MASK (~(SZ_UNBLOCKABLE | SZ_LIBC_INTERNAL))

// The word given to sigfastblock(SIGFASTBLOCK_SETPTR), or NULL.
extern __thread uint32_t *sz_registered
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

_Static_assert(offsetof(struct sigzero_section, word) == 0 &&
               offsetof(struct sigzero_section, copy) == 4 && sizeof(struct sigzero_section) == 8,
               "vfork.S keeps them as one word");

enum sz_section_state {
	SZ_SECTION_NONE,
	SZ_SECTION_HOLDS,
	// The rest lets signals through and is to be reported.
	SZ_SECTION_BELOW_ZERO,
	SZ_SECTION_OVERWRITTEN,
	SZ_SECTION_REGISTERED_BELOW_ZERO,
	SZ_SECTION_ENDED, // never a state of a running thread
};

SZ_ALWAYS_INLINE uint32_t sz_section_count(uint32_t word)
{
	return word & ~(uint32_t)SIGFASTBLOCK_FLAGS;
}

SZ_ALWAYS_INLINE enum sz_section_state sz_section_judge(uint32_t word, uint32_t copy)
{
	uint32_t off = sz_section_count(word) + copy; // INC in the middle of entering or leaving

	if (__builtin_expect((int32_t)word < 0, 0))
		return SZ_SECTION_BELOW_ZERO;
	if (__builtin_expect(off != 0 && off != SIGFASTBLOCK_INC, 0))
		return SZ_SECTION_OVERWRITTEN;
	return sz_section_count(word) ? SZ_SECTION_HOLDS : SZ_SECTION_NONE;
}

// Is a section in force for this thread now? SZ_SECTION_HOLDS if so; what is above that goes
// to sz_section_report once calls are possible again.
SZ_ALWAYS_INLINE enum sz_section_state sz_section_holds(void)
{
	enum sz_section_state own = sz_section_judge(SZ_READ(sigzero_self.word),
	                                             SZ_READ(sigzero_self.copy));
	uint32_t *registered = sz_registered;
	uint32_t word = registered ? SZ_READ(*registered) : 0;

	if (__builtin_expect((int32_t)word < 0, 0))
		return own == SZ_SECTION_HOLDS ? own : SZ_SECTION_REGISTERED_BELOW_ZERO;
	return sz_section_count(word) ? SZ_SECTION_HOLDS : own;
}

// A signal was held back: whoever leaves the section that holds it must ask for it.
SZ_ALWAYS_INLINE void sz_section_pend(void)
{
	uint32_t *registered = sz_registered;

	if (sz_section_judge(sigzero_self.word, sigzero_self.copy) == SZ_SECTION_HOLDS)
		SZ_READ(sigzero_self.word) |= SIGFASTBLOCK_PEND;
	if (registered && sz_section_count(SZ_READ(*registered)))
		SZ_READ(*registered) |= SIGFASTBLOCK_PEND;
}

// A fault at this address, raised by our own look at the registered word: somebody unmapped
// it. Forgets the word and says so; the fault is the program's then, as on FreeBSD.
SZ_ALWAYS_INLINE bool sz_section_lost_word(uintptr_t address)
{
	if (!sz_registered || address - (uintptr_t)sz_registered >= sizeof(uint32_t))
		return false;
	sz_registered = NULL;
	return true;
}

#pragma GCC visibility push(hidden)

// Says once a thread what is wrong with its words, and what to do. Async-signal-safe.
void sz_section_report(enum sz_section_state state);

// This thread's end is to be looked at, to report a section that is never left.
// Async-signal-safe.
void sz_section_watch_end(void);

// From here on sections block for real, for good: our handlers cannot be relied on, or sending
// a signal again would change the order of delivery. Async-signal-safe.
void sz_section_fall_back(void);
bool sz_section_fell_back(void);

// Blocks everything for real, for the section that is entered or in force. Async-signal-safe.
void sz_section_hold(void *caller);

// A section is no part of what a started program or thread inherits, but the kernel may have it
// in the mask. Where libc gives no other way the section is lent: until it is taken back it is
// not in force, and what was held back is delivered. None of it costs a call outside of sections.
struct sz_section_loan {
	struct sigzero_section words;
	uint32_t *registered;
	bool lent;
};
void sz_section_lend(struct sz_section_loan *loan, void *caller);
void sz_section_take_back(const struct sz_section_loan *loan, void *caller);

// Is there one, so that what starts now must be given *mask? Async-signal-safe.
bool sz_section_mask_to_hand_on(sz_set *mask);

// The outermost section was left: makes the kernel hold what the program blocks, unless the
// other word's section still is in force. Async-signal-safe.
void sz_section_open(void *caller);

#pragma GCC visibility pop
