// SPDX-License-Identifier: MIT
// Waiting for mutexes, conditions and their kin while a signal comes: nobody ever sees EINTR.
#include "lazy_call.h"

static struct shared {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	pthread_rwlock_t lock;
	pthread_barrier_t barrier;
	volatile int held, let_go, fulfilled;
} *shared;
static pid_t owner;

static void init(int protocol)
{
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	EQ(pthread_mutexattr_setprotocol(&attr, protocol), 0);
	memset((void *)shared, 0, sizeof *shared);
	EQ(pthread_mutex_init(&shared->mutex, &attr), 0);
	pthread_condattr_t condattr;
	pthread_condattr_init(&condattr);
	pthread_condattr_setpshared(&condattr, PTHREAD_PROCESS_SHARED);
	EQ(pthread_cond_init(&shared->cond, &condattr), 0);
	pthread_rwlockattr_t lockattr;
	pthread_rwlockattr_init(&lockattr);
	pthread_rwlockattr_setpshared(&lockattr, PTHREAD_PROCESS_SHARED);
	EQ(pthread_rwlock_init(&shared->lock, &lockattr), 0);
	pthread_barrierattr_t barrierattr;
	pthread_barrierattr_init(&barrierattr);
	pthread_barrierattr_setpshared(&barrierattr, PTHREAD_PROCESS_SHARED);
	EQ(pthread_barrier_init(&shared->barrier, &barrierattr, 2), 0);
}

static void own(void)
{
	owner = fork();
	if (owner == 0) {
		pthread_mutex_lock(&shared->mutex);
		pthread_rwlock_wrlock(&shared->lock);
		shared->held = 1;
		AWAIT(shared->let_go);
		pthread_rwlock_unlock(&shared->lock);
		pthread_mutex_unlock(&shared->mutex);
		_exit(0);
	}
	AWAIT(shared->held);
}

static void plain_mutex(void)
{
	init(PTHREAD_PRIO_NONE);
	own();
}

static void inheriting_mutex(void)
{
	init(PTHREAD_PRIO_INHERIT);
	own();
}

static void nobody(void)
{
	init(PTHREAD_PRIO_NONE);
	owner = 0;
}

static void let_go(void)
{
	shared->let_go = 1;
}

static void fulfil(void)
{
	pthread_mutex_lock(&shared->mutex);
	shared->fulfilled = 1;
	pthread_cond_signal(&shared->cond);
	pthread_mutex_unlock(&shared->mutex);
}

static void arrive(void)
{
	pthread_barrier_wait(&shared->barrier);
}

static void finish(void)
{
	shared->let_go = 1;
	if (owner)
		EQ(t_wait(owner), 0);
}

static struct timespec limit(void)
{
	return (struct timespec){.tv_sec = time(NULL) + 60};
}

static int result(int err)
{
	errno = err;
	return err ? -1 : 0;
}

static int by_mutex(void)
{
	return result(pthread_mutex_lock(&shared->mutex));
}

static int by_mutex_timed(void)
{
	struct timespec end = limit();
	return result(pthread_mutex_timedlock(&shared->mutex, &end));
}

static int by_rdlock(void)
{
	return result(pthread_rwlock_rdlock(&shared->lock));
}

static int by_timedwrlock(void)
{
	struct timespec end = limit();
	return result(pthread_rwlock_timedwrlock(&shared->lock, &end));
}

static int by_cond(void)
{
	int err = 0;
	pthread_mutex_lock(&shared->mutex);
	while (!shared->fulfilled && !err)
		err = pthread_cond_wait(&shared->cond, &shared->mutex);
	pthread_mutex_unlock(&shared->mutex);
	return result(err);
}

static int by_cond_timed(void)
{
	int err = 0;
	struct timespec end = limit();
	pthread_mutex_lock(&shared->mutex);
	while (!shared->fulfilled && !err)
		err = pthread_cond_timedwait(&shared->cond, &shared->mutex, &end);
	pthread_mutex_unlock(&shared->mutex);
	return result(err);
}

static int by_barrier(void)
{
	int ret = pthread_barrier_wait(&shared->barrier);
	return result(ret == PTHREAD_BARRIER_SERIAL_THREAD ? 0 : ret);
}

int main(void)
{
	static const struct call calls[] = {
		{"mutex", GOES_ON, by_mutex, let_go, plain_mutex, finish},
		{"mutex with inheritance", GOES_ON, by_mutex, let_go, inheriting_mutex, finish},
		{"mutex with limit", GOES_ON, by_mutex_timed, let_go, plain_mutex, finish},
		{"inheriting with limit", GOES_ON, by_mutex_timed, let_go, inheriting_mutex,
	         finish},
		{"rdlock", GOES_ON, by_rdlock, let_go, plain_mutex, finish},
		{"timedwrlock", GOES_ON, by_timedwrlock, let_go, plain_mutex, finish},
		{"cond", GOES_ON, by_cond, fulfil, nobody, finish},
		{"cond with limit", GOES_ON, by_cond_timed, fulfil, nobody, finish},
		{"barrier", GOES_ON, by_barrier, arrive, nobody, finish},
	};
	t_hot();
	shared = t_share(sizeof *shared);
	CALL_ALL(calls);
	return 0;
}
