// SPDX-License-Identifier: MIT
// A seccomp filter that makes one system call fail: always, or only when it would change
// something, which both rt_sigprocmask and rt_sigaction say by a second argument.
#pragma once
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

#define FIELD(name) (unsigned)offsetof(struct seccomp_data, name)
#define SECOND_LOW FIELD(args[1])
#define SECOND_HIGH (FIELD(args[1]) + 4)

static inline void make_fail(unsigned number, unsigned error, int only_changes)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 6),
		BPF_JUMP(BPF_JMP | BPF_JA | BPF_K, only_changes ? 0u : 4u, 0, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SECOND_LOW),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SECOND_HIGH),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("seccomp");
		exit(77);
	}
}
