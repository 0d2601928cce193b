// SPDX-License-Identifier: MIT
// The file a watched process leaves behind: counters by function and caller.
//
// One file a process image (with the children that it forks and that exec nothing, unless
// children are followed: then each has its own), mapped shared, so that what was counted survives any
// way of dying. The runtime only ever adds; readers need no lock and may read while
// the process runs. Everything is in the byte order of the machine; all offsets are
// in the header, so that a reader need not know the sizes.
//
// FROZEN: the reader is another program (crates/). Add at the end, raise the version.
#pragma once
#include <stdint.h>

#define SZ_WATCH_MAGIC 0x314f52455a474953u /* "SIGZERO1" */
#define SZ_WATCH_VERSION 2u

struct sz_watch_header {
	uint64_t magic;
	uint32_t version;
	uint32_t pid;
	uint32_t ppid;
	uint32_t site_size;        // bytes a site
	uint32_t sites_offset;     // from the start of the file
	uint32_t sites_capacity;   // a hash table: slots whose caller is 0 are empty
	uint32_t functions_offset; // NUL-terminated names in order of their number, an empty one ends
	uint32_t functions_size;
	uint32_t maps_offset;      // lines in the form of /proc/PID/maps, executable mappings only;
	uint32_t maps_capacity;    //   a later line overrides an earlier one at the same address
	uint32_t maps_used;        // bytes
	uint32_t reserved;
	uint64_t lost;             // calls that found the table full: counted here and nowhere else
	uint64_t start_ns;         // CLOCK_MONOTONIC
	uint64_t vfork_calls;      // of all calls, those made by a vfork child in our memory
	char exe[512];             // /proc/self/exe, cut if longer
	char note[512];            // why the runtime left something alone, empty if it did not
	// Since version 2. What mode `lazy` would make besides the program's own calls:
	uint64_t lazy_added_mask;   // masks brought up to date before calls that wait
	uint64_t lazy_added_action; // guards
};

// What one caller asked for through one function. Counts of system calls are of those
// that the function made, or that libc is known to make inside it.
struct sz_watch_site {
	uint64_t caller;           // return address: the call is the instruction before it
	uint32_t function;         // index into the list of names
	uint32_t opaque;           // 1: libc makes its signal calls inside, only `calls` is known
	uint64_t calls;            // calls of the function
	uint64_t mask;             // rt_sigprocmask made
	uint64_t action;           // rt_sigaction made
	uint64_t other;            // other signal system calls made (rt_sigsuspend, sigaltstack, …)
	// Every rt_sigprocmask is one of these:
	uint64_t mask_query;       // only read
	uint64_t mask_same;        // set what was set
	uint64_t mask_block;       // blocked more
	uint64_t mask_unblock;     // SIG_UNBLOCK, blocked less
	uint64_t mask_restore;     // set by value (SIG_SETMASK, jump, context), blocked less
	uint64_t mask_replace;     // blocked some and unblocked others
	uint64_t mask_failed;
	// Every rt_sigaction is one of these:
	uint64_t action_query;
	uint64_t action_same;      // set what was set
	uint64_t action_set;
	uint64_t action_failed;
	// What mode `shadow` would not have made:
	uint64_t removable_mask;
	uint64_t removable_action;
	uint64_t claimed;          // 1 once a writer has taken the slot
	// Since version 2. A forecast of what mode `lazy` would not have made, the calls above
	// among them; signals that arrive while they are blocked cost it some of these.
	uint64_t lazy_mask;
	uint64_t lazy_action;
	uint64_t reserved[2];
};
_Static_assert(sizeof(struct sz_watch_site) == 192, "three cache lines");
