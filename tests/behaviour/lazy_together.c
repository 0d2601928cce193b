// SPDX-License-Identifier: MIT
// Blocked and open signals that come at one moment: those that are blocked wait, and the
// handlers of the others see nothing of them, neither in their masks nor in their contexts.
#include "lazy.h"

#define OUTSIDE (BIT(SIGUSR1) | BIT(SIGALRM) | BIT(SIGTERM))
static struct shared {
	volatile int ready, sent, runs[NSIG];
	volatile uint64_t context[NSIG], mask[NSIG];
} *shared;

static void handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	EQ(info->si_code, SI_USER);
	shared->context[sig] = t_bits(&uc->uc_sigmask);
	shared->mask[sig] = t_view();
	KERNEL_MASK(shared->mask[sig]);
	shared->runs[sig]++;
}

// Each blocks something of its own; SIGHUP and SIGVTALRM come before and after the blocked ones.
static uint64_t mask_of(int sig)
{
	return BIT(sig) | BIT(SIGRTMIN + sig);
}

static void catch_all(int flags)
{
	static const int kinds[] = {SIGHUP, SIGUSR1, SIGALRM, SIGVTALRM};
	for (int i = 0; i < 4; i++)
		t_handle_info(kinds[i], handler, flags, mask_of(kinds[i]));
}

// The subject itself looks, after all have come.
static void look(const int *sent, int count, uint64_t open)
{
	uint64_t want = 0;
	for (int i = 0; i < count; i++)
		want |= BIT(sent[i]);
	MASK(OUTSIDE);
	EQ(t_pending(), want & ~open);
	t_setmask(0);
	for (int i = 0; i < count; i++)
		EQ(shared->runs[sent[i]], 1);
}

static void check(const int *sent, int count, int flags)
{
	uint64_t open = BIT(SIGHUP) | BIT(SIGVTALRM), outer = 0;
	memset((void *)shared, 0, sizeof *shared);
	pid_t pid = fork();
	if (pid == 0) {
		catch_all(flags);
		t_setmask(OUTSIDE);
		shared->ready = 1;
		while (!shared->sent)
			;
		look(sent, count, open);
		_exit(0);
	}
	AWAIT(shared->ready);
	t_send_together(pid, sent, count);
	for (int i = 0; i < count; i++)
		if (open & BIT(sent[i]))
			AWAIT(shared->runs[sent[i]]);
	// The lower one is entered first, and runs last.
	for (int sig = 1; sig < NSIG; sig++) {
		if (!(open & BIT(sig)) || !shared->runs[sig])
			continue;
		EQ(shared->context[sig], OUTSIDE | outer);
		EQ(shared->mask[sig], OUTSIDE | outer | mask_of(sig));
		outer |= mask_of(sig);
	}
	for (int i = 0; i < count; i++)
		if (!(open & BIT(sent[i])))
			EQ(shared->runs[sent[i]], 0);
	shared->sent = 1;
	EQ(t_wait(pid), 0);
}

int main(void)
{
	static const int sets[][4] = {{SIGUSR1, SIGHUP},
	                              {SIGUSR1, SIGVTALRM},
	                              {SIGUSR1, SIGHUP, SIGVTALRM},
	                              {SIGALRM, SIGUSR1, SIGVTALRM},
	                              {SIGUSR1, SIGALRM, SIGHUP, SIGVTALRM},
	                              {SIGUSR1, SIGALRM}};
	static const int counts[] = {2, 2, 3, 3, 4, 2};
	t_hot();
	shared = t_share(sizeof *shared);
	for (int turn = 0; turn < 6; turn++)
		for (int i = 0; i < 6; i++)
			check(sets[i], counts[i], turn % 2 ? SA_RESTART : 0);
	return 0;
}
