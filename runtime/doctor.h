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
	// Guards, `guards_a_signal` for each signal from 0 to 64. The one in force has a shape that is
	// not 0, and nothing of `guard_retired` in what it stands for: a record + 1, or 0 for the default
	// action. Records with the handler 0 are the default action too, though the kernel has a handler
	// of ours.
	const void *guards;
	uint32_t guards_a_signal;
	uint32_t guard_size;
	int32_t guard_stands_for;            // 4 bytes
	int32_t guard_shape;                 // 4 bytes
	uint32_t guard_retired;
	uint32_t record_size;
	const void *records;
	int32_t record_handler;              // 8 bytes
	int32_t reserved;
};

_Static_assert(sizeof(struct sz_doctor) == 192 && offsetof(struct sz_doctor, mask) == 120,
               "frozen");

extern struct sz_doctor sz_doctor __attribute__((visibility("hidden")));

// Fills in what only the running process knows. No system call.
void sz_doctor_start(void);
