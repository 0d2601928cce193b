/* SPDX-License-Identifier: GPL-2.0 */
/* What the programs of queue.bpf.c and crates/queue/src/layout.rs have in common. */
#pragma once

/* Depths by powers of two: 1, 2, 3 to 4, 5 to 8, … */
#define DEPTHS 16
#define NAME 16

/* Who sent a signal. */
enum origin {
	ORIGIN_PROGRAM,	/* a system call: kill, sigqueue, … */
	ORIGIN_CHILD,	/* a child that stopped, went on or ended */
	ORIGIN_TIMER,	/* a POSIX timer */
	ORIGIN_KERNEL,	/* an interval timer, a fault, a terminal, … */
};

/* Signals, by what became of them. */
struct sums {
	__u64 cache;		/* the cache has a sigqueue for it: forecast */
	__u64 slab;		/* it has none: forecast */
	__u64 unsure;		/* of `slab`: the task is older than the watch, its slot may have been filled */
	__u64 real_cache;	/* what a kernel with the cache says itself */
	__u64 real_slab;
	__u64 kept;		/* consumed and kept in the slot: forecast */
	__u64 dropped;		/* consumed while the slot was full: forecast */
	__u64 timer;		/* of a POSIX timer, which has its own sigqueue */
	__u64 without;		/* SIGKILL, or to a thread of the kernel: takes none */
	__u64 ignored;
	__u64 pending;		/* was pending already */
	__u64 no_room;		/* delivered without its siginfo: RLIMIT_SIGPENDING, or no memory */
	__u64 refused;		/* not delivered: the same */
};

/* A task's slot as it would be, and what happened there. */
struct slot {
	struct sums sums;
	__u64 start;
	__u64 oldest;		/* sigqueue that was first in line at the last signal */
	__u32 live;		/* sigqueues that were in line after the last signal */
	__u32 filled;
	__u32 deepest;
	__u32 process;
	__u32 thread;
	__u32 unused;
	char name[NAME];
};

struct link_key {
	char sender[NAME];
	char target[NAME];
	__u32 signal;
	__u32 origin;
};

struct link {
	__u64 signals;
	__u64 cache;
	__u64 slab;
};

struct user {
	__u64 most;		/* sigqueues charged at once */
	__u64 limit;		/* of the process that was nearest to its own */
	__u64 nearest;		/* charged then */
	__u64 refused;
};

struct totals {
	struct sums sums;
	__u64 signals;
	__u64 timed;
	__u64 nanoseconds;
	__u64 deep;		/* queues too long to be counted */
	__u64 unplaced;		/* no room for the task: not forecast */
	__u64 links_lost;
	__u64 ended_lost;
	__u64 depths[DEPTHS];
};
