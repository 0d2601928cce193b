// SPDX-License-Identifier: MIT
// What the behaviour programs share: checks, and the kernel's own word on the mask.
//
// A program is silent and returns 0 when it passes. The kernel is asked by an own
// system-call instruction, because libc's syscall() may be interposed.
#pragma once
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define T_SKIP 77
#define BIT(sig) (UINT64_C(1) << ((sig) - 1))
#define LIBC_OWN (BIT(32) | BIT(33)) // cancels threads; makes setuid reach them all

#ifdef __cplusplus
#define T_UNUSED [[maybe_unused]]
#else
#define T_UNUSED __attribute__((unused))
#endif

T_UNUSED static long t_syscall(long nr, long a, long b, long c, long d)
{
	long ret;
	register long r10 __asm__("r10") = d;
	__asm__ volatile("syscall"
	                 : "=a"(ret)
	                 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
	                 : "rcx", "r11", "memory");
	return ret;
}

T_UNUSED static void t_fail(const char *file, int line, const char *what)
{
	char text[640];
	const char *base = strrchr(file, '/');
	int n = snprintf(text, sizeof text, "%s:%d: %s\n", base ? base + 1 : file, line, what);
	if (n > (int)sizeof text)
		n = sizeof text;
	t_syscall(SYS_write, 2, (long)text, n, 0);
	_exit(1);
}

T_UNUSED static void t_equal(long long got, long long want, const char *what, const char *file,
                             int line)
{
	if (got == want)
		return;
	char text[512];
	snprintf(text, sizeof text, "%s: %lld (%#llx), expected %lld (%#llx)", what, got,
	         (unsigned long long)got, want, (unsigned long long)want);
	t_fail(file, line, text);
}

#define CHECK(cond)                                                                                \
	do {                                                                                       \
		if (!(cond))                                                                       \
			t_fail(__FILE__, __LINE__, #cond);                                         \
	} while (0)
#define EQ(got, want) t_equal((long long)(got), (long long)(want), #got, __FILE__, __LINE__)

T_UNUSED static uint64_t t_kernel_mask(void)
{
	uint64_t mask = 0;
	t_syscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&mask, 8);
	return mask;
}

T_UNUSED static uint64_t t_kernel_pending(void)
{
	uint64_t mask = 0;
	t_syscall(SYS_rt_sigpending, (long)&mask, 8, 0, 0);
	return mask;
}

T_UNUSED static uint64_t t_bits(const sigset_t *set)
{
	uint64_t mask;
	memcpy(&mask, set, sizeof mask);
	return mask;
}

T_UNUSED static sigset_t t_set(uint64_t mask)
{
	sigset_t set;
	sigemptyset(&set);
	memcpy(&set, &mask, sizeof mask);
	return set;
}

T_UNUSED static uint64_t t_view(void)
{
	sigset_t set;
	memset(&set, 0, sizeof set);
	int err = pthread_sigmask(SIG_BLOCK, NULL, &set);
	if (err)
		t_fail(__FILE__, __LINE__, "pthread_sigmask cannot read the mask");
	return t_bits(&set);
}

T_UNUSED static uint64_t t_pending(void)
{
	sigset_t set;
	sigemptyset(&set);
	if (sigpending(&set))
		t_fail(__FILE__, __LINE__, "sigpending");
	return t_bits(&set);
}

// What a runtime that blocks lazily blocks for real all the same: job control, SIGABRT and
// real-time signals.
#define NEVER_LAZY                                                                                 \
	(BIT(SIGTSTP) | BIT(SIGTTIN) | BIT(SIGTTOU) | BIT(SIGCONT) | BIT(SIGABRT) |                \
	 ~(BIT(34) - 1))

// Whether the kernel may block less than the program does. Our environment may have been
// tidied up, so the kernel's copy of it is read.
static int t_lazy;

T_UNUSED __attribute__((constructor)) static void t_find_mode(void)
{
	static char text[128 * 1024];
	static const char lazy[] = "SIGZERO_MODE=lazy", check[] = "SIGZERO_MODE=check";
	long fd = t_syscall(SYS_openat, -100, (long)"/proc/self/environ", 0, 0);
	if (fd < 0)
		return;
	long n = t_syscall(SYS_read, fd, (long)text, sizeof text, 0);
	t_syscall(SYS_close, fd, 0, 0, 0);
	t_lazy = n > 0 && (memmem(text, (size_t)n, lazy, sizeof lazy) ||
	                   memmem(text, (size_t)n, check, sizeof check));
}

// A mask that the kernel told is `want`, but for what may be blocked lazily.
T_UNUSED static int t_fits(uint64_t kernel, uint64_t want)
{
	uint64_t exact = t_lazy ? ~want | NEVER_LAZY : ~UINT64_C(0);
	return (kernel & exact) == (want & exact);
}

#define FITS(kernel, want)                                                                         \
	do {                                                                                       \
		uint64_t kernel_ = (kernel), wanted_ = (want);                                     \
		if (!t_fits(kernel_, wanted_))                                                     \
			t_equal((long long)kernel_, (long long)wanted_, "kernel's mask", __FILE__, \
			        __LINE__);                                                         \
	} while (0)
#define KERNEL_MASK(want) FITS(t_kernel_mask(), want)

// The mask as the program sees it is `want`, and the kernel's fits.
#define MASK(want)                                                                                 \
	do {                                                                                       \
		uint64_t want_ = (want);                                                           \
		t_equal((long long)t_view(), (long long)want_, "seen mask", __FILE__, __LINE__);   \
		KERNEL_MASK(want_);                                                                \
	} while (0)

// The mask as the program and the kernel have it, where it depends on the moment. A cleanup may
// run in the handler of libc's own signal.
#define SAME_MASK() FITS(t_kernel_mask() & ~LIBC_OWN, t_view() & ~LIBC_OWN)

T_UNUSED static uint64_t t_setmask(uint64_t mask)
{
	sigset_t set = t_set(mask), old = t_set(0);
	if (sigprocmask(SIG_SETMASK, &set, &old))
		t_fail(__FILE__, __LINE__, "sigprocmask");
	return t_bits(&old);
}

T_UNUSED static void t_handle(int sig, void (*handler)(int), int flags, uint64_t mask)
{
	struct sigaction act;
	memset(&act, 0, sizeof act);
	act.sa_handler = handler;
	act.sa_flags = flags;
	act.sa_mask = t_set(mask);
	if (sigaction(sig, &act, NULL))
		t_fail(__FILE__, __LINE__, "sigaction");
}

T_UNUSED static void t_handle_info(int sig, void (*handler)(int, siginfo_t *, void *), int flags,
                                   uint64_t mask)
{
	struct sigaction act;
	memset(&act, 0, sizeof act);
	act.sa_sigaction = handler;
	act.sa_flags = flags | SA_SIGINFO;
	act.sa_mask = t_set(mask);
	if (sigaction(sig, &act, NULL))
		t_fail(__FILE__, __LINE__, "sigaction");
}

// One line of a status file in /proc that holds a set of signals. Whether libc's own two are
// ignored depends on who started us: posix_spawn leaves them so in its children.
T_UNUSED static uint64_t t_status_in(const char *path, const char *field)
{
	char line[256];
	unsigned long long value = 0;
	int found = 0;
	FILE *f = fopen(path, "r");
	if (!f)
		t_fail(__FILE__, __LINE__, path);
	while (fgets(line, sizeof line, f))
		if (!strncmp(line, field, strlen(field)))
			found = sscanf(line + strlen(field), ": %llx", &value) == 1;
	fclose(f);
	if (!found)
		t_fail(__FILE__, __LINE__, field);
	return strcmp(field, "SigIgn") == 0 ? value & ~LIBC_OWN : value;
}

T_UNUSED static uint64_t t_status(const char *field)
{
	return t_status_in("/proc/thread-self/status", field);
}

// The kernel catches what the program does; for a default action a runtime may stand in.
T_UNUSED static void t_caught(uint64_t want, const char *file, int line)
{
	uint64_t caught = t_status("SigCgt") & ~LIBC_OWN, exact = t_lazy ? want : ~UINT64_C(0);
	t_equal((long long)(caught & exact), (long long)want, "caught signals", file, line);
}
#define CAUGHT(want) t_caught(want, __FILE__, __LINE__)

// Returns when the thread `tid` blocks `mask`: it is then inside its wait with that mask.
T_UNUSED static void t_await_mask(pid_t tid, uint64_t mask)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/self/task/%d/status", tid);
	for (int i = 0; t_status_in(path, "SigBlk") != mask; i++) {
		if (i == 5000)
			t_fail(__FILE__, __LINE__, "the other thread never blocked that mask");
		usleep(1000);
	}
}

T_UNUSED static int t_wait(pid_t pid)
{
	int status;
	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			t_fail(__FILE__, __LINE__, "waitpid");
	return status;
}

// Runs `body` in a forked child and returns its wait status; 0 if the body returns.
T_UNUSED static int t_child(void (*body)(void))
{
	pid_t pid = fork();
	if (pid < 0)
		t_fail(__FILE__, __LINE__, "fork");
	if (pid == 0) {
		body();
		_exit(0);
	}
	return t_wait(pid);
}

// A run may start with something blocked or ignored by whoever started it.
T_UNUSED static void t_start(void)
{
	t_setmask(0);
	for (int sig = 1; sig < NSIG; sig++)
		if (sig != SIGKILL && sig != SIGSTOP && sig != 32 && sig != 33)
			signal(sig, SIG_DFL);
}
