/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel side and the Rust side have in common: crates/bpf/src/layout.rs says the same
 * in Rust, and a test there compares the sizes.
 */
#pragma once

#define MAX_DEPTH 128
#define MAX_CALLS 32
#define MAX_KINDS 16
/* Of the stack that user space gets, and where there is more of it. */
#define COPY_PAGES 4
#define DEEP_PAGES 16
#define PAGE 4096

/* A place in code: the file's number in the upper 16 bits, the offset in the file in the lower 48.
 * File 0 is memory without a file, with the address in place of the offset. */
#define FILE_SHIFT 48
#define FILE_NONE 0
#define FILE_VDSO 1

enum kind {
	KIND_PLAIN,
	KIND_QUERY,
	KIND_SAME,
	KIND_BLOCK,
	KIND_UNBLOCK,
	KIND_RESTORE,
	KIND_REPLACE,
	KIND_SET,
	KIND_FAILED,
};

/* How far a stack was followed. */
enum reach {
	REACH_END,	/* to its end */
	REACH_WAITING,	/* to a place whose rule user space had not given yet */
	REACH_CUT,	/* to memory that could not be read */
	REACH_DEEP,	/* to MAX_DEPTH */
	REACH_BUSY,	/* the kernel was changing the process's mappings */
	REACH_NONE,	/* not at all: stacks are not wanted, or there was no room */
};

enum step {
	STEP_FRAME,	/* CFA = base + cfa */
	STEP_DEREF,	/* CFA = *(base + cfa) + add */
	STEP_SIGNAL,	/* a signal frame lies at the stack pointer */
	STEP_END,	/* the outermost frame */
	STEP_COPY,	/* beyond this language: user space follows a copy */
};

enum base { BASE_SP, BASE_BP, BASE_BX };

/* How to get from a frame to its caller's. */
struct rule {
	__s32 cfa;
	__s32 add;
	__s16 bp;	/* where the caller's is, from the CFA; 0: unchanged */
	__s16 bx;
	__u8 step;
	__u8 base;
	__u8 guess;	/* no unwind information: a frame pointer is assumed */
	__u8 unused;
};

struct file_key {
	__u64 inode;
	__u64 device;
};

struct address_key {
	__u64 at;
	__u32 image;
	__u32 generation;
};

/* What is known of an address. */
struct known {
	__u64 place;
	struct rule rule;
};

struct tally_key {
	__u64 stack;
	__u32 image;
	__u8 call;
	__u8 kind;
	__u8 reach;
	__u8 guess;
};

struct stack {
	__u32 depth;
	__u32 unused;
	__u64 places[MAX_DEPTH];
};

/* A process between two execs. */
struct image {
	__u64 inode;	/* of the executable */
	__u64 device;
	__u64 start;
	__u32 process;
	__u32 parent;
	char name[16];
};

struct registers {
	__u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	__u64 ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};

/* One call, with a copy of its stack. */
struct sample {
	__u64 time;
	__u32 process;
	__u32 image;
	__u32 generation;
	__u32 length;
	__u8 call;
	__u8 kind;
	__u8 unused[6];
	struct registers registers;
	__u8 memory[];
};

/* A page more than is ever used, so that the verifier need not follow the arithmetic. */
#define SAMPLE_SIZE(pages) (sizeof(struct sample) + ((pages) + 1) * PAGE)

struct meter {
	__u64 calls;
	__u64 timed;
	__u64 nanoseconds;
	__u64 foreign;		/* calls of 32-bit programs: not counted */
	__u64 copies;
	__u64 copies_lost;	/* no room in the ring */
	/* Calls like the last one are added up here, and to the tallies when another comes. */
	struct tally_key last;
	__u64 pending;
};
