// SPDX-License-Identifier: MIT
// Critical sections that hold all signals back at the price of a few memory writes, for C11
// and C++11. Link with -lsigzero (pkg-config sigzero, CMake sigzero::sigzero) or libsigzero.a.
//
//	sigzero_block();
//	...                     no handler of this thread runs here, and no signal kills it
//	sigzero_unblock();      what arrived meanwhile is delivered here
//
// The manual has the rest: sigzero_block(3), sigfastblock(3), sigzero.h(3).
#ifndef SIGZERO_H
#define SIGZERO_H

#include <stdint.h>

#if !defined __linux__ || !defined __GNUC__
#error "sigzero.h needs Linux, and GCC or Clang"
#endif

// FreeBSD's sigfastblock(3): commands, and the layout of the word.
#define SIGFASTBLOCK_SETPTR 1
#define SIGFASTBLOCK_UNBLOCK 2
#define SIGFASTBLOCK_UNSETPTR 3

#define SIGFASTBLOCK_PEND 0x1  // a signal was held back: leaving must ask for it
#define SIGFASTBLOCK_FLAGS 0xf // the bits that are not the count
#define SIGFASTBLOCK_INC 0x10  // one section deeper

#define SIGZERO_PUBLIC __attribute__((__visibility__("default")))

// Inlined always; where an address is wanted it is that of the library's own copy.
#ifndef SIGZERO_INLINE
#define SIGZERO_INLINE extern __inline__ __attribute__((__gnu_inline__, __always_inline__))
#endif

#ifdef __cplusplus
extern "C" {
#endif

// PRIVATE from here, but frozen: it is compiled into programs.

// One a thread, written by that thread alone. `copy` is the negative of the count in `word`,
// or one INC off between the two writes; it is compared when a signal arrives, so that a stray
// write cannot make the program immune to ^C. Where the kernel reads the word (sigfastblock(2)) that
// is done when a section is entered or left.
struct sigzero_section {
	uint32_t word;
	uint32_t copy;
} __attribute__((__aligned__(8)));

extern SIGZERO_PUBLIC __thread struct sigzero_section sigzero_self
	__attribute__((__tls_model__("initial-exec")));

// Not 0: sections block for real.
extern SIGZERO_PUBLIC volatile unsigned char sigzero_slow;

SIGZERO_PUBLIC void sigzero_enter_slow(void) __attribute__((__cold__));
SIGZERO_PUBLIC void sigzero_leave_slow(void) __attribute__((__cold__));
SIGZERO_PUBLIC int sigzero_pending_slow(void) __attribute__((__cold__));

// What leaving must look at: PEND, other flags that nobody should have set, a count below 0.
#define SIGZERO_UNUSUAL (0x80000000u | SIGFASTBLOCK_FLAGS)

// A single instruction, since a signal that arrives in the middle of two may set PEND. Only
// the own thread writes, so no lock. The compiler moves nothing past it.
#ifdef __x86_64__
#define SIGZERO_ADD(field, amount)                                                          \
	__asm__ volatile("addl %1, %0" : "+m"(field) : "i"(amount) : "memory", "cc")
#else
#define SIGZERO_ADD(field, amount)                                                          \
	do {                                                                                \
		__atomic_signal_fence(__ATOMIC_SEQ_CST);                                    \
		(void)__atomic_fetch_add(&(field), (uint32_t)(amount), __ATOMIC_RELAXED);   \
		__atomic_signal_fence(__ATOMIC_SEQ_CST);                                    \
	} while (0)
#endif

// PUBLIC from here. All of it is async-signal-safe and for the calling thread only.

// sigzero_block(3). Holds all signals of this thread but SIGKILL and SIGSTOP until
// sigzero_unblock. Nests. Never fails. A child of fork inherits the section, a new thread
// does not.
SIGZERO_INLINE void sigzero_block(void)
{
	if (__builtin_expect(sigzero_slow != 0, 0)) {
		sigzero_enter_slow();
		return;
	}
	SIGZERO_ADD(sigzero_self.word, SIGFASTBLOCK_INC);
	SIGZERO_ADD(sigzero_self.copy, -SIGFASTBLOCK_INC);
}

// sigzero_block(3). Leaves the section entered last. If it was the outermost and a signal was
// held back, its handler has run when this returns.
SIGZERO_INLINE void sigzero_unblock(void)
{
	SIGZERO_ADD(sigzero_self.copy, SIGFASTBLOCK_INC);
	SIGZERO_ADD(sigzero_self.word, -SIGFASTBLOCK_INC);
	if (__builtin_expect((*(volatile uint32_t *)&sigzero_self.word & SIGZERO_UNUSUAL) != 0, 0))
		sigzero_leave_slow();
}

// sigzero_block(3). Is this thread in a section?
SIGZERO_INLINE int sigzero_blocked(void)
{
	return *(volatile uint32_t *)&sigzero_self.word >= SIGFASTBLOCK_INC;
}

// sigzero_block(3). Does a signal wait for this section to be left? No system call unless one may.
SIGZERO_INLINE int sigzero_pending(void)
{
	if (__builtin_expect((*(volatile uint32_t *)&sigzero_self.word & SIGFASTBLOCK_PEND) == 0, 1))
		return 0;
	return sigzero_pending_slow();
}

// sigfastblock(3): FreeBSD's system call on a word of the caller's own. 0, or -1 and errno.
SIGZERO_PUBLIC int sigfastblock(int cmd, void *ptr);

#ifdef __cplusplus
}
#endif

// The rest of the enclosing block is a section, however it is left but by longjmp and exit:
//	{ SIGZERO_SECTION; ... }
static __inline__ __attribute__((__always_inline__, __unused__)) void
sigzero_end_of_section(const char *unused)
{
	(void)unused;
	sigzero_unblock();
}

#define SIGZERO_JOIN2(a, b) a##b
#define SIGZERO_JOIN(a, b) SIGZERO_JOIN2(a, b)
#define SIGZERO_SECTION                                                                     \
	const char SIGZERO_JOIN(sigzero_section_, __LINE__)                                 \
		__attribute__((__cleanup__(sigzero_end_of_section), __unused__)) =          \
			(sigzero_block(), (char)0)

#ifdef __cplusplus
namespace sigzero {

// The life of an object of this class is a section.
class section {
public:
	section() noexcept { sigzero_block(); }
	~section() { sigzero_unblock(); }
	section(const section &) = delete;
	section &operator=(const section &) = delete;
};

} // namespace sigzero
#endif

#endif
