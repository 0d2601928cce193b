// SPDX-License-Identifier: MIT
// The arrival of a signal at a handler of the program: what the wrapper in
// x86_64/handler.S needs to know on the way in and on the way out.
#pragma once
#include "kernel.h"

enum sz_exit {
	SZ_EXIT_TRUST,   // afterwards the mask is what uc_sigmask says
	SZ_EXIT_FORGET,  // afterwards the mask is not known: libc has it changed for a while
	SZ_EXIT_RESTORE, // we arrived on top of another arrival: leave all as it was
};

// PRIVATE, but read by the assembly: x86_64/offsets.h.
struct sz_arrival {
	uintptr_t handler;
	sz_set mask;             // for the handler
	sz_set entry_mask;       // uc_sigmask as the kernel wrote it
	sz_set saved_mask;
	uint32_t saved_known;
	uint32_t exit;
	uint32_t known;          // whether that mask is certain; if not, the handler's calls ask
	uint32_t saved_ask;
};
