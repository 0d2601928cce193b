// SPDX-License-Identifier: MIT
// What `sigzero doctor` needs to read a running process from outside, without its help: where
// the runtime keeps what. An ELF note of the name "sigzero" leads to this block, in the library
// and in programs that contain it, stripped or not, deleted or not: notes are mapped.
//
//	note: owner "sigzero", type 1, 8 bytes: address of the block minus their own address
//
// FROZEN: the reader is another program (crates/doctor). Add at the end; `size` says how much
// there is.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define SZ_DOCTOR_NOTE 1
#define SZ_DOCTOR_MODES 8
#define SZ_DOCTOR_NONE (-1) // this runtime has no such field

struct sz_doctor {
	uint32_t size;
	uint32_t thread_size;                // bytes of struct sz_thread
	int64_t thread;                      // struct sz_thread, from the thread pointer; 0: not started
	int64_t section;                     // struct sigzero_section, likewise; 0: none
	int64_t registered;                  // the address given to sigfastblock(SETPTR), likewise
	const uint32_t *mode;                // number of the mode
	const char *refused;                 // why the process is left alone, or NULL
	const char *stepped_aside;           // why the runtime gave up later, or NULL
	char modes[SZ_DOCTOR_MODES][8];      // names of the modes by number
	// Offsets in struct sz_thread.
	int32_t mask;                        // 8 bytes: what the program believes is blocked
	int32_t kernel;                      // 8 bytes: what the kernel blocks, if kept apart
	int32_t known;                       // 8 bytes: 1 if both may be believed
	int32_t changed_by;                  // 8 bytes: return address of who changed `mask` last
	int32_t changes;                     // 8 bytes: how often it was changed
	int32_t held_since;                  // 8 bytes: CLOCK_MONOTONIC in ns; 0: nothing held
};

_Static_assert(sizeof(struct sz_doctor) == 144 && offsetof(struct sz_doctor, mask) == 120,
               "frozen");

extern struct sz_doctor sz_doctor __attribute__((visibility("hidden")));

// Fills in what only the running process knows. No system call.
void sz_doctor_start(void);
