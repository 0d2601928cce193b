// SPDX-License-Identifier: MIT
// Under a seccomp filter from before exec that kills who queues a signal by hand.
#pragma once
#include "lazy.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#define VALUE 4711

static volatile int runs, value;

static void handler(int sig, siginfo_t *info, void *uc)
{
	(void)sig;
	(void)uc;
	value = info->si_value.sival_int;
	runs++;
}

static int confine(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigqueueinfo, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_tgsigqueueinfo, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog filter = {sizeof code / sizeof *code, code};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

// Outside of the filter: sends each time that it is asked to.
static void start_sender(int asked[2])
{
	pid_t us = getpid();
	EQ(pipe(asked), 0);
	if (fork() == 0) {
		char sig;
		close(asked[1]);
		while (read(asked[0], &sig, 1) == 1)
			sigqueue(us, sig, (union sigval){.sival_int = VALUE});
		_exit(0);
	}
	close(asked[0]);
}

static void ask(int fd, char sig)
{
	EQ(write(fd, &sig, 1), 1);
}

// Runs `inside` in what this process becomes by exec, with a descriptor to ask for signals.
static int confined(int argc, char **argv, int (*inside)(int fd))
{
	char fd[16];
	int asked[2];
	if (argc > 1)
		return inside(atoi(argv[1]));
	start_sender(asked);
	if (confine())
		return T_SKIP;
	snprintf(fd, sizeof fd, "%d", asked[1]);
	execl("/proc/self/exe", argv[0], fd, NULL);
	t_fail(__FILE__, __LINE__, "exec");
	return 1;
}
