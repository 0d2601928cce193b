// SPDX-License-Identifier: MIT
// Our entry, called as a function by somebody who read it from the kernel and takes it for the
// program's handler. The arrival did not come through us, so what the kernel blocks is not
// known, before or after.
#include <signal.h>

#include "guard.h"
#include "mask.h"

__attribute__((visibility("hidden"))) void sz_called_as_function(int sig, siginfo_t *info,
                                                                 void *uc, int record);

void sz_called_as_function(int sig, siginfo_t *info, void *uc, int record)
{
	struct sz_thread before = sz_thread;
	sz_set lazily = before.known ? before.mask & ~before.kernel : 0, kernel;
	uintptr_t handler;

	if (sig < 1 || sig > SZ_SIGNALS)
		return;
	handler = sz_handler_records[sz_guard_record(sig, record)].handler;
	SZ_READ(sz_thread.known) = 0;
	if (lazily && sz_kernel_mask(&kernel) == 0) {
		SZ_READ(sz_thread.mask) = kernel | lazily;
		SZ_READ(sz_thread.kernel) = kernel;
		SZ_READ(sz_thread.known) = 1;
	}
	if (handler)
		((void (*)(int, siginfo_t *, void *))handler)(sig, info, uc);
	SZ_READ(sz_thread.known) = 0;
	if (lazily) {
		SZ_READ(sz_thread.mask) = before.mask;
		SZ_READ(sz_thread.kernel) = before.kernel;
		SZ_READ(sz_thread.known) = 1;
	}
}
