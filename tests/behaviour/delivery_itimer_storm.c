// SPDX-License-Identifier: MIT
// A timer fires into a loop of mask changes: view and kernel agree everywhere.
#include "t.h"
#include <setjmp.h>
#include <sys/time.h>
#include <time.h>

static volatile int runs;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)info;
	ucontext_t *uc = context;
	uint64_t view = t_view();
	KERNEL_MASK(view);
	EQ(view, t_bits(&uc->uc_sigmask) | BIT(sig) | BIT(SIGHUP));
	EQ(t_bits(&uc->uc_sigmask) & BIT(sig), 0);
	t_setmask(view | BIT(SIGTERM));
	KERNEL_MASK(view | BIT(SIGTERM));
	runs++;
}

static void turn(int i)
{
	uint64_t masks[] = {0, BIT(SIGALRM), BIT(SIGUSR1), BIT(SIGALRM) | BIT(SIGRTMAX)};
	uint64_t mask = masks[i & 3];
	t_setmask(mask);
	KERNEL_MASK(mask);
	EQ(t_view(), mask);
	sigset_t set = t_set(BIT(SIGALRM));
	sigprocmask(SIG_BLOCK, &set, NULL);
	KERNEL_MASK(mask | BIT(SIGALRM));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	MASK(mask & ~BIT(SIGALRM));
}

static void jump_turn(int i)
{
	sigjmp_buf env;
	uint64_t mask = i & 1 ? BIT(SIGUSR2) : 0;
	t_setmask(mask);
	if (sigsetjmp(env, 1) == 0) {
		t_setmask(BIT(SIGALRM) | BIT(SIGINT));
		siglongjmp(env, 1);
	}
	MASK(mask);
}

int main(void)
{
	t_start();
	t_handle_info(SIGALRM, handler, SA_RESTART, BIT(SIGHUP));
	struct itimerval storm = {{0, 40}, {0, 40}}, off = {{0, 0}, {0, 0}};
	setitimer(ITIMER_REAL, &storm, NULL);
	time_t end = time(NULL) + 2;
	for (int i = 0; time(NULL) < end; i++)
		for (int j = 0; j < 100; j++) {
			turn(i + j);
			jump_turn(i + j);
		}
	setitimer(ITIMER_REAL, &off, NULL);
	CHECK(runs > 10);
	return 0;
}
