// SPDX-License-Identifier: MIT
// What the runtime remembers of each thread, in initial-exec thread-local storage: one
// instruction to read, and safe in a signal handler.
//
// The invariant: while `known` is set, `mask` is what the program believes is blocked (V) and
// `kernel` is what the kernel blocks (K), at every instruction of the program outside the
// windows that arrival.c repairs, and K is a part of V. What is in V and not in K is blocked
// lazily: the handler wrapper makes it real when such a signal arrives. Only a critical
// section makes K larger than V, when a signal arrived in it (`held`).
//
// `kernel` is written by sz_mask_call (after the system call), the handler wrapper (from
// uc_sigmask, the kernel's own word) and vfork (the parent's copy comes back); `mask` by
// these, and by sz_mask_lazy, which leaves the kernel alone.
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
	sz_set kernel;
	uint32_t vfork_child; // we run in the parent's memory: what we learn is not the parent's
	uint32_t held;        // a section made K everything; leaving it gives V back
	uintptr_t promoting;  // ucontext of the last arrival that is still to be sent again
	void *changed_by;     // for doctor: who changed V last,
	uint64_t changes;     // how often V was changed,
	uint64_t held_since;  // and since when a signal is held back, in ns of CLOCK_MONOTONIC
	uint32_t seen;        // watch: a mask call was made, so that `shadow` would know the mask
	uint32_t padding;
};

extern __thread struct sz_thread sz_thread
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

// A single load: a handler may run between two of them.
#define SZ_READ(x) (*(volatile __typeof__(x) *)&(x))

#define SZ_KNOWN SZ_READ(sz_thread.known_and_not_forgetful)
#define SZ_IS_KNOWN 1u
