// SPDX-License-Identifier: MIT
// Four threads change two dispositions at once while signals for them come and processes fork.
// Who sets one learns one that was set; masks are right in handlers, outside and in children;
// and when all is quiet a query tells the handler, flags and mask that a signal finds.
#include "t.h"
#include <time.h>

#define THREADS 4
#define HANDLERS 4

static volatile int stop;
static _Thread_local volatile unsigned arrivals;
static _Thread_local volatile int last;
static _Thread_local volatile uint64_t last_mask;

// A handler that comes between the two looks may change the mask.
static void same(void)
{
	uint64_t seen, kernel;
	unsigned before;
	do {
		before = arrivals;
		seen = t_view();
		kernel = t_kernel_mask();
	} while (before != arrivals);
	FITS(kernel, seen);
}

static void arrived(int which, void *context)
{
	ucontext_t *uc = context;
	sigset_t set = t_set(BIT(SIGRTMIN + which));
	arrivals++;
	last = which;
	last_mask = t_kernel_mask();
	same();
	EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
	same();
	if (which % 2)
		sigaddset(&uc->uc_sigmask, SIGTSTP);
	else
		sigdelset(&uc->uc_sigmask, SIGTSTP);
}

#define HANDLER(n)                                                                                 \
	static void handler##n(int sig, siginfo_t *info, void *context)                            \
	{                                                                                          \
		(void)sig;                                                                         \
		(void)info;                                                                        \
		arrived(n, context);                                                               \
	}
HANDLER(0)
HANDLER(1)
HANDLER(2)
HANDLER(3)
static void (*const handlers[HANDLERS])(int, siginfo_t *, void *) = {handler0, handler1,
                                                                     handler2, handler3};

static int is_one(const struct sigaction *act)
{
	for (int i = 0; i < HANDLERS; i++)
		if (act->sa_sigaction == handlers[i])
			return (act->sa_flags & SA_SIGINFO) != 0;
	return 0;
}

static void change(int sig, unsigned *seed)
{
	struct sigaction act, old;
	memset(&act, 0, sizeof act);
	act.sa_sigaction = handlers[rand_r(seed) % HANDLERS];
	act.sa_flags = SA_SIGINFO | SA_RESTART | (rand_r(seed) % 2 ? SA_NODEFER : 0);
	act.sa_mask = t_set(rand_r(seed) % 2 ? BIT(SIGTTIN) : 0);
	EQ(sigaction(sig, &act, &old), 0);
	CHECK(is_one(&old));
}

static void *body(void *arg)
{
	unsigned seed = (unsigned)(uintptr_t)arg;
	sigset_t set = t_set(BIT(SIGUSR1)), old;
	while (!stop) {
		change(rand_r(&seed) % 2 ? SIGUSR1 : SIGUSR2, &seed);
		EQ(pthread_sigmask(SIG_BLOCK, &set, &old), 0);
		same();
		EQ(pthread_sigmask(SIG_SETMASK, &old, NULL), 0);
		same();
	}
	return NULL;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void agree(int sig)
{
	struct sigaction act;
	t_setmask(0);
	EQ(sigaction(sig, NULL, &act), 0);
	CHECK(is_one(&act));
	raise(sig);
	CHECK(act.sa_sigaction == handlers[last]);
	FITS(last_mask, t_bits(&act.sa_mask) | (act.sa_flags & SA_NODEFER ? 0 : BIT(sig)));
}

static void churn(unsigned *seed)
{
	pthread_t thread[THREADS];
	stop = 0;
	for (int i = 0; i < THREADS; i++)
		EQ(pthread_create(&thread[i], NULL, body, (void *)(uintptr_t)rand_r(seed)), 0);
	double end = now() + 0.02;
	for (int n = 0; now() < end; n++) {
		pthread_kill(thread[rand_r(seed) % THREADS],
		             rand_r(seed) % 2 ? SIGUSR1 : SIGUSR2);
		if (n % 50 == 0)
			EQ(t_child(same), 0);
	}
	stop = 1;
	for (int i = 0; i < THREADS; i++)
		EQ(pthread_join(thread[i], NULL), 0);
}

int main(void)
{
	unsigned seed = 9;
	t_start();
	t_handle_info(SIGUSR1, handler0, SA_RESTART, 0);
	t_handle_info(SIGUSR2, handler0, SA_RESTART, 0);
	for (double end = now() + 0.8; now() < end;) {
		churn(&seed);
		agree(SIGUSR1);
		agree(SIGUSR2);
	}
	return 0;
}
