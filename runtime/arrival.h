// SPDX-License-Identifier: MIT
// The arrival of a signal at a handler of the program: what the wrapper in
// x86_64/handler.S needs to know on the way in and on the way out.
#pragma once
#include <signal.h>
#include <ucontext.h>

#include "kernel.h"

enum sz_exit {
	SZ_EXIT_TRUST,   // afterwards the mask is what uc_sigmask says
	SZ_EXIT_FORGET,  // afterwards the mask is not known: libc has it changed for a while
	SZ_EXIT_FOREIGN, // the same, but we had blocked lazily: then what we knew stands
	SZ_EXIT_RESTORE, // we arrived on top of another arrival: leave all as it was
};

// PRIVATE, but read by the assembly: x86_64/offsets.h.
struct sz_arrival {
	uintptr_t handler;
	sz_set mask;         // for the handler: what it believes is blocked,
	sz_set kernel;       // and what is
	sz_set entry_mask;   // uc_sigmask as the kernel wrote it
	sz_set view;         // as the handler finds it: what the interrupted code believes
	sz_set after;        // what the interrupted code is to believe afterwards
	sz_set kernel_after; // and what the kernel is to block then
	sz_set saved_mask;
	sz_set saved_kernel;
	uintptr_t below;     // the ucontext of the arrival that we are on top of
	uint32_t saved_known;
	uint32_t known;      // whether that mask is certain; if not, the handler's calls ask
	uint32_t exit;
	uint8_t ours;        // the handler is one of ours, which sets `after` itself
	uint8_t special;     // there is more to do before the handler (promote.c)
	uint8_t give_back;   // the kernel may have restarted a call that must end with EINTR
	uint8_t section;     // what sz_section_holds said
};

#define SZ_ARRIVAL_BELOW_UC 112

static inline struct sz_arrival *sz_arrival_of(void *uc)
{
	return (struct sz_arrival *)((char *)uc - SZ_ARRIVAL_BELOW_UC);
}

// Blocks a signal that SA_NODEFER left open, so that it can be sent again.
void sz_arrival_defer(struct sz_arrival *arrival, int sig);

// Handlers of ours. They run like a handler of the program, with the state of the thread all
// written, so they may make system calls.

// Makes real what was blocked lazily and sends the signal again; the kernel holds it.
void sz_promote(int sig, siginfo_t *info, void *uc);

// The default action of a signal for which we stand guard.
void sz_default_action(int sig, siginfo_t *info, void *uc);

// The kernel has set up a restart of the interrupted call, because it was told so for our
// sake: ends the call with EINTR as the program asked, if that is what happened.
void sz_give_back(void *uc);
