// SPDX-License-Identifier: MIT
// Guards. For a guarded signal the kernel holds one of our guard entries, whatever the program
// has installed: a handler, or the default action where that is the end of the process. Which of
// them is written beside the entry, so that a program may switch between the two without a
// system call, and block the signal without one. All async-signal-safe.
#pragma once
#include <signal.h>
#include <stdbool.h>

#include "handler_record.h"
#include "kernel.h"

extern const char sz_guard_entries[] __attribute__((visibility("hidden")));

// A guard's entry is for ever for one shape: the flags and the mask that the kernel has. What it
// stands for is the number of a record + 1 in `stands_for`, under a count of its changes; with
// SZ_GUARD_RETIRED the kernel no longer holds it, and only signals that it delivered before find
// it. Only guard.c writes them.
#define SZ_GUARD_RETIRED 0x80000000u
struct sz_guard {
	uint64_t stands_for;
	uint32_t shape; // a record + 1, 0: not used yet
	uint32_t padding;
};
extern struct sz_guard sz_guards[SZ_SIGNALS + 1][SZ_GUARDS] __attribute__((visibility("hidden")));

static inline __attribute__((always_inline)) struct sz_guard *sz_guard_numbered(int sig, int record)
{
	return &sz_guards[sig][record - SZ_GUARD_RECORD];
}

// The record that a guard's number stands for now; any other number is a record's already.
static inline __attribute__((always_inline)) int sz_guard_record(int sig, int record)
{
	uint32_t stands_for;

	if (record < SZ_GUARD_RECORD)
		return record;
	stands_for = (uint32_t)__atomic_load_n(&sz_guard_numbered(sig, record)->stands_for,
	                                       __ATOMIC_ACQUIRE) & ~SZ_GUARD_RETIRED;
	return stands_for ? (int)stands_for - 1 : SZ_DEFAULT_RECORD;
}

// The record with the flags and the mask by which the kernel delivered.
static inline __attribute__((always_inline)) int sz_guard_shape(int sig, int record)
{
	if (record < SZ_GUARD_RECORD)
		return record;
	return (int)sz_guard_numbered(sig, record)->shape - 1;
}

// The number of the guard whose entry this is, or SZ_NO_RECORD.
static inline __attribute__((always_inline)) int sz_guard_of_entry(uintptr_t handler)
{
	uintptr_t distance = handler - (uintptr_t)sz_guard_entries;

	if (distance >= (uintptr_t)SZ_GUARDS * SZ_ENTRY_SIZE)
		return SZ_NO_RECORD;
	return SZ_GUARD_RECORD + (int)(distance / SZ_ENTRY_SIZE);
}

// May a guard stand for this? A stop is for critical sections only, it is never blocked lazily.
bool sz_guard_fits(int sig, const struct sz_kernel_action *act);

// Does the kernel do the same by itself for `act` as for what is in this record?
bool sz_guard_same_shape(int record, const struct sz_kernel_action *act);

// If `sig` is guarded: fills *now with what the program has installed.
bool sz_guard_query(int sig, struct sz_kernel_action *now);

// If `sig` is guarded and the guard can stand for `act` too: it does from here on, and *old is
// what it stood for.
bool sz_guard_switch(int sig, const struct sz_kernel_action *act, struct sz_kernel_action *old);

// If this is what the kernel says of a guarded signal: fills in what the program has installed.
bool sz_guard_decode(int sig, struct sz_kernel_action *kernel);

// The program installs `act`, and the kernel gets a guard or our entry for it, in one system
// call. *old is what the program had installed before. Returns 0 or -errno.
long sz_guard_install(int sig, const struct sz_kernel_action *act, struct sz_kernel_action *old,
                      bool guarded);

// Another began a change of `sig` during ours, and perhaps never ends it: the kernel is asked again.
void sz_guard_doubt(int sig);

// Takes part in the same where another makes the call: `kernel` is what it was exchanged for.
bool sz_guard_removed(int sig, struct sz_kernel_action *kernel);

// Puts a guard over what the program has installed, which is `now` as far as we know. One system
// call.
bool sz_guard_cover(int sig, const struct sz_kernel_action *now);

// For critical sections: from here on every signal that would run a handler, or end or stop the
// process, comes through a guard. False where that cannot be had.
bool sz_guard_all(void);

// Is it so, or about to be: should what is installed now be a guard?
bool sz_guard_wanted_for_all(void);

// Is it so, and may it stay so if `act` is installed?
bool sz_guard_is_for_all(void);
bool sz_guard_can_be_for_all(int sig, const struct sz_kernel_action *act);

// The kernel gets for each signal what the program has installed.
void sz_guard_none(void);
