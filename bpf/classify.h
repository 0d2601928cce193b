/* SPDX-License-Identifier: GPL-2.0 */
/* What a call asks for, told at its entry from the task's real mask and dispositions. */
#pragma once

#define SIGNAL_BIT(number) (1ULL << ((number)-1))
#define SIG_KILL 9
#define SIG_STOP 19
#define LAST_SIGNAL 64
#define UNBLOCKABLE (SIGNAL_BIT(SIG_KILL) | SIGNAL_BIT(SIG_STOP))
#define SIGSET_SIZE 8

enum { HOW_BLOCK, HOW_UNBLOCK, HOW_SET };

struct asked {
	__u64 first, second, third, fourth;
};

/* In the order in which the kernel looks at the arguments. */
static __always_inline __u8 kind_of_mask(struct task_struct *task, const struct asked *asked)
{
	__u64 old = task->blocked.sig[0], set = 0, new;

	if (asked->fourth != SIGSET_SIZE)
		return KIND_FAILED;
	if (!asked->second)
		return KIND_QUERY;
	if (bpf_probe_read_user(&set, sizeof(set), (void *)asked->second))
		return KIND_FAILED;
	set &= ~UNBLOCKABLE;
	switch ((int)asked->first) {
	case HOW_BLOCK:
		new = old | set;
		break;
	case HOW_UNBLOCK:
		new = old & ~set;
		break;
	case HOW_SET:
		new = set;
		break;
	default:
		return KIND_FAILED;
	}
	if (new == old)
		return KIND_SAME;
	if (new & ~old)
		return old & ~new ? KIND_REPLACE : KIND_BLOCK;
	return (int)asked->first == HOW_UNBLOCK ? KIND_UNBLOCK : KIND_RESTORE;
}

struct action {
	__u64 handler, flags, restorer, mask;
};

static __always_inline __u8 kind_of_action(struct task_struct *task, const struct asked *asked)
{
	__u64 number = (__u32)asked->first;
	struct action new, old = {};
	struct k_sigaction *installed;

	if (asked->fourth != SIGSET_SIZE)
		return KIND_FAILED;
	if (asked->second && bpf_probe_read_user(&new, sizeof(new), (void *)asked->second))
		return KIND_FAILED;
	if (number < 1 || number > LAST_SIGNAL)
		return KIND_FAILED;
	if (!asked->second)
		return KIND_QUERY;
	if (number == SIG_KILL || number == SIG_STOP)
		return KIND_FAILED;
	installed = &task->sighand->action[0];
	/* The layout of the structure is that of the system call, and so never changes. */
	installed = (void *)installed + (number - 1) * sizeof(struct action);
	if (bpf_probe_read_kernel(&old, sizeof(old), installed))
		return KIND_SET;
	new.mask &= ~UNBLOCKABLE;
	return new.handler == old.handler && new.flags == old.flags && new.mask == old.mask &&
			       new.restorer == old.restorer
		       ? KIND_SAME
		       : KIND_SET;
}
