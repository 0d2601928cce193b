/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers of processes as user space sees them: in its own PID namespace, if that is not the first
 * one, as in a container. Processes that it cannot see have number 0.
 */
#pragma once

/* Of our PID namespace; 0 if it is the first, and then none of this costs anything. */
const volatile __u32 own_namespace = 0;

#define LEVELS 32	/* MAX_PID_NS_LEVEL */

static __noinline __u32 seen_as(struct pid *pid)
{
	__u32 deepest = BPF_CORE_READ(pid, level);
	__u64 numbers = (__u64)pid + bpf_core_field_offset(struct pid, numbers);

	/* The first level is not ours. */
	for (__u32 level = 1; level <= LEVELS; level++) {
		struct upid *number = (void *)(numbers + level * bpf_core_type_size(struct upid));

		if (level > deepest)
			break;
		if (BPF_CORE_READ(number, ns, ns.inum) == own_namespace)
			return BPF_CORE_READ(number, nr);
	}
	return 0;
}

static __always_inline __u32 process_of(struct task_struct *task)
{
	if (own_namespace)
		return seen_as(BPF_CORE_READ(task, signal, pids[PIDTYPE_TGID]));
	return BPF_CORE_READ(task, tgid);
}

static __always_inline __u32 thread_of(struct task_struct *task)
{
	if (own_namespace)
		return seen_as(BPF_CORE_READ(task, thread_pid));
	return BPF_CORE_READ(task, pid);
}

/* Of a task that the verifier knows: without a helper. */
#define process_of_known(task) (own_namespace ? process_of(task) : (__u32)(task)->tgid)
