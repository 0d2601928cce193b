// SPDX-License-Identifier: GPL-2.0
/*
 * Follows sigqueues, and plays the one-slot cache of kernel/patches/0002 beside the real slab.
 *
 * signal_generate fires under the siglock of the target, right after the sigqueue was put in line.
 * What the line has lost since the signal before was consumed, so the slot of the target is known
 * at each signal, and neither the allocator nor the consumers need to be traced. The two lines that
 * feed one slot, and the slot, have that lock in common.
 */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "process.h"
#include "queue_layout.h"

char LICENSE[] SEC("license") = "GPL";

#define SIG_KILL 9
#define SIG_CHLD 17
#define KERNEL_THREAD 0x00200000	/* PF_KTHREAD */
#define OF_A_TIMER 1	/* SIGQUEUE_PREALLOC */
#define RLIMIT_SIGPENDING 11
#define FROM_KERNEL 0x80	/* SI_KERNEL */
/* A line is counted with interrupts off: longer ones are only looked at. */
#define LONGEST 256
#define TIMED_MASK 63

enum result { DELIVERED, IGNORED, ALREADY_PENDING, REFUSED, LOST_INFO };
enum special { NO_INFO, FROM_THE_KERNEL };

const volatile bool everything = false;
/* Ourselves: never counted as a target. */
const volatile __u32 own_process = 0;
const volatile __u64 watch_start = 0;

/* Processes of the tree that have not ended. */
__s32 alive = 0;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u32);
} tree SEC(".maps");

/* By the address of the task, which nobody else has before sched_process_free. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, struct slot);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct link_key);
	__type(value, struct link);
} links SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct user);
} users SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} ended SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct totals);
} totals SEC(".maps");

enum real { REAL_UNKNOWN, REAL_SLAB, REAL_CACHE };

/* What the kernel's own cache said of the signal that is being sent on this processor. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} real_sources SEC(".maps");

struct line {
	__u64 head;
	__u64 at;
	__u64 oldest;
	__u32 length;
	bool whole;
};

static long count_one(__u32 index, struct line *line)
{
	struct sigqueue *queue = (void *)line->at - bpf_core_field_offset(struct sigqueue, list);

	if (line->at == line->head) {
		line->whole = true;
		return 1;
	}
	if (!(BPF_CORE_READ(queue, flags) & OF_A_TIMER)) {
		line->length++;
		if (!line->oldest)
			line->oldest = line->at;
	}
	line->at = (__u64)BPF_CORE_READ(queue, list.next);
	return 0;
}

static __always_inline void count_line(struct line *line, struct sigpending *pending)
{
	line->head = (__u64)pending + bpf_core_field_offset(struct sigpending, list);
	line->at = (__u64)BPF_CORE_READ(pending, list.next);
	line->whole = false;
	if (line->at == line->head)
		line->whole = true;
	else
		bpf_loop(LONGEST + 1, count_one, line, 0);
}

static __always_inline bool followed(__u32 process)
{
	return bpf_map_lookup_elem(&tree, &process);
}

static __always_inline __u32 origin_of(__u32 signal, struct kernel_siginfo *info, bool timer)
{
	int code;

	if (timer)
		return ORIGIN_TIMER;
	if ((__u64)info == NO_INFO)
		return ORIGIN_PROGRAM;
	if ((__u64)info == FROM_THE_KERNEL)
		return ORIGIN_KERNEL;
	code = BPF_CORE_READ(info, si_code);
	if (code <= 0)
		return ORIGIN_PROGRAM;
	return signal == SIG_CHLD && code < FROM_KERNEL ? ORIGIN_CHILD : ORIGIN_KERNEL;
}

static __always_inline __u32 power_of(__u32 depth)
{
	__u32 power = 0;

	for (int bit = 0; bit < DEPTHS - 1; bit++)
		if (depth > 1u << bit)
			power = bit + 1;
	return power;
}

static __always_inline void charge(struct task_struct *task, struct signal_struct *signals,
				   bool refused)
{
	const struct cred *cred = BPF_CORE_READ(task, real_cred);
	struct ucounts *ucounts = BPF_CORE_READ(cred, ucounts);
	__u32 uid = BPF_CORE_READ(cred, uid.val);
	struct user fresh = {}, *user;
	long charged = 0;
	__u64 limit;

	if (bpf_core_field_exists(ucounts->rlimit)) {
		__u64 at = bpf_core_field_offset(struct ucounts, rlimit) +
			   bpf_core_enum_value(enum rlimit_type, UCOUNT_RLIMIT_SIGPENDING) * sizeof(long);

		bpf_probe_read_kernel(&charged, sizeof(charged), (void *)ucounts + at);
	}
	limit = BPF_CORE_READ(signals, rlim[RLIMIT_SIGPENDING].rlim_cur);
	user = bpf_map_lookup_elem(&users, &uid);
	if (!user) {
		fresh.limit = limit;
		bpf_map_update_elem(&users, &uid, &fresh, BPF_NOEXIST);
		user = bpf_map_lookup_elem(&users, &uid);
		if (!user)
			return;
	}
	/* Processors may race here: these are the highest seen, not sums. */
	if (charged > (long)user->most)
		user->most = charged;
	if (limit && limit != ~0UL && (charged * 1024 / limit >= user->nearest * 1024 / (user->limit | 1))) {
		user->nearest = charged;
		user->limit = limit;
	}
	if (refused)
		__sync_fetch_and_add(&user->refused, 1);
}

static __always_inline struct slot *slot_of(struct task_struct *owner)
{
	__u64 key = (__u64)owner;
	struct slot fresh = {}, *slot;

	slot = bpf_map_lookup_elem(&slots, &key);
	if (!slot) {
		fresh.start = BPF_CORE_READ(owner, start_time);
		fresh.process = process_of(owner);
		fresh.thread = thread_of(owner);
		bpf_map_update_elem(&slots, &key, &fresh, BPF_NOEXIST);
		slot = bpf_map_lookup_elem(&slots, &key);
		if (!slot)
			return NULL;
	}
	bpf_probe_read_kernel_str(slot->name, sizeof(slot->name), owner->comm);
	return slot;
}

static __always_inline void note_link(const char *target, __u32 signal,
				      __u32 origin, const struct link *seen, struct totals *total)
{
	struct link_key key = { .signal = signal, .origin = origin };
	struct link *link;

	if (origin == ORIGIN_PROGRAM || origin == ORIGIN_CHILD)
		bpf_get_current_comm(key.sender, sizeof(key.sender));
	bpf_probe_read_kernel_str(key.target, sizeof(key.target), target);
	link = bpf_map_lookup_elem(&links, &key);
	if (!link) {
		struct link fresh = {};

		bpf_map_update_elem(&links, &key, &fresh, BPF_NOEXIST);
		link = bpf_map_lookup_elem(&links, &key);
		if (!link) {
			total->links_lost++;
			return;
		}
	}
	__sync_fetch_and_add(&link->signals, seen->signals);
	__sync_fetch_and_add(&link->cache, seen->cache);
	__sync_fetch_and_add(&link->slab, seen->slab);
}

#define COUNT(field) do { slot->sums.field++; total->sums.field++; } while (0)

/* What left the lines since the last signal was consumed: the first fills the slot. */
static __always_inline void consume(struct slot *slot, struct totals *total, __u32 removed)
{
	if (!removed)
		return;
	if (!slot->filled) {
		slot->filled = 1;
		COUNT(kept);
		removed--;
	}
	slot->sums.dropped += removed;
	total->sums.dropped += removed;
}

static __always_inline void queued(struct slot *slot, struct totals *total, struct task_struct *task,
				   struct task_struct *leader, struct signal_struct *signals, bool group,
				   struct link *seen)
{
	struct line line = {};
	bool whole = true;
	__u32 depth, removed = 0, power;
	__u32 zero = 0, *real;

	if (group || task == leader) {
		count_line(&line, (void *)signals + bpf_core_field_offset(struct signal_struct, shared_pending));
		whole = line.whole;
		count_line(&line, (void *)leader + bpf_core_field_offset(struct task_struct, pending));
	} else {
		count_line(&line, (void *)task + bpf_core_field_offset(struct task_struct, pending));
	}
	whole = whole && line.whole;
	/* With the new one. */
	depth = line.length;
	if (!depth)
		return;
	if (whole) {
		if (slot->live + 1 > depth)
			removed = slot->live + 1 - depth;
	} else {
		total->deep++;
		removed = slot->live && line.oldest != slot->oldest;
	}
	consume(slot, total, removed);
	slot->live = depth;
	slot->oldest = line.oldest;
	if (slot->filled) {
		slot->filled = 0;
		COUNT(cache);
		seen->cache = 1;
	} else {
		if (!slot->sums.cache && !slot->sums.slab && slot->start < watch_start)
			COUNT(unsure);
		COUNT(slab);
		seen->slab = 1;
	}
	real = bpf_map_lookup_elem(&real_sources, &zero);
	if (real) {
		if (*real == REAL_CACHE)
			COUNT(real_cache);
		else if (*real == REAL_SLAB)
			COUNT(real_slab);
	}
	if (depth > slot->deepest)
		slot->deepest = depth;
	power = power_of(depth);
	if (power < DEPTHS)
		total->depths[power]++;
}

static __always_inline void sent(__u32 signal, struct kernel_siginfo *info, struct task_struct *task,
				 bool group, int result)
{
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);
	struct signal_struct *signals = BPF_CORE_READ(task, signal);
	__u32 target = process_of(task), origin, zero = 0;
	struct link seen = { .signals = 1 };
	struct totals *total;
	struct slot *slot;
	bool none, timer = false;
	__u64 start = 0;

	if (target == own_process)
		return;
	none = signal == SIG_KILL || BPF_CORE_READ(task, flags) & KERNEL_THREAD;
	if (result == DELIVERED && !none) {
		struct sigpending *pending = group ?
			(void *)signals + bpf_core_field_offset(struct signal_struct, shared_pending) :
			(void *)task + bpf_core_field_offset(struct task_struct, pending);
		struct sigqueue *last = (void *)BPF_CORE_READ(pending, list.prev) -
					bpf_core_field_offset(struct sigqueue, list);

		timer = BPF_CORE_READ(last, flags) & OF_A_TIMER;
	}
	origin = origin_of(signal, info, timer);
	if (everything ? !target : !followed(target) &&
	    (origin > ORIGIN_CHILD || !followed(process_of_known(bpf_get_current_task_btf()))))
		return;
	total = bpf_map_lookup_elem(&totals, &zero);
	if (!total)
		return;
	if (!(total->signals++ & TIMED_MASK))
		start = bpf_ktime_get_ns();
	slot = slot_of(group ? leader : task);
	if (!slot) {
		total->unplaced++;
		return;
	}
	if (result == IGNORED)
		COUNT(ignored);
	else if (result == ALREADY_PENDING)
		COUNT(pending);
	else if (none)
		COUNT(without);
	else if (result == LOST_INFO)
		COUNT(no_room);
	else if (result == REFUSED)
		COUNT(refused);
	else if (timer)
		COUNT(timer);
	else
		queued(slot, total, task, leader, signals, group, &seen);
	if (seen.cache || seen.slab || result == LOST_INFO || result == REFUSED)
		charge(task, signals, result != DELIVERED);
	note_link(leader->comm, signal, origin, &seen, total);
	if (start) {
		total->timed++;
		total->nanoseconds += bpf_ktime_get_ns() - start;
	}
}

SEC("raw_tp/signal_generate")
int signal_generated(struct bpf_raw_tracepoint_args *args)
{
	__u32 zero = 0, *real;

	sent(args->args[0], (void *)args->args[1], (void *)args->args[2], args->args[3], args->args[4]);
	real = bpf_map_lookup_elem(&real_sources, &zero);
	if (real)
		*real = REAL_UNKNOWN;
	return 0;
}

/* Only in a kernel that has the cache; fires before signal_generate, under the same lock. */
SEC("raw_tp/sigqueue_alloc")
int sigqueue_allocated(struct bpf_raw_tracepoint_args *args)
{
	__u32 zero = 0, *real = bpf_map_lookup_elem(&real_sources, &zero);

	if (real)
		*real = args->args[3] & 1 ? REAL_CACHE : REAL_SLAB;
	return 0;
}

SEC("raw_tp/sched_process_free")
int task_freed(struct bpf_raw_tracepoint_args *args)
{
	__u64 key = args->args[0];
	struct slot *slot = bpf_map_lookup_elem(&slots, &key);
	struct totals *total;
	__u32 zero = 0;

	if (!slot)
		return 0;
	if (bpf_ringbuf_output(&ended, slot, sizeof(*slot), 0)) {
		total = bpf_map_lookup_elem(&totals, &zero);
		if (total)
			total->ended_lost++;
	}
	bpf_map_delete_elem(&slots, &key);
	return 0;
}

SEC("raw_tp/sched_process_fork")
int task_forked(struct bpf_raw_tracepoint_args *args)
{
	struct task_struct *parent = (void *)args->args[0], *child = (void *)args->args[1];
	__u32 old = process_of(parent), new = process_of(child), one = 1;

	if (everything || old == new || !followed(old))
		return 0;
	if (!bpf_map_update_elem(&tree, &new, &one, BPF_NOEXIST))
		__sync_fetch_and_add(&alive, 1);
	return 0;
}

SEC("raw_tp/sched_process_exit")
int task_exited(struct bpf_raw_tracepoint_args *args)
{
	struct task_struct *task = (void *)args->args[0];
	__u32 process = process_of(task);

	if (everything || BPF_CORE_READ(task, signal, live.counter))
		return 0;
	if (!bpf_map_delete_elem(&tree, &process))
		__sync_fetch_and_add(&alive, -1);
	return 0;
}
