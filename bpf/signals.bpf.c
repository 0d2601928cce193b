// SPDX-License-Identifier: GPL-2.0
/*
 * Counts signal system calls at their entry, by process image, call, kind and stack.
 *
 * There are two places to stand. The functions of the signal system calls (kprobe.multi) cost
 * nobody who does not call them; the tracepoint at the entry of all system calls costs every call of
 * every process. Programs at tracepoints are there twice: with types (tp_btf), and raw for kernels
 * that refuse the first. User space loads those of one place.
 */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "layout.h"
#include "maps.h"
#include "process.h"
#include "classify.h"
#include "walk.h"

char LICENSE[] SEC("license") = "GPL";

#define COMPAT_CALL 2	/* of thread_info.status */
#define PROT_EXEC 4
/* One call in 256 is timed; not the first, which waits for more than any other. */
#define TIMED_MASK 255
#define TIMED 128
/* Stacks that are copied for an address whose rule is not there yet, and when that begins anew. */
#define COPIES 1024
#define ASK_AGAIN_NS 100000000ULL

static __always_inline void code_changed(__u32 process)
{
	struct current_image *image = bpf_map_lookup_elem(&current_images, &process);

	if (!image)
		return;
	__sync_fetch_and_add(&image->generation, 1);
	__sync_fetch_and_add(&changes, 1);
}

static __always_inline bool wanted(__u32 process)
{
	__u32 *state;

	if (process == own_process) {
		__sync_fetch_and_add(&own_calls, 1);
		return false;
	}
	if (everything)
		return process;
	state = bpf_map_lookup_elem(&tree, &process);
	return state && *state == TREE_COUNTED;
}

enum seen { SEEN_UNWANTED, SEEN_NEW, SEEN_BEFORE };

/* What is new in current_images after `changes` was read is found at the next call. */
static __always_inline enum seen old_image(__u32 process, struct current_image *image)
{
	__u32 zero = 0, now = *(volatile __u32 *)&changes;
	struct last_process *last = bpf_map_lookup_elem(&last_processes, &zero);
	struct current_image *found;

	if (!last)
		return SEEN_UNWANTED;
	/* What has an image was wanted before. */
	if (last->process == process && last->changes == now) {
		*image = last->image;
		return SEEN_BEFORE;
	}
	/* First this: what is not wanted should pay least. */
	if (!wanted(process))
		return SEEN_UNWANTED;
	found = bpf_map_lookup_elem(&current_images, &process);
	if (!found)
		return SEEN_NEW;
	*image = *found;
	last->process = process;
	last->changes = now;
	last->image = *found;
	return SEEN_BEFORE;
}

static __always_inline bool new_image(struct task_struct *task, __u32 process,
				      struct current_image *made)
{
	struct current_image new = {}, *found;
	struct image image = {};
	struct file *file;

	new.image = __sync_fetch_and_add(&images_made, 1) + 1;
	image.process = process;
	image.parent = process_of_known(task->real_parent);
	image.start = bpf_ktime_get_ns();
	file = BPF_CORE_READ(task, mm, exe_file);
	image.inode = BPF_CORE_READ(file, f_inode, i_ino);
	image.device = BPF_CORE_READ(file, f_inode, i_sb, s_dev);
	bpf_probe_read_kernel_str(image.name, sizeof(image.name), task->group_leader->comm);
	bpf_map_update_elem(&images, &new.image, &image, BPF_ANY);
	bpf_map_update_elem(&current_images, &process, &new, BPF_NOEXIST);
	/* Another thread may have been first. */
	found = bpf_map_lookup_elem(&current_images, &process);
	if (!found)
		return false;
	*made = *found;
	return true;
}

static __always_inline void copy_stack(struct sample *sample, __u32 pages)
{
	__u64 sp = sample->registers.sp;
	__u32 length = PAGE - (sp & (PAGE - 1));

	sample->length = 0;
	if (bpf_probe_read_user(sample->memory, length, (void *)sp))
		return;
	for (__u32 page = 1; page < pages; page++) {
		if (length > pages * PAGE ||
		    bpf_probe_read_user(sample->memory + length, PAGE, (void *)(sp + length)))
			break;
		length += PAGE;
	}
	sample->length = length;
}

struct stack_end {
	__u64 end;
};

static long find_end(struct task_struct *task, struct vm_area_struct *vma, struct stack_end *stack)
{
	stack->end = vma->vm_end;
	return 0;
}

/* Few such copies fill the ring: then there are only small ones. */
static __always_inline bool takes_deep_copy(__u64 sp)
{
	struct stack_end stack = { .end = sp };

	if (bpf_ringbuf_query(&samples, BPF_RB_AVAIL_DATA) > SAMPLES_SIZE / 8)
		return false;
	bpf_find_vma(bpf_get_current_task_btf(), sp, find_end, &stack, 0);
	return stack.end - sp > COPY_PAGES * PAGE;
}

static __always_inline void fill(struct sample *sample, struct pt_regs *regs, struct walk *walk,
				 __u32 process, __u8 call, __u8 kind)
{
	sample->time = bpf_ktime_get_ns();
	sample->process = process;
	sample->image = walk->image;
	sample->generation = walk->generation;
	sample->call = call;
	sample->kind = kind;
	bpf_probe_read_kernel(&sample->registers, sizeof(sample->registers), regs);
}

/* True if the call is counted by user space now. */
static __always_inline bool hand_over(struct pt_regs *regs, struct walk *walk, struct meter *meter,
				      __u32 process, __u8 call, __u8 kind)
{
	struct sample *sample;

	if (takes_deep_copy(walk->bottom)) {
		sample = bpf_ringbuf_reserve(&samples, SAMPLE_SIZE(DEEP_PAGES), 0);
		if (sample) {
			fill(sample, regs, walk, process, call, kind);
			copy_stack(sample, DEEP_PAGES);
		}
	} else {
		sample = bpf_ringbuf_reserve(&samples, SAMPLE_SIZE(COPY_PAGES), 0);
		if (sample) {
			fill(sample, regs, walk, process, call, kind);
			copy_stack(sample, COPY_PAGES);
		}
	}
	if (!sample) {
		meter->copies_lost++;
		return false;
	}
	meter->copies++;
	bpf_ringbuf_submit(sample, 0);
	return true;
}

/* A tight loop would fill the ring with copies of one stack before the answer is there. */
static __always_inline bool may_ask(const struct walk *walk)
{
	struct address_key key = { .at = walk->pc, .image = walk->image,
				   .generation = walk->generation };
	struct asking new = { .since = bpf_ktime_get_ns(), .copies = 1 }, *asking;

	/* Half of the ring is for answers that make later copies needless. */
	if (walk->copy == COPY_ALWAYS)
		return bpf_ringbuf_query(&samples, BPF_RB_AVAIL_DATA) < SAMPLES_SIZE / 2;
	asking = bpf_map_lookup_elem(&asked_for, &key);
	if (asking && new.since - asking->since < ASK_AGAIN_NS)
		return __sync_fetch_and_add(&asking->copies, 1) < COPIES;
	bpf_map_update_elem(&asked_for, &key, &new, BPF_ANY);
	return true;
}

static __always_inline bool same_tally(const struct tally_key *one, const struct tally_key *other)
{
	return one->stack == other->stack && one->image == other->image &&
	       one->call == other->call && one->kind == other->kind &&
	       one->reach == other->reach && one->guess == other->guess;
}

static __always_inline void tally(struct meter *meter, struct tally_key *key,
				  const struct stack *stack)
{
	__u32 slot = key->call * MAX_KINDS + key->kind;
	__u64 *count, one = 1;

	if (meter->pending && same_tally(&meter->last, key)) {
		meter->pending++;
		return;
	}
	/* One is in the tallies already: it made the entry. */
	if (meter->pending > 1) {
		count = bpf_map_lookup_elem(&tallies, &meter->last);
		if (count)
			__sync_fetch_and_add(count, meter->pending - 1);
	}
	meter->last = *key;
	meter->pending = 1;
	count = bpf_map_lookup_elem(&tallies, key);
	if (!count) {
		if (stack && bpf_map_update_elem(&stacks, &key->stack, stack, BPF_ANY)) {
			key->stack = 0;
			key->reach = REACH_NONE;
			meter->last = *key;
		}
		if (!bpf_map_update_elem(&tallies, key, &one, BPF_NOEXIST))
			return;
		/* Another processor was first, or there is no room. */
		count = bpf_map_lookup_elem(&tallies, key);
	}
	if (count) {
		__sync_fetch_and_add(count, 1);
		return;
	}
	meter->pending = 0;
	count = bpf_map_lookup_elem(&overflow, &slot);
	if (count)
		*count += 1;
}

static __always_inline void count(struct pt_regs *regs, struct walk *walk, struct meter *meter,
				  __u32 process, __u8 call, __u8 kind)
{
	struct tally_key key = { .image = walk->image, .call = call, .kind = kind,
				 .reach = REACH_NONE };
	struct scratch *scratch;
	__u32 zero = 0;

	if (stacks_wanted) {
		scratch = bpf_map_lookup_elem(&scratches, &zero);
		if (!scratch)
			return;
		scratch->start = NO_WINDOW;
		bpf_loop(MAX_DEPTH, step, walk, 0);
		if (walk->copy && may_ask(walk) && hand_over(regs, walk, meter, process, call, kind))
			return;
		key.stack = walk->hash;
		key.reach = walk->reach;
		key.guess = walk->guess;
		scratch->stack.depth = walk->depth;
		tally(meter, &key, &scratch->stack);
		return;
	}
	tally(meter, &key, NULL);
}

static __always_inline int entered(struct pt_regs *regs, const struct asked *asked,
				   struct walk *walk, __u8 call)
{
	struct task_struct *task;
	struct current_image image = {};
	struct meter *meter;
	__u32 process, zero = 0;
	enum seen seen;
	__u64 start = 0;
	__u8 kind = KIND_PLAIN;

	task = bpf_get_current_task_btf();
	/* Most mappings are of no code, and those who make them are not to wait for us. */
	if (call == CODE_CHANGES && !(asked->third & PROT_EXEC))
		return 0;
	process = process_of_known(task);
	if (!process)
		return 0;
	seen = old_image(process, &image);
	if (seen == SEEN_UNWANTED)
		return 0;
	meter = bpf_map_lookup_elem(&meters, &zero);
	if (!meter)
		return 0;
	if (call == CODE_CHANGES) {
		code_changed(process);
		return 0;
	}
	if ((meter->calls++ & TIMED_MASK) == TIMED)
		start = bpf_ktime_get_ns();
	call -= 1;
	if (call == mask_call)
		kind = kind_of_mask(task, asked);
	else if (call == action_call)
		kind = kind_of_action(task, asked);
	if (seen == SEEN_BEFORE || new_image(task, process, &image)) {
		walk->image = image.image;
		walk->generation = image.generation;
		walk->reach = REACH_DEEP;
		count(regs, walk, meter, process, call, kind);
	}
	if (start) {
		meter->timed++;
		meter->nanoseconds += bpf_ktime_get_ns() - start;
	}
	return 0;
}

static __always_inline void forked(__u32 parent, __u32 child)
{
	__u32 *state;

	if (everything || parent == child)
		return;
	state = bpf_map_lookup_elem(&tree, &parent);
	if (!state)
		return;
	if (!bpf_map_update_elem(&tree, &child, state, BPF_ANY))
		__sync_fetch_and_add(&alive, 1);
}

static __always_inline void forget_image(__u32 process)
{
	if (!bpf_map_delete_elem(&current_images, &process))
		__sync_fetch_and_add(&changes, 1);
}

static __always_inline void executed(__u32 process)
{
	__u32 *state, counted = TREE_COUNTED;

	forget_image(process);
	state = bpf_map_lookup_elem(&tree, &process);
	if (state)
		*state = counted;
}

static __always_inline void exited(__u32 process, int threads_left)
{
	if (threads_left)
		return;
	forget_image(process);
	if (!bpf_map_delete_elem(&tree, &process))
		__sync_fetch_and_add(&alive, -1);
}

/* A signal call of a 32-bit program. */
static __always_inline int foreign(__u32 process)
{
	struct meter *meter;
	__u32 zero = 0;

	if (!wanted(process))
		return 0;
	meter = bpf_map_lookup_elem(&meters, &zero);
	if (meter)
		meter->foreign++;
	return 0;
}

/* Before all else, for the sake of those who make other calls. */
static __always_inline __u8 counted(long number)
{
	if (number < 0 || number >= NUMBERS || *(volatile __u32 *)&ended)
		return 0;
	return call_of[number];
}

static __always_inline int came_in(struct pt_regs *regs, __u8 call)
{
	struct asked asked = { regs->di, regs->si, regs->dx, regs->r10 };
	struct walk walk = { .pc = regs->ip, .sp = regs->sp, .bp = regs->bp, .bx = regs->bx,
			     .bottom = regs->sp };
	struct task_struct *task = bpf_get_current_task_btf();

	/* Its numbers mean other calls. */
	if (task->thread_info.status & COMPAT_CALL)
		return call & FOREIGN ? foreign(process_of_known(task)) : 0;
	call &= ~FOREIGN;
	return call ? entered(regs, &asked, &walk, call) : 0;
}

/* With what the task came in; the tracepoint is given the same, but not every kernel says so. */
static __always_inline struct pt_regs *registers(struct task_struct *task)
{
	return (void *)bpf_task_pt_regs(task);
}

/* At a function the number and the arguments are what ptrace and seccomp left, as at the tracepoint. */
SEC("kprobe.multi")
int function_enter(void *context)
{
	struct pt_regs *regs = registers(bpf_get_current_task_btf());
	__u8 call = counted(regs->orig_ax);

	return call ? came_in(regs, call) : 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(typed_enter, struct pt_regs *regs, long number)
{
	__u8 call = counted(number);

	return call ? came_in(regs, call) : 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(typed_fork, struct task_struct *parent, struct task_struct *child)
{
	forked(process_of_known(parent), process_of_known(child));
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(typed_exec, struct task_struct *task)
{
	executed(process_of_known(task));
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(typed_exit, struct task_struct *task)
{
	exited(process_of_known(task), task->signal->live.counter);
	return 0;
}

SEC("raw_tp/sys_enter")
int raw_enter(struct bpf_raw_tracepoint_args *args)
{
	__u8 call = counted(args->args[1]);

	return call ? came_in(registers(bpf_get_current_task_btf()), call) : 0;
}

SEC("raw_tp/sched_process_fork")
int raw_fork(struct bpf_raw_tracepoint_args *args)
{
	struct task_struct *parent = (void *)args->args[0], *child = (void *)args->args[1];

	forked(process_of(parent), process_of(child));
	return 0;
}

SEC("raw_tp/sched_process_exec")
int raw_exec(struct bpf_raw_tracepoint_args *args)
{
	executed(process_of((struct task_struct *)args->args[0]));
	return 0;
}

SEC("raw_tp/sched_process_exit")
int raw_exit(struct bpf_raw_tracepoint_args *args)
{
	struct task_struct *task = (void *)args->args[0];

	exited(process_of(task), BPF_CORE_READ(task, signal, live.counter));
	return 0;
}
