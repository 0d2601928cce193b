// SPDX-License-Identifier: MIT
// A signal that ends the process comes at one moment with others: no handler runs any more if
// its number is lower than theirs.
#include "lazy.h"

static struct shared {
	volatile int ready, runs, blocked_runs;
} *shared;

static void handler(int sig)
{
	(void)sig;
	shared->runs++;
}

static void held(int sig)
{
	(void)sig;
	shared->blocked_runs++;
}

// Handlers of lower ones are entered, but do not come to run before the end either.
static void check(int fatal, const int *sent, int count)
{
	memset((void *)shared, 0, sizeof *shared);
	pid_t pid = fork();
	if (pid == 0) {
		t_handle(SIGUSR1, handler, 0, 0);
		t_handle(SIGALRM, held, 0, 0);
		t_handle(SIGVTALRM, handler, SA_RESTART, 0);
		t_setmask(BIT(SIGALRM));
		shared->ready = 1;
		for (;;)
			;
	}
	AWAIT(shared->ready);
	t_send_together(pid, sent, count);
	int status = t_wait(pid);
	EQ(WIFSIGNALED(status) ? WTERMSIG(status) : 0, fatal);
	EQ(shared->runs, 0);
	EQ(shared->blocked_runs, 0);
}

int main(void)
{
	t_hot();
	shared = t_share(sizeof *shared);
	for (int i = 0; i < 5; i++) {
		check(SIGTERM, (const int[]){SIGTERM}, 1);
		check(SIGTERM, (const int[]){SIGTERM, SIGALRM}, 2);
		check(SIGTERM, (const int[]){SIGTERM, SIGUSR1}, 2);
		check(SIGTERM, (const int[]){SIGTERM, SIGVTALRM}, 2);
		check(SIGHUP, (const int[]){SIGUSR1, SIGVTALRM, SIGHUP}, 3);
		check(SIGTERM, (const int[]){SIGVTALRM, SIGTERM, SIGUSR1, SIGALRM}, 4);
	}
	return 0;
}
