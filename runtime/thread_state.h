// SPDX-License-Identifier: MIT
// What the runtime remembers of each thread, in initial-exec thread-local storage: one
// instruction to read, and safe in a signal handler.
//
// The invariant: while `known` is set, `mask` is what the kernel blocks for this thread,
// at every instruction of the program outside the windows that arrival.c repairs. Only
// three pieces of code write it: sz_mask_call (after the system call), the handler wrapper
// (from uc_sigmask, the kernel's own word) and vfork (the parent's copy comes back).
#pragma once
#include "kernel.h"

enum sz_temporary {
	SZ_TEMPORARY_NONE,
	SZ_TEMPORARY_KNOWN, // a call that swaps the mask for its duration is under way: temporary_mask
	SZ_TEMPORARY_ASK,   // such a call by its number: the handler has to ask the kernel
};

// PRIVATE, but read by the assembly: offsets in x86_64/offsets.h, asserted in x86_64/offsets.c.
struct sz_thread {
	sz_set mask;
	uint32_t known;
	uint32_t vfork_child; // we run in the parent's memory: what we learn is not the parent's
	uint32_t temporary;   // enum sz_temporary
	uint32_t ask;         // the next handler entry must ask the kernel for its mask
	sz_set temporary_mask;
	uintptr_t temporary_frame; // of the function that waits
	uint32_t seen;        // watch: a mask call was made, so that `shadow` would know the mask
	uint32_t padding;
};

extern __thread struct sz_thread sz_thread
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

// A single load: a handler may run between two of them.
#define SZ_READ(x) (*(volatile __typeof__(x) *)&(x))
