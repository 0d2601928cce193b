// SPDX-License-Identifier: MIT
// Real-time signals that come while they are blocked: none is lost, in the order of their
// numbers and of their sending, each with its value.
#include "lazy.h"

#define EACH 20
static int numbers[3 * EACH], values[3 * EACH];
static volatile int runs;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)context;
	numbers[runs] = sig;
	values[runs++] = info->si_value.sival_int;
}

int main(void)
{
	t_hot();
	uint64_t all = BIT(SIGRTMIN) | BIT(SIGRTMIN + 1) | BIT(SIGRTMAX) | BIT(SIGUSR1);
	for (int i = 0; i < 3; i++)
		t_handle_info(i == 2 ? SIGRTMAX : SIGRTMIN + i, handler, 0, all);
	for (int turn = 0; turn < 10; turn++) {
		runs = 0;
		t_setmask(all);
		for (int i = 0; i < EACH; i++)
			for (int kind = 2; kind >= 0; kind--)
				EQ(sigqueue(getpid(), kind == 2 ? SIGRTMAX : SIGRTMIN + kind,
				            (union sigval){.sival_int = kind * 100 + i}),
				   0);
		EQ(runs, 0);
		EQ(t_pending(), all & ~BIT(SIGUSR1));
		t_setmask(0);
		EQ(runs, 3 * EACH);
		for (int i = 0; i < 3 * EACH; i++) {
			int kind = i / EACH;
			EQ(numbers[i], kind == 2 ? SIGRTMAX : SIGRTMIN + kind);
			EQ(values[i], kind * 100 + i % EACH);
		}
	}
	return 0;
}
