// SPDX-License-Identifier: MIT
// sigfastblock(2), after FreeBSD: a word of the program's own that stands for "block
// everything" while its count is not 0. Entering and leaving it is not seen here, so it needs
// handlers of ours for every signal from SETPTR on; where they cannot be had it fails with
// ENOSYS, as on a kernel without it, and the program must block for real.
//
// Async-signal-safe. Per thread; a child of fork inherits the registration, a new thread and a
// new program do not.
//
// Where the kernel has the call it gets the word, and does the rest.
#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>

#include "guard.h"
#include "libc_result.h"
#include "mode.h"
#include "section.h"
#include "section_kernel.h"
#include "visibility.h"

__thread uint32_t *sz_registered;

// Whether the word can be written, asked of the kernel, since a fault here would kill: an
// addition of 0, behind a futex that nobody waits for.
static bool is_mapped(uint32_t *word)
{
	uint32_t nobody = 0;
	uint32_t add_nothing = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0);

	return sz_syscall6(SYS_futex, (long)&nobody, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0,
	                   (long)word, add_nothing) != -EFAULT;
}

static int set_pointer(uint32_t *word)
{
	if (sz_registered)
		return -EBUSY;
	if ((uintptr_t)word % sizeof *word)
		return -EINVAL;
	if (!word)
		return -EFAULT;
	if (sz_section_fell_back() || !sz_guard_all())
		return -ENOSYS;
	sz_section_watch_end();
	sz_registered = word;
	return 0;
}

static int lost(void *caller)
{
	sz_registered = NULL;
	sz_section_open(caller);
	return -EFAULT;
}

static int unblock(void *caller)
{
	uint32_t pend = SIGFASTBLOCK_PEND;

	if (!sz_registered)
		return -EINVAL;
	if (!is_mapped(sz_registered))
		return lost(caller);
	if (!__atomic_compare_exchange_n(sz_registered, &pend, 0, false, __ATOMIC_RELAXED,
	                                 __ATOMIC_RELAXED))
		return -EBUSY;
	sz_section_open(caller);
	return 0;
}

static int unset_pointer(void *caller)
{
	uint32_t word;

	if (!sz_registered)
		return -EINVAL;
	if (!is_mapped(sz_registered))
		return lost(caller);
	word = SZ_READ(*sz_registered);
	if (word != 0 && word != SIGFASTBLOCK_PEND)
		return -EBUSY;
	sz_registered = NULL;
	if (word == SIGFASTBLOCK_PEND)
		sz_section_open(caller);
	return 0;
}

// Our own word can do without the kernel, the program's cannot always.
static bool is_for_kernel(int cmd, const void *ptr)
{
	if (sz_registered || !sz_sigfastblock_works())
		return false;
	if (cmd == SIGFASTBLOCK_SETPTR && ptr && (uintptr_t)ptr % sizeof(uint32_t) == 0)
		sz_section_take_from_kernel();
	return sz_given != SZ_GIVEN_OWN;
}

static int command(int cmd, void *ptr, void *caller)
{
	if (is_for_kernel(cmd, ptr))
		return (int)sz_sigfastblock(cmd, ptr);
	switch (cmd) {
	case SIGFASTBLOCK_SETPTR:
		return set_pointer(ptr);
	case SIGFASTBLOCK_UNBLOCK:
		return unblock(caller);
	case SIGFASTBLOCK_UNSETPTR:
		return unset_pointer(caller);
	}
	return -EINVAL;
}

SZ_INTERPOSE int sigfastblock(int cmd, void *ptr)
{
	int result;

	sz_ensure_started();
	result = command(cmd, ptr, SZ_CALLER);
	return sz_libc_result(result);
}
