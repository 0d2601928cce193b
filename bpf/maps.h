/* SPDX-License-Identifier: GPL-2.0 */
/* What the programs keep, and what user space sets before they run. */
#pragma once

/* Whether the tracer looks at one tree of processes or at all. */
const volatile bool everything = false;
const volatile bool stacks_wanted = true;
/* The tracer itself, which is never counted by process; by `own_calls` it sees that it is heard. */
const volatile __u32 own_process = 0;
__u32 own_calls = 0;
/*
 * By system call number: 1 + the index of a call that is counted; CODE_CHANGES; else 0. With FOREIGN
 * if a 32-bit program makes a signal call by that number.
 */
#define NUMBERS 512
#define CODE_CHANGES 127
#define FOREIGN 128
const volatile __u8 call_of[NUMBERS];
const volatile __u8 mask_call = 0;
const volatile __u8 action_call = 0;

/* Nothing more is counted. It takes the kernel up to some tenth of a second to let go of functions. */
__u32 ended = 0;
__u32 images_made = 0;
/* Raised with each change of current_images. */
__u32 changes = 0;
/* Processes of the tree that have not ended. */
__s32 alive = 0;

enum { TREE_AFTER_EXEC, TREE_COUNTED };

/* The processes of the tree, and whether they are counted yet. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u32);
} tree SEC(".maps");

struct current_image {
	__u32 image;
	/* Raised when the process changes its code, so that addresses are looked up anew. */
	__u32 generation;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct current_image);
} current_images SEC(".maps");

/* What current_images says of the process that was last here. */
struct last_process {
	__u32 process;
	__u32 changes;
	struct current_image image;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct last_process);
} last_processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct image);
} images SEC(".maps");

/* Numbers of files; user space gives them. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct file_key);
	__type(value, __u32);
} files SEC(".maps");

/* By place; user space gives them when they are first asked for. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 32768);
	__type(key, __u64);
	__type(value, struct rule);
} rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct address_key);
	__type(value, struct known);
} addresses SEC(".maps");

/* Since when and how often user space was asked for the rule of an address. */
struct asking {
	__u64 since;
	__u64 copies;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct address_key);
	__type(value, struct asking);
} asked_for SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 131072);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct tally_key);
	__type(value, __u64);
} tallies SEC(".maps");

/* What found no room in the tallies, by call and kind. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MAX_CALLS * MAX_KINDS);
	__type(key, __u32);
	__type(value, __u64);
} overflow SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, struct stack);
} stacks SEC(".maps");

/* A part of the user's stack: one long read costs little more than one of a word. */
#define WINDOW_WORDS 64
#define WINDOW_BELOW 64	/* bytes; what a frame saves lies below its CFA */

/* In front of `addresses`, since each frame is looked up at each call. */
#define HOT 512

struct hot {
	struct address_key key;
	struct known known;
};

struct scratch {
	struct stack stack;
	__u64 start;
	__u64 words[WINDOW_WORDS];
	struct hot hot[HOT];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct meter);
} meters SEC(".maps");

#define SAMPLES_SIZE (32 << 20)

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, SAMPLES_SIZE);
} samples SEC(".maps");
