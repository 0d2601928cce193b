// SPDX-License-Identifier: MIT
#include "check.h"

#include <stddef.h>

#include "mask.h"
#include "report_line.h"

static _Noreturn void report(const char *what, uint64_t remembered, uint64_t kernel)
{
	struct sz_line line;

	sz_line_start(&line, "sigzero: check: ");
	sz_line_text(&line, what);
	sz_line_text(&line, ": remembered 0x");
	sz_line_hex(&line, remembered);
	sz_line_text(&line, ", the kernel has 0x");
	sz_line_hex(&line, kernel);
	sz_line_write(&line);
	__builtin_trap();
}

// A handler may run between our two looks and change the mask in its uc_sigmask: the
// kernel's word counts only between two equal readings of ours.
static void compare(const char *what)
{
	sz_set before, kernel, after;

	do {
		if (SZ_KNOWN != SZ_IS_KNOWN)
			return;
		before = SZ_READ(sz_thread.kernel);
		if (sz_kernel_mask(&kernel) < 0)
			return;
		after = SZ_READ(sz_thread.kernel);
	} while (before != after || SZ_KNOWN != SZ_IS_KNOWN);
	// A cancelled thread runs its cleanup with libc's own signal blocked.
	if ((kernel ^ before) & ~SZ_LIBC_INTERNAL)
		report(what, before, kernel);
}

void sz_check_mask(void)
{
	compare("signal mask");
}

void sz_check_disposition(const struct sz_kernel_action *remembered,
                          const struct sz_kernel_action *kernel)
{
	if (kernel->handler != remembered->handler)
		report("handler", remembered->handler, kernel->handler);
	if (kernel->mask != remembered->mask)
		report("sa_mask", remembered->mask, kernel->mask);
	if ((uint32_t)kernel->flags != (uint32_t)remembered->flags)
		report("sa_flags", (uint32_t)remembered->flags, (uint32_t)kernel->flags);
}
