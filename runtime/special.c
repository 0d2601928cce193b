// SPDX-License-Identifier: MIT
// What is left to do between an arrival and the program's handler, where system calls are needed.
#define _GNU_SOURCE
#include <signal.h>

#include "arrival.h"
#include "mode.h"
#include "thread_state.h"

__attribute__((visibility("hidden"))) void sz_arrival_special(void *uc);

// Signals below us were to be held back and may not be sent again yet. That is done now; and what
// their wrappers have the kernel block must not be blocked here. Returns the ucontext of what
// they interrupted, or ours.
static void *send_those_below(void *uc)
{
	const sz_set everything = ~(sz_set)0;
	void *first;

	sz_kernel_change_mask(SIG_SETMASK, &everything, 0);
	first = sz_promote_all();
	sz_thread.kernel = sz_thread.mask;
	sz_kernel_change_mask(SIG_SETMASK, &sz_thread.mask, 0);
	return first ? first : uc;
}

void sz_arrival_special(void *uc)
{
	struct sz_arrival *arrival = sz_arrival_of(uc);
	void *interrupted = uc;

	sz_section_report(sz_arrival_section(arrival));
	if (arrival->previous || arrival->kernel & ~arrival->mask)
		interrupted = send_those_below(uc);
	if (arrival->details & SZ_ARRIVAL_GIVE_BACK)
		sz_give_back(interrupted);
	if (!sz_thread.held)
		sz_thread.held_since = 0;
}
