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

// PRIVATE, but read by the assembly: offsets in x86_64/offsets.h, asserted in x86_64/offsets.c.
struct sz_thread {
	sz_set mask;
	union {
		struct {
			uint32_t known;
			uint32_t forgetful; // set for good by who cancels us (cancel.c)
		};
		uint64_t known_and_not_forgetful; // both at once: 1 if the mask may be used
	};
	uint32_t vfork_child; // we run in the parent's memory: what we learn is not the parent's
	uint32_t ask;         // the next arrival does not know its mask
	uint32_t seen;        // watch: a mask call was made, so that `shadow` would know the mask
	uint32_t padding;
};

extern __thread struct sz_thread sz_thread
	__attribute__((tls_model("initial-exec"), visibility("hidden")));


// A single load: a handler may run between two of them.
#define SZ_READ(x) (*(volatile __typeof__(x) *)&(x))

#define SZ_KNOWN SZ_READ(sz_thread.known_and_not_forgetful)
#define SZ_IS_KNOWN 1u
