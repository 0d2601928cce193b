// SPDX-License-Identifier: MIT
// The masks of 4.2BSD: the first 32 signals in an int. sigblock(3), removed from POSIX.
// All async-signal-safe.

#include "mask.h"
#include "libc_result.h"
#include "visibility.h"

static int bsd_mask_op(int how, int mask, void *caller, enum sz_function fn)
{
	sz_set set = (unsigned)mask, old;
	int result;

	set &= ~SZ_LIBC_INTERNAL;
	result = sz_mask_op(how, &set, &old, caller, fn);
	if (result < 0)
		return sz_libc_result(result);
	return (int)(unsigned)old;
}

SZ_INTERPOSE int sigblock(int mask)
{
	return bsd_mask_op(0, mask, SZ_CALLER, SZ_FN_SIGBLOCK);
}

SZ_INTERPOSE int sigsetmask(int mask)
{
	return bsd_mask_op(2, mask, SZ_CALLER, SZ_FN_SIGSETMASK);
}

SZ_INTERPOSE int siggetmask(void)
{
	return bsd_mask_op(0, 0, SZ_CALLER, SZ_FN_SIGGETMASK);
}
