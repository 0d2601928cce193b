// SPDX-License-Identifier: MIT
// The default action of a guarded signal, at the place where it arrived: the kernel is given
// SIG_DFL again and the signal once more, and acts when the wrapper returns, so that a core file
// shows the interrupted code. signal(7).
#define _GNU_SOURCE
#include "arrival.h"
#include "section.h"
#include "send_again.h"

// The guard stays ours: the process goes on after the stop.
static void stop_here(int sig, const siginfo_t *info)
{
	struct sz_kernel_action by_default = {0}, guard;
	sz_set set = SZ_BIT(sig);

	if (sz_kernel_sigaction(sig, &by_default, &guard) < 0)
		return;
	sz_send_to_thread(sig, info);
	sz_kernel_change_mask(SIG_UNBLOCK, &set, 0);
	sz_kernel_change_mask(SIG_BLOCK, &set, 0);
	sz_kernel_sigaction(sig, &guard, NULL);
}

void sz_default_action(int sig, siginfo_t *info, void *uc)
{
	struct sz_arrival *arrival = sz_arrival_of(uc);
	struct sz_kernel_action by_default = {0}, old;
	sz_set everything = ~SZ_UNBLOCKABLE;

	sz_section_report(sz_arrival_section(arrival));
	arrival->after = arrival->view;
	arrival->kernel_after = arrival->entry_mask;
	if (SZ_BIT(sig) & SZ_STOPS) {
		stop_here(sig, info);
		return;
	}
	// Of two that end the process the first does, also if the other comes only now.
	sz_kernel_change_mask(SIG_SETMASK, &everything, 0);
	sz_thread.kernel = everything;
	sz_kernel_sigaction(sig, &by_default, &old);
	sz_send_to_thread(sig, info);
	arrival->kernel_after &= ~SZ_BIT(sig);
}

void sz_yield(int sig, siginfo_t *info, void *uc)
{
	struct sz_arrival *arrival = sz_arrival_of(uc);

	(void)sig;
	(void)info;
	arrival->after = arrival->view;
	arrival->kernel_after = ~SZ_UNBLOCKABLE;
}
