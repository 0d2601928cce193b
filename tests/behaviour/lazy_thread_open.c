// SPDX-License-Identifier: MIT
// A signal for the process reaches a thread that has it open, however many others block it, and
// waits for the first that opens it if all do; siginfo is the sender's.
#include "lazy.h"

#define BLOCKERS 6
static volatile int runs, stop, blocked, value, release;
static volatile pid_t where;
static pid_t opener;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	where = gettid();
	value = info->si_code == SI_QUEUE ? info->si_value.sival_int : -info->si_code;
	runs++;
}

// Works on, blocking and opening only other signals.
static void *block(void *arg)
{
	t_settle();
	t_setmask(BIT(SIGUSR1));
	__atomic_add_fetch(&blocked, 1, __ATOMIC_SEQ_CST);
	while (!stop) {
		t_setmask(BIT(SIGUSR1) | BIT(SIGTERM));
		t_setmask(BIT(SIGUSR1));
		if (arg)
			t_pause_ms(1);
	}
	return NULL;
}

static void *open_one(void *arg)
{
	t_settle();
	t_setmask(BIT(SIGUSR1));
	t_setmask(0);
	opener = gettid();
	blocked++;
	while (!stop)
		t_pause_ms(1);
	return arg;
}

static void send(int i)
{
	int before = runs;
	if (i % 2)
		EQ(kill(getpid(), SIGUSR1), 0);
	else
		EQ(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = i}), 0);
	AWAIT(runs == before + 1);
	EQ(value, i % 2 ? -SI_USER : i);
}

int main(void)
{
	pthread_t threads[BLOCKERS + 1];
	t_hot();
	t_handle_info(SIGUSR1, handler, SA_RESTART, 0);
	t_setmask(BIT(SIGUSR1));
	for (int i = 0; i < BLOCKERS; i++)
		EQ(pthread_create(&threads[i], NULL, block, i < 2 ? NULL : threads), 0);
	AWAIT(blocked == BLOCKERS);

	// Nobody has it open: it waits for us.
	for (int i = 1; i <= 20; i++) {
		sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = i});
		t_pause_ms(i % 3);
		EQ(runs, i - 1);
		if (t_lazy) // it may be on its way between two that block it
			AWAIT(t_pending() == BIT(SIGUSR1));
		EQ(t_pending(), BIT(SIGUSR1));
		t_setmask(0);
		EQ(runs, i);
		EQ(value, i);
		EQ(where, gettid());
		t_setmask(BIT(SIGUSR1));
	}

	EQ(pthread_create(&threads[BLOCKERS], NULL, open_one, NULL), 0);
	AWAIT(blocked == BLOCKERS + 1);
	for (int i = 0; i < 200; i++) {
		send(i);
		EQ(where, opener);
	}
	stop = 1;
	for (int i = 0; i <= BLOCKERS; i++)
		EQ(pthread_join(threads[i], NULL), 0);
	t_setmask(0);
	EQ(runs, 220);
	return 0;
}
