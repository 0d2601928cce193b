// SPDX-License-Identifier: MIT
// abort(3), ISO C and POSIX, and what assert(3) calls. libc sends SIGABRT to itself, and nothing may hold
// it back: a section that the kernel's word holds is made one that blocks for real, and that one libc
// opens for SIGABRT. Async-signal-safe, but for assert.
#include "mode.h"
#include "real.h"
#include "section_kernel.h"
#include "visibility.h"

_Noreturn void __assert_fail(const char *, const char *, unsigned, const char *);

// Weak, since a program linked with -static has libc's, and is to be told at its start.
SZ_INTERPOSE __attribute__((weak)) _Noreturn void abort(void)
{
	sz_ensure_started();
	sz_section_take_from_kernel();
	sz_real_abort();
	__builtin_unreachable();
}

SZ_INTERPOSE _Noreturn void __assert_fail(const char *assertion, const char *file, unsigned line,
                                          const char *function)
{
	sz_ensure_started();
	sz_section_take_from_kernel();
	sz_real___assert_fail(assertion, file, line, function);
	__builtin_unreachable();
}
