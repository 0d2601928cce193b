// SPDX-License-Identifier: MIT
// A signal arrived that the program believes is blocked: from here on the kernel blocks it too,
// and holds it. It was taken off the kernel's queue, so it is sent again. Until that is done
// another signal may come, and its handler may jump away from us or open the mask; therefore
// what is still to be sent hangs on a chain, and whoever runs a handler sends it first
// (special.c).
#define _GNU_SOURCE
#include <stddef.h>
#include <time.h>

#include "arrival.h"
#include "lazy.h"
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

// The kernel's ucontext ends with a mask of 8 bytes, and siginfo is next to it.
static siginfo_t *siginfo_of(void *uc)
{
	return (siginfo_t *)((char *)uc + offsetof(ucontext_t, uc_sigmask) + sizeof(sz_set));
}

void *sz_promote_all(void)
{
	void *uc = NULL;

	while (sz_thread.promoting) {
		uc = (void *)sz_thread.promoting;
		sz_send_again(siginfo_of(uc)->si_signo, siginfo_of(uc));
		if (siginfo_of(uc)->si_signo > 0 && siginfo_of(uc)->si_signo <= SZ_SIGNALS)
			sz_lazy_promoted(siginfo_of(uc)->si_signo);
		sz_thread.promoting = sz_arrival_of(uc)->previous;
	}
	return uc;
}

// Another thread may have installed a handler to which the kernel gives no siginfo, and which
// cannot be told to: one with SA_RESETHAND. What lies there then is of old. The signal stays here.
static void complete(siginfo_t *info, int sig)
{
	if (info->si_signo == sig)
		return;
	*info = (siginfo_t){.si_signo = sig, .si_code = SI_TKILL};
	info->si_pid = (pid_t)sz_syscall4(SYS_getpid, 0, 0, 0, 0);
	info->si_uid = (uid_t)sz_syscall4(SYS_getuid, 0, 0, 0, 0);
}

// V is left alone until the end: to be held back is nothing that the interrupted code can see,
// and a handler that ran on top of us may have changed it.
void sz_promote(int sig, siginfo_t *info, void *uc)
{
	struct sz_arrival *arrival = sz_arrival_of(uc);
	const sz_set everything = ~(sz_set)0;

	sz_kernel_change_mask(SIG_SETMASK, &everything, 0);
	complete(info, sig);
	sz_thread.kernel = everything & ~SZ_UNBLOCKABLE;
	arrival->after = sz_thread.mask;
	arrival->kernel_after = sz_thread.mask;
	if (sz_arrival_section(arrival) == SZ_SECTION_HOLDS) {
		sz_section_pend();
		sz_thread.held = 1;
		arrival->kernel_after = SZ_SECTION_MASK | arrival->entry_mask;
		if (arrival->exit == SZ_EXIT_FORGET)
			arrival->exit = SZ_EXIT_TRUST;
	}
	hold_since_now();
	sz_promote_all();
}
