// SPDX-License-Identifier: MIT
// signals HOW COUNT: takes COUNT signals of one kind, one after another, and nothing else.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t taken;

static void take(int number)
{
	(void)number;
	taken++;
}

static void handle(int number)
{
	struct sigaction action = { .sa_handler = take, .sa_flags = SA_RESTART };

	sigaction(number, &action, NULL);
}

static sigset_t block(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return set;
}

/* So that no signal comes between the look and the wait. */
static void wait_for(int number, int count)
{
	sigset_t open;

	sigprocmask(SIG_BLOCK, NULL, &open);
	sigdelset(&open, number);
	while (taken < count)
		sigsuspend(&open);
}

static void by_kill(int count)
{
	handle(SIGUSR1);
	for (int i = 0; i < count; i++)
		kill(getpid(), SIGUSR1);
}

static void by_sigqueue(int count)
{
	union sigval value = { .sival_int = 7 };

	handle(SIGRTMIN);
	for (int i = 0; i < count; i++)
		sigqueue(getpid(), SIGRTMIN, value);
}

static void by_children(int count)
{
	handle(SIGCHLD);
	for (int i = 0; i < count; i++) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
}

static void by_itimer(int count)
{
	handle(SIGALRM);
	block(SIGALRM);
	for (int i = 0; i < count; i++) {
		struct itimerval once = { .it_value.tv_usec = 1 };

		setitimer(ITIMER_REAL, &once, NULL);
		wait_for(SIGALRM, i + 1);
	}
}

static void by_timer(int count)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2 };
	timer_t timer;

	handle(SIGUSR2);
	block(SIGUSR2);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	for (int i = 0; i < count; i++) {
		struct itimerspec once = { .it_value.tv_nsec = 1 };

		timer_settime(timer, 0, &once, NULL);
		wait_for(SIGUSR2, i + 1);
	}
}

static void by_sigwait(int count)
{
	sigset_t set = block(SIGUSR1);
	int number;

	for (int i = 0; i < count; i++) {
		kill(getpid(), SIGUSR1);
		sigwait(&set, &number);
	}
}

static void by_signalfd(int count)
{
	sigset_t set = block(SIGUSR1);
	struct signalfd_siginfo info;
	int fd = signalfd(-1, &set, 0);

	for (int i = 0; i < count; i++) {
		kill(getpid(), SIGUSR1);
		if (read(fd, &info, sizeof(info)) != sizeof(info))
			exit(2);
	}
}

static int rounds;

static void *to_itself(void *nothing)
{
	for (int i = 0; i < rounds; i++)
		pthread_kill(pthread_self(), SIGUSR1);
	return nothing;
}

static void by_thread(int count)
{
	pthread_t thread;

	handle(SIGUSR1);
	rounds = count;
	pthread_create(&thread, NULL, to_itself, NULL);
	pthread_join(thread, NULL);
}

/* All are in line before the first is taken. */
static void at_once(int count)
{
	union sigval value = { .sival_int = 7 };
	sigset_t set = block(SIGRTMIN);

	for (int i = 0; i < count; i++)
		sigqueue(getpid(), SIGRTMIN, value);
	for (int i = 0; i < count; i++)
		sigwaitinfo(&set, NULL);
	sigqueue(getpid(), SIGRTMIN, value);
	sigwaitinfo(&set, NULL);
}

/* Marks are of the slab that sigqueues are in too. */
static void by_marks(int count)
{
	int fd = inotify_init();
	char name[64];

	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "mark-%d", i);
		fclose(fopen(name, "w"));
		inotify_add_watch(fd, name, IN_MODIFY);
		unlink(name);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(int);
	} ways[] = {
		{ "kill", by_kill },	     { "sigqueue", by_sigqueue }, { "chld", by_children },
		{ "itimer", by_itimer },     { "timer", by_timer },	  { "sigwait", by_sigwait },
		{ "signalfd", by_signalfd }, { "thread", by_thread },	  { "at-once", at_once },
		{ "marks", by_marks },
	};

	for (size_t i = 0; argc == 3 && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(argv[1], ways[i].name)) {
			ways[i].run(atoi(argv[2]));
			return 0;
		}
	return 1;
}
