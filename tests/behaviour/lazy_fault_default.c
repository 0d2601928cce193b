// SPDX-License-Identifier: MIT
// Faults under the default action: death by the right signal, with a core dump where Linux
// makes one; the stack's end included.
#include "lazy.h"
#include <fcntl.h>
#include <stddef.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static volatile int *volatile nowhere = (volatile int *)16;

static void segv(void)
{
	*nowhere = 1;
}

static void general_protection(void)
{
	*(volatile int *)0x8000000000000000 = 1;
}

static void bus(void)
{
	int fd = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);
	volatile char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	page[100] = 1;
}

static void fpe(void)
{
	volatile int zero = 0, one = 1;
	__asm__ volatile("idivl %0" : : "r"(zero), "a"(one), "d"(0));
}

static void ill(void)
{
	__asm__ volatile("ud2");
}

static void trap(void)
{
	__asm__ volatile("int3");
}

static void single_step(void)
{
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq; nop; nop" : : : "memory", "cc");
}

__attribute__((noinline)) static int recurse(volatile char *below)
{
	volatile char frame[4096];
	frame[0] = *below;
	return *below == 1 ? 0 : recurse(frame) + frame[0];
}

static void overflow(void)
{
	struct rlimit small = {256 * 1024, 256 * 1024};
	char start = 0;
	setrlimit(RLIMIT_STACK, &small);
	recurse(&start);
}

static void sys(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {4, code};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		raise(SIGSYS);
	t_syscall(SYS_getppid, 0, 0, 0, 0);
}

static void broken_pipe(void)
{
	int ends[2];
	EQ(pipe(ends), 0);
	close(ends[0]);
	EQ(write(ends[1], "x", 1), -1);
}

static const struct {
	int sig;
	void (*fault)(void);
} kinds[] = {
	{SIGSEGV, segv},     {SIGSEGV, general_protection},
	{SIGBUS, bus},       {SIGFPE, fpe},
	{SIGILL, ill},       {SIGTRAP, trap},
	{SIGTRAP, single_step}, {SIGSEGV, overflow},
	{SIGSYS, sys},       {SIGPIPE, broken_pipe},
};
static int kind;

// What Linux does with the signal, whoever stands in for its default action.
static void reference(void)
{
	uint64_t act[4] = {0};
	t_syscall(SYS_rt_sigaction, kinds[kind].sig, (long)act, 0, 8);
	t_syscall(SYS_kill, getpid(), kinds[kind].sig, 0, 0);
}

static void with_another_blocked(void)
{
	t_setmask(BIT(SIGTERM) | BIT(SIGUSR1));
	kinds[kind].fault();
}

static void with_nothing_blocked(void)
{
	kinds[kind].fault();
}

static void after_a_handler(void)
{
	t_handle(kinds[kind].sig, (void (*)(int))_exit, 0, 0);
	t_setmask(BIT(kinds[kind].sig));
	t_setmask(0);
	signal(kinds[kind].sig, SIG_DFL);
	kinds[kind].fault();
}

static void *in_thread(void *arg)
{
	t_settle();
	t_setmask(BIT(SIGTERM));
	kinds[kind].fault();
	return arg;
}

static void in_another_thread(void)
{
	pthread_t thread;
	EQ(pthread_create(&thread, NULL, in_thread, NULL), 0);
	pthread_join(thread, NULL);
}

int main(void)
{
	struct rlimit limit = {65536, 65536};
	setrlimit(RLIMIT_CORE, &limit);
	t_hot();
	void (*ways[])(void) = {with_another_blocked, with_nothing_blocked, after_a_handler,
	                        in_another_thread};
	for (kind = 0; kind < (int)(sizeof kinds / sizeof *kinds); kind++) {
		int want = t_child(reference);
		EQ(WTERMSIG(want), kinds[kind].sig);
		for (int way = 0; way < 4; way++)
			if (way < 3 || kinds[kind].fault != overflow)
				EQ(t_child(ways[way]), want);
	}
	return 0;
}
