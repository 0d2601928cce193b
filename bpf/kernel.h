/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The few kernel types that the tracer reads, instead of a generated vmlinux.h: CO-RE finds each
 * field by its name in the running kernel's BTF, so only names and types must be right here, not
 * order and size. What is left out does not matter. The constants are of the kernel's user interface.
 */
#pragma once

typedef unsigned char __u8;
typedef signed char __s8;
typedef unsigned short __u16;
typedef short __s16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u32 __wsum;
typedef __u16 __sum16;
typedef _Bool bool;

enum { false, true };

#define NULL ((void *)0)

enum bpf_map_kind {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_RINGBUF = 27,
};

enum { BPF_ANY = 0, BPF_NOEXIST = 1 };
enum { BPF_F_NO_PREALLOC = 1 };
enum { BPF_RB_AVAIL_DATA = 0 };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	unsigned long sig[1];
} sigset_t;

struct sigaction {
	void *sa_handler;
	unsigned long sa_flags;
	void *sa_restorer;
	sigset_t sa_mask;
};

struct k_sigaction {
	struct sigaction sa;
};

struct list_head {
	struct list_head *next, *prev;
};

struct sigpending {
	struct list_head list;
};

struct sigqueue {
	struct list_head list;
	int flags;
};

struct kernel_siginfo {
	int si_code;
};

typedef struct {
	__u32 val;
} kuid_t;

typedef struct {
	long counter;
} atomic_long_t;

enum rlimit_type { UCOUNT_RLIMIT_SIGPENDING = 2 };

struct ucounts {
	atomic_long_t rlimit[4];
};

struct cred {
	kuid_t uid;
	struct ucounts *ucounts;
};

struct rlimit {
	unsigned long rlim_cur;
};

struct sighand_struct {
	struct k_sigaction action[64];
};

struct super_block {
	__u32 s_dev;
};

struct inode {
	unsigned long i_ino;
	struct super_block *i_sb;
};

struct file {
	struct inode *f_inode;
};

typedef struct {
	void *vdso;
} mm_context_t;

struct mm_struct {
	struct file *exe_file;
	mm_context_t context;
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	unsigned long vm_pgoff;
	struct file *vm_file;
	struct mm_struct *vm_mm;
};

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

enum pid_kind { PIDTYPE_TGID = 1, PIDTYPE_KINDS = 4 };

struct signal_struct {
	atomic_t live;
	struct pid *pids[PIDTYPE_KINDS];
	struct sigpending shared_pending;
	struct rlimit rlim[16];
};

struct thread_info {
	__u32 status;
};

struct task_struct {
	struct thread_info thread_info;
	int pid;
	int tgid;
	unsigned int flags;
	__u64 start_time;
	sigset_t blocked;
	struct sigpending pending;
	struct mm_struct *mm;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct signal_struct *signal;
	struct sighand_struct *sighand;
	const struct cred *real_cred;
	char comm[16];
};

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	unsigned long ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};

#pragma clang attribute pop

struct bpf_raw_tracepoint_args {
	__u64 args[0];
};
