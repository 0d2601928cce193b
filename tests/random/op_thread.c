// SPDX-License-Identifier: MIT
// Another thread: one that stays, and short-lived ones. One runs, the others wait.
#include <semaphore.h>

#include "fuzz.h"

static sem_t go, back, start;
static int busy;
static uint64_t worker_key, thread_key;
static pthread_t worker;
static struct stack worker_stack = {.name = "worker"}, thread_stack = {.name = "thread"};
static char alternate[256 * 1024];
static int thread_in_use;

// What is pending for those who wait, and what they block.
enum { CALLS_WORKER, WORKER, CALLS_THREAD, PLACES };
static struct {
	uint64_t pending, mask;
} parked[PLACES];

uint64_t fz_pending_elsewhere(void)
{
	return parked[CALLS_WORKER].pending | parked[WORKER].pending |
	       parked[CALLS_THREAD].pending;
}

uint64_t fz_blocked_elsewhere(void)
{
	return parked[CALLS_WORKER].mask | parked[WORKER].mask | parked[CALLS_THREAD].mask;
}

static uint64_t block_all(int place)
{
	uint64_t all = ~(BIT(32) | BIT(33)), old = 0;
	parked[place].mask = t_view();
	t_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&old, 8);
	parked[place].pending = t_kernel_pending();
	return old;
}

static void restore(int place, uint64_t mask)
{
	parked[place].pending = parked[place].mask = 0;
	t_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8);
}

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem))
		;
}

static void *worker_body(void *arg)
{
	stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
	sigaltstack(&stack, NULL);
	fz_set_stack(&worker_stack);
	uint64_t mask = block_all(WORKER);
	sem_post(&back);
	for (;;) {
		wait_for(&go);
		restore(WORKER, mask);
		fz_result("worker's turn");
		fz_run_list(worker_key, 3);
		mask = block_all(WORKER);
		sem_post(&back);
	}
	return arg;
}

void fz_start_worker(void)
{
	sem_init(&go, 0, 0);
	sem_init(&back, 0, 0);
	sem_init(&start, 0, 0);
	if (pthread_create(&worker, NULL, worker_body, NULL))
		t_fail(__FILE__, __LINE__, "pthread_create");
	wait_for(&back);
}

void fz_worker_is_gone(void)
{
	busy = 1;
}

static void send_to_worker(struct random *random)
{
	int sig = fz_below(random, 2) ? SIGUSR2 : 35;
	union sigval value = {.sival_int = fz_below(random, 100)};
	if (!fz_may_send(sig))
		return;
	fz_clear_errno();
	int ret = fz_below(random, 2) ? pthread_kill(worker, sig)
	                              : pthread_sigqueue(worker, sig, value);
	fz_result("signal %d to the worker = %d", sig, ret);
}

void fz_op_worker(struct random *random)
{
	if (busy || fz_restricted)
		return;
	if (fz_below(random, 3) == 0)
		send_to_worker(random);
	busy = 1;
	worker_key = fz_next(random);
	fz_line("to the worker");
	uint64_t mask = block_all(CALLS_WORKER);
	sem_post(&go);
	wait_for(&back);
	restore(CALLS_WORKER, mask);
	busy = 0;
	fz_result("back from the worker");
}

static void *thread_body(void *arg)
{
	wait_for(&start);
	fz_set_stack(&thread_stack);
	fz_result("new thread");
	fz_run_list(thread_key, 3);
	return arg;
}

void fz_op_thread(struct random *random)
{
	pthread_t thread;
	pthread_attr_t attr;
	int with_mask = fz_below(random, 4) == 0;
	sigset_t set = t_set(fz_mask(random) & ~BIT(SIGKILL) & ~BIT(SIGSTOP));
	if (thread_in_use || fz_restricted)
		return;
	thread_in_use = 1;
	thread_key = fz_next(random);
	pthread_attr_init(&attr);
	// A mask that opens more than ours would let signals in while both threads run.
	if (with_mask) {
		set = t_set(t_bits(&set) | t_view());
		pthread_attr_setsigmask_np(&attr, &set);
	}
	int ret = pthread_create(&thread, &attr, thread_body, NULL);
	pthread_attr_destroy(&attr);
	fz_result("pthread_create = %d", ret);
	uint64_t mask = block_all(CALLS_THREAD);
	sem_post(&start);
	pthread_join(thread, NULL);
	restore(CALLS_THREAD, mask);
	thread_in_use = 0;
	fz_result("pthread_join");
}
