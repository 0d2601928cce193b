// SPDX-License-Identifier: GPL-2.0
// The sigqueue of a POSIX timer belongs to the timer: never in a slot while the timer lives, freed
// once, be its signal pending, ignored, consumed or flushed by exec when the timer is deleted.
// Made, fired and deleted by two threads on two processors. SECONDS of it.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "sigqueue.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { TIMERS = 6 };

static void ignore(int signal)
{
	(void)signal;
}

static double until;

static void *make_and_delete(void *other)
{
	unsigned int seed = (unsigned int)syscall(SYS_gettid);
	timer_t timers[TIMERS];
	int made[TIMERS] = { 0 };
	sigset_t set;

	(void)other;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigaddset(&set, SIGUSR1);
	while (seconds() < until) {
		int i = rand_r(&seed) % TIMERS;
		long soon = 1 + rand_r(&seed) % 300000;
		struct itimerspec spec = { { 0, rand_r(&seed) % 2 ? soon : 0 }, { 0, soon } };
		struct sigevent event = {
			.sigev_notify = rand_r(&seed) % 2 ? SIGEV_SIGNAL : SIGEV_THREAD_ID,
			.sigev_signo = rand_r(&seed) % 2 ? SIGRTMIN : SIGUSR1,
		};

		event.sigev_notify_thread_id = syscall(SYS_gettid);
		switch (rand_r(&seed) % 8) {
		case 0:
			pthread_sigmask(SIG_BLOCK, &set, NULL);
			break;
		case 1:
			pthread_sigmask(SIG_UNBLOCK, &set, NULL);
			break;
		case 2:
			sigtimedwait(&set, NULL, &(struct timespec){ 0, 100000 });
			break;
		case 3:
			raise(SIGUSR1);
			break;
		case 4:
			if (rand_r(&seed) % 4 == 0) {
				signal(SIGUSR1, SIG_IGN);
				signal(SIGUSR1, ignore);
			}
			break;
		default:
			if (made[i])
				timer_delete(timers[i]);
			made[i] = !timer_create(CLOCK_MONOTONIC, &event, &timers[i]);
			if (made[i])
				timer_settime(timers[i], 0, &spec, NULL);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	double last = setting("SECONDS", 5), start = seconds();
	struct sigqueue_counts first, c;
	int bad = 0, status, rounds = 0;

	(void)argv;
	if (argc > 1)
		return 0;
	sigqueue_read(&first);
	while (seconds() - start < last) {
		pid_t child = fork();

		if (!child) {
			pthread_t thread;

			until = seconds() + 0.25;
			signal(SIGRTMIN, ignore);
			signal(SIGUSR1, ignore);
			pthread_create(&thread, NULL, make_and_delete, NULL);
			if (rounds % 3 == 1)
				make_and_delete(NULL);
			else
				usleep(200000);
			// With timers armed and signals pending: exec, exit, or both threads to the end.
			if (rounds % 3 == 0)
				execl("/proc/self/exe", "sigqueue-timers", "leave", NULL);
			if (rounds % 3 == 1)
				pthread_join(thread, NULL);
			_exit(0);
		}
		must(waitpid(child, &status, 0) == child, "waitpid");
		// The alarm of a timer may come after exec has set its handler to the default.
		bad |= status && !WIFSIGNALED(status);
		rounds++;
	}
	sigqueue_read(&c);
	printf("# %d processes, %ld timers, %ld kept, %ld dropped\n", rounds, c.timer - first.timer,
	       c.kept - first.kept, c.dropped - first.dropped);
	bad |= c.timer - first.timer < 100;
	bad |= sigqueue_settled();
	printf("%sok no timer lost its sigqueue or left it behind\n", bad ? "not " : "");
	return bad;
}
