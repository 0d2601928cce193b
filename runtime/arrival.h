// SPDX-License-Identifier: MIT
// The arrival of a signal at a handler of the program: what the wrapper in
// x86_64/handler.S needs to know on the way in and on the way out.
#pragma once
#include <signal.h>
#include <ucontext.h>

#include "kernel.h"
#include "section.h"

enum sz_exit {
	SZ_EXIT_TRUST,   // afterwards the mask is what uc_sigmask says
	SZ_EXIT_FORGET,  // afterwards the mask is not known: libc has it changed for a while
	SZ_EXIT_FOREIGN, // the same, but we had blocked lazily: then what we knew stands
};

// PRIVATE, but read by the assembly: x86_64/offsets.h.
struct sz_arrival {
	uintptr_t handler;
	sz_set mask;           // for the handler: what it believes is blocked,
	sz_set kernel;         // and what is
	sz_set entry_mask;     // uc_sigmask as the kernel wrote it
	sz_set view;           // as the handler finds it: what the interrupted code believes
	sz_set after;          // what the interrupted code is to believe afterwards
	sz_set kernel_after;   // and what the kernel is to block then
	sz_set before_mask;    // V, K and `known` as the interrupted code had them,
	sz_set before_kernel;
	sz_set left_mask;      // and as the handler left them
	sz_set left_kernel;
	uintptr_t promoting;   // the thread's, once this has arrived
	uintptr_t previous;    // and before
	uint32_t before_known;
	uint32_t left_known;
	uint32_t known;        // whether the handler's mask is certain; if not, its calls ask
	uint8_t exit;
	uint8_t ours;          // the handler is one of ours, which sets `after` itself
	uint8_t special;       // there is more to do before the handler: sz_arrival_special
	uint8_t details;       // enum sz_arrival_detail
};

enum sz_arrival_detail {
	SZ_ARRIVAL_SECTION = 7,       // what sz_section_holds said
	SZ_ARRIVAL_GIVE_BACK = 1 << 3, // the kernel may have restarted a call that must end with EINTR
};

#define SZ_ARRIVAL_BELOW_UC 128

#define SZ_SYSCALL_INSTRUCTION 0x050f // as a word; leaves its return address in rcx, the flags in r11

static inline struct sz_arrival *sz_arrival_of(void *uc)
{
	return (struct sz_arrival *)((char *)uc - SZ_ARRIVAL_BELOW_UC);
}

// Sends all again that is still to be sent; the kernel must block everything. The ucontext of the
// first of them, or NULL.
void *sz_promote_all(void);

static inline enum sz_section_state sz_arrival_section(const struct sz_arrival *arrival)
{
	return (enum sz_section_state)(arrival->details & SZ_ARRIVAL_SECTION);
}

// Handlers of ours. They run like a handler of the program, with the state of the thread all
// written, so they may make system calls.

// Makes real what was blocked lazily and sends the signal again; the kernel holds it.
void sz_promote(int sig, siginfo_t *info, void *uc);

// The default action of a signal for which we stand guard.
void sz_default_action(int sig, siginfo_t *info, void *uc);

// Nothing: the process is about to end below.
void sz_yield(int sig, siginfo_t *info, void *uc);

// The kernel has set up a restart of the interrupted call, because it was told so for our
// sake: ends the call with EINTR as the program asked, if that is what happened.
void sz_give_back(void *uc);
