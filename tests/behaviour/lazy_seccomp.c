// SPDX-License-Identifier: MIT
// A hot process confines itself so far that hardly a call is left: what was blocked before stays
// blocked, handlers run, and default actions are the kernel's own.
#include "lazy.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/time.h>

static int ends[2], way;
static volatile int *runs;

static void handler(int sig)
{
	(void)sig;
	(*runs)++;
}

// Mode check asks the kernel in each step, which is the end here.
static int checking(void)
{
	char text[64 * 1024], want[] = "SIGZERO_MODE=check";
	FILE *f = fopen("/proc/self/environ", "r");
	if (!f)
		return 0;
	size_t n = fread(text, 1, sizeof text, f);
	fclose(f);
	return memmem(text, n, want, sizeof want) != NULL;
}

static int confine(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof code / sizeof *code, code};
	if (way == 0)
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (way == 1)
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
}

// Again and again: on a slow machine the first may come before the call that it is to interrupt.
static void timer(void)
{
	struct itimerval soon = {{0, 20000}, {0, 20000}};
	EQ(setitimer(ITIMER_REAL, &soon, NULL), 0);
}

static void leave(int code)
{
	t_syscall(SYS_exit, code, 0, 0, 0);
}

// Held before the doors closed; the read goes on until the other writes.
static void blocked(void)
{
	char byte;
	t_handle(SIGALRM, handler, 0, 0);
	pid_t us = getpid();
	if (fork() == 0) {
		AWAIT(t_pending_of(us) & BIT(SIGALRM));
		EQ(write(ends[1], "x", 1), 1);
		_exit(0);
	}
	t_setmask(BIT(SIGALRM));
	timer();
	if (confine())
		_exit(T_SKIP);
	leave(t_syscall(SYS_read, ends[0], (long)&byte, 1, 0) == 1 && !*runs ? 0 : 1);
}

static void caught(void)
{
	char byte;
	t_handle(SIGALRM, handler, 0, 0);
	t_setmask(BIT(SIGALRM));
	t_setmask(0);
	timer();
	if (confine())
		_exit(T_SKIP);
	leave(t_syscall(SYS_read, ends[0], (long)&byte, 1, 0) == -EINTR && *runs ? 0 : 1);
}

static void fatal(void)
{
	char byte;
	t_setmask(BIT(SIGALRM));
	t_setmask(0);
	timer();
	if (confine())
		_exit(T_SKIP);
	leave((int)t_syscall(SYS_read, ends[0], (long)&byte, 1, 0));
}

int main(void)
{
	if (checking())
		return T_SKIP;
	t_hot();
	runs = t_share(sizeof *runs);
	EQ(pipe(ends), 0);
	for (way = 0; way < 3; way++) {
		*runs = 0;
		int status = t_child(blocked);
		if (WIFEXITED(status) && WEXITSTATUS(status) == T_SKIP)
			return T_SKIP;
		EQ(status, 0);
		EQ(t_child(caught), 0);
		status = t_child(fatal);
		EQ(WIFSIGNALED(status) ? WTERMSIG(status) : -1, SIGALRM);
	}
	return 0;
}
