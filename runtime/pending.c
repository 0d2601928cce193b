// SPDX-License-Identifier: MIT
// sigpending(2) and sigaltstack(2): nothing to win, only counted. What waits for the whole process is
// pending only where the kernel blocks it. Async-signal-safe.
#include <signal.h>

#include "mask.h"
#include "libc_result.h"
#include "visibility.h"
#include "watch.h"

SZ_INTERPOSE int sigpending(sigset_t *set)
{
	sz_watch_other(SZ_FN_SIGPENDING, SZ_CALLER);
	sz_lazy_looked_for(~(sz_set)0);
	sz_flush();
	return sz_libc_result(sz_syscall4(SYS_rt_sigpending, (long)set, sizeof(sz_set), 0, 0));
}

SZ_INTERPOSE int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
	sz_watch_other(SZ_FN_SIGALTSTACK, SZ_CALLER);
	return sz_libc_result(sz_syscall4(SYS_sigaltstack, (long)stack, (long)old, 0, 0));
}
