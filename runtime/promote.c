// SPDX-License-Identifier: MIT
// A signal arrived that the program believes is blocked: from here on the kernel blocks it too,
// and holds it. It was taken off the kernel's queue, so it is sent again.
#define _GNU_SOURCE
#include <time.h>

#include "arrival.h"
#include "mode.h"
#include "section.h"
#include "send_again.h"
#include "thread_state.h"

static void hold_since_now(void)
{
	struct timespec now;

	if (sz_thread.held_since)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	sz_thread.held_since = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void sz_arrival_defer(struct sz_arrival *arrival, int sig)
{
	sz_set set = SZ_BIT(sig);

	if (arrival->kernel & set)
		return;
	sz_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, (long)&set, 0, sizeof set);
	sz_thread.kernel |= set;
}

__attribute__((visibility("hidden"))) void sz_arrival_special(void *uc)
{
	const struct sz_arrival *arrival = sz_arrival_of(uc);

	sz_section_report(arrival->section);
	if (arrival->give_back)
		sz_give_back(uc);
}

void sz_promote(int sig, siginfo_t *info, void *uc)
{
	struct sz_arrival *arrival = sz_arrival_of(uc);
	sz_set held = arrival->view;

	if (arrival->section == SZ_SECTION_HOLDS) {
		sz_section_pend();
		sz_thread.held = 1;
		held = SZ_SECTION_MASK | arrival->entry_mask;
		if (arrival->exit == SZ_EXIT_FORGET)
			arrival->exit = SZ_EXIT_TRUST;
	}
	arrival->after = arrival->view;
	arrival->kernel_after = held;
	arrival->saved_kernel |= held & (arrival->section == SZ_SECTION_HOLDS
	                                         ? ~(sz_set)0
	                                         : arrival->saved_mask);
	hold_since_now();
	sz_arrival_defer(arrival, sig);
	sz_send_again(sig, info);
}
