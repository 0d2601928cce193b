// SPDX-License-Identifier: MIT
// How functions of libc say that they failed.
#pragma once
#include <errno.h>

// 0 or a negative errno, as the kernel and most functions here return it, in libc's words.
static inline int sz_libc_result(long result)
{
	if (__builtin_expect(result >= 0, 1))
		return 0;
	errno = (int)-result;
	return -1;
}
