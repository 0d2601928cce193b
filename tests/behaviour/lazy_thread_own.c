// SPDX-License-Identifier: MIT
// A signal for one thread waits for that thread, though others have it open: by pthread_kill,
// by pthread_sigqueue from itself, from another, and by its own write to a closed pipe.
#include "lazy.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

static volatile int runs, bad, ready, go, ended;
static volatile pid_t tid;
static int signal_now, kind;

static void handler(int sig)
{
	(void)sig;
	if (gettid() != tid)
		bad++;
	runs++;
}

static void by_itself(void)
{
	int pair[2];
	if (kind == 0)
		pthread_kill(pthread_self(), signal_now);
	if (kind == 1)
		pthread_sigqueue(pthread_self(), signal_now, (union sigval){.sival_int = 1});
	if (kind == 2) {
		EQ(pipe(pair), 0);
		close(pair[0]);
		EQ(write(pair[1], "x", 1), -1);
		close(pair[1]);
	}
	if (kind == 3) {
		struct f_owner_ex owner = {F_OWNER_TID, gettid()};
		EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
		EQ(fcntl(pair[0], F_SETOWN_EX, &owner), 0);
		EQ(fcntl(pair[0], F_SETSIG, signal_now), 0);
		EQ(fcntl(pair[0], F_SETFL, O_ASYNC), 0);
		EQ(write(pair[1], "x", 1), 1);
		close(pair[0]);
		close(pair[1]);
	}
}

static void by_other(pthread_t thread)
{
	if (kind == 4)
		EQ(pthread_kill(thread, signal_now), 0);
	if (kind == 5)
		EQ(pthread_sigqueue(thread, signal_now, (union sigval){.sival_int = 1}), 0);
}

static void *body(void *arg)
{
	tid = gettid();
	t_settle();
	t_setmask(BIT(signal_now));
	ready = 1;
	by_itself();
	while (!go)
		;
	EQ(bad, 0);
	EQ(runs, 0);
	EQ(t_pending(), BIT(signal_now));
	t_setmask(0);
	EQ(runs, 1);
	EQ(bad, 0);
	ended = 1;
	return arg;
}

static void check(int sig)
{
	pthread_t thread;
	signal_now = sig;
	runs = bad = ready = go = ended = 0;
	t_handle(sig, handler, 0, 0);
	EQ(pthread_create(&thread, NULL, body, NULL), 0);
	AWAIT(ready);
	if (kind >= 4)
		by_other(thread);
	t_pause_ms(1);
	go = 1;
	// Open here all the time.
	while (!ended)
		;
	EQ(pthread_join(thread, NULL), 0);
	EQ(bad, 0);
	EQ(runs, 1);
}

int main(void)
{
	t_hot();
	for (int turn = 0; turn < 5; turn++)
		for (kind = 0; kind < 6; kind++)
			check(kind == 2 ? SIGPIPE : SIGUSR1);
	return 0;
}
