// SPDX-License-Identifier: MIT
// Under strict seccomp (only read, write, exit and sigreturn) a handler runs and read ends
// with EINTR: delivery makes no other system call.
#include "t.h"
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/time.h>

static int ends[2];
static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

// Mode check asks the kernel for the mask in each handler, which strict mode forbids.
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

static void strict(void)
{
	struct itimerval soon = {{0, 0}, {0, 20000}};
	char c;
	t_handle(SIGALRM, handler, 0, 0);
	MASK(0);
	EQ(setitimer(ITIMER_REAL, &soon, NULL), 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		_exit(T_SKIP);
	long result = t_syscall(SYS_read, ends[0], (long)&c, 1, 0);
	t_syscall(SYS_exit, result == -EINTR && runs == 1 ? 0 : 1, 0, 0, 0);
}

int main(void)
{
	if (checking())
		return T_SKIP;
	t_start();
	EQ(pipe(ends), 0);
	int status = t_child(strict);
	if (WIFEXITED(status) && WEXITSTATUS(status) == T_SKIP)
		return T_SKIP;
	EQ(status, 0);
	return 0;
}
