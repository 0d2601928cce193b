// SPDX-License-Identifier: MIT
// clone with a function: sharing memory like vfork, and as a plain process.
#include "t.h"
#include <sched.h>

static char stack[64 * 1024] __attribute__((aligned(16)));
static volatile uint64_t seen, kernel;

static void handler(int sig)
{
	(void)sig;
}

static int body(void *arg)
{
	(void)arg;
	seen = t_view();
	kernel = t_kernel_mask();
	t_setmask(BIT(SIGRTMIN));
	t_handle(SIGUSR1, SIG_IGN, 0, 0);
	t_handle(SIGUSR2, handler, 0, 0);
	if (t_view() != BIT(SIGRTMIN) || t_kernel_mask() != BIT(SIGRTMIN))
		return 1;
	return 21;
}

static void run(int flags)
{
	struct sigaction act;
	seen = kernel = 0;
	t_setmask(BIT(SIGHUP));
	pid_t pid = clone(body, stack + sizeof stack, flags | SIGCHLD, NULL);
	CHECK(pid > 0);
	EQ(WEXITSTATUS(t_wait(pid)), 21);
	if (flags & CLONE_VM) {
		EQ(seen, BIT(SIGHUP));
		FITS(kernel, BIT(SIGHUP));
	}
	MASK(BIT(SIGHUP));
	EQ(sigaction(SIGUSR1, NULL, &act), 0);
	CHECK(act.sa_handler == handler);
	EQ(sigaction(SIGUSR2, NULL, &act), 0);
	CHECK(act.sa_handler == SIG_DFL);
	EQ(t_status("SigIgn"), 0);
	t_setmask(0);
	MASK(0);
}

// A signal that waited while we slept for the child is ours: what its handler does stays.
static void install(int sig)
{
	(void)sig;
	t_handle(SIGUSR2, SIG_IGN, 0, 0);
	seen = t_view();
	kernel = t_kernel_mask();
}

static int send(void *arg)
{
	(void)arg;
	t_setmask(BIT(SIGINT));
	kill(getppid(), SIGURG);
	return 0;
}

static void arrives_in_between(void)
{
	struct sigaction act;

	t_setmask(BIT(SIGHUP));
	t_handle(SIGURG, install, 0, 0);
	seen = 0;
	EQ(t_wait(clone(send, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL)), 0);
	EQ(seen, BIT(SIGHUP) | BIT(SIGURG));
	FITS(kernel, BIT(SIGHUP) | BIT(SIGURG));
	MASK(BIT(SIGHUP));
	EQ(sigaction(SIGUSR2, NULL, &act), 0);
	CHECK(act.sa_handler == SIG_IGN);
	EQ(t_status("SigIgn"), BIT(SIGUSR2));
	t_handle(SIGUSR2, SIG_DFL, 0, 0);
	t_setmask(0);
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	for (int i = 0; i < 5; i++) {
		run(CLONE_VM | CLONE_VFORK);
		run(0);
		run(CLONE_FS | CLONE_FILES);
		arrives_in_between();
	}
	return 0;
}
