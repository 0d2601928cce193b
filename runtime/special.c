// SPDX-License-Identifier: MIT
// What is left to do between an arrival and the program's handler, where system calls are needed.
#define _GNU_SOURCE
#include <signal.h>

#include "arrival.h"
#include "guard.h"
#include "mode.h"
#include "thread_state.h"

__attribute__((visibility("hidden"))) void sz_arrival_special(int sig, void *uc,
                                                               int record);

// Signals below us were to be held back and are not sent again yet. That is done now, and where
// there is nothing between them and us they never came: we interrupted what the first of them
// did, with what they are to block blocked.
static void instead_of(ucontext_t *uc, struct sz_arrival *arrival, sz_set own)
{
	const sz_set everything = ~(sz_set)0;
	const struct sz_arrival *below;
	ucontext_t *first;

	sz_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&everything, 0, sizeof everything);
	first = sz_promote_all();
	if (first && !(arrival->previous & SZ_PROMOTING_BENEATH)) {
		below = sz_arrival_of(first);
		uc->uc_mcontext = first->uc_mcontext;
		uc->uc_stack = first->uc_stack;
		arrival->entry_mask = arrival->view = below->view;
		arrival->kernel = arrival->mask = (below->view | own) & ~SZ_UNBLOCKABLE;
		arrival->known = sz_remember;
		arrival->exit = SZ_EXIT_TRUST;
		*(sz_set *)&uc->uc_sigmask = arrival->view;
	}
	sz_thread.mask = arrival->mask;
	sz_thread.kernel = arrival->kernel;
	sz_thread.known = arrival->known;
	sz_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&arrival->kernel, 0,
	            sizeof arrival->kernel);
}

void sz_arrival_special(int sig, void *uc, int record)
{
	struct sz_arrival *arrival = sz_arrival_of(uc);
	const struct sz_handler_record *shape = &sz_handler_records[sz_guard_shape(sig, record)];

	sz_section_report(sz_arrival_section(arrival));
	if (sz_thread.promoting)
		instead_of(uc, arrival,
		           shape->mask | (shape->flags & SA_NODEFER ? 0 : SZ_BIT(sig)));
	if (arrival->details & SZ_ARRIVAL_GIVE_BACK)
		sz_give_back(uc);
}
