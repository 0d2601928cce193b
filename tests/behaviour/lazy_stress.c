// SPDX-License-Identifier: MIT
// Many threads that block and open at full speed, and threads, timers and a process that send:
// of the real-time signals none is lost or comes twice, and their order stays; of the others one
// comes after the last that was sent, and never more than were sent.
#include "lazy.h"
#include <setjmp.h>
#include <stdatomic.h>
#include <sys/time.h>

#define SECONDS_ 3
#define WORKERS 5 // the last one alone ever opens IN_ORDER
#define SENDERS 3
#define MOST (1 << 20)
#define IN_FLIGHT 500 // on each way: the queue is one for all programs of a user

#define TO_ANY (SIGRTMIN + 1)   // queued to the process
#define TO_ONE (SIGRTMIN + 2)   // queued to a thread
#define IN_ORDER (SIGRTMIN + 3) // queued to the process, where only one thread takes it

static volatile int stop;
static atomic_int ready;
static pthread_t workers[WORKERS];

// Real-time: each value once.
struct channel {
	atomic_uint sent;
	atomic_uint came;
	_Atomic unsigned char *seen;
};
static struct channel any[SENDERS], in_order[SENDERS], one[SENDERS][WORKERS];
static unsigned last_in_order[SENDERS], last_of_one[SENDERS][WORKERS];

// Standard: `seen` is what had been sent when the latest delivery began.
struct standard {
	atomic_uint sent, came, seen;
};
static struct standard to_process, to_thread[WORKERS], from_child;
static struct shared {
	atomic_uint sent;
} *child;
static atomic_uint alarms;

static _Thread_local volatile uint64_t held; // what may not come now
static _Thread_local int me = -1;

static void mark(struct channel *channel, unsigned value)
{
	CHECK(value < MOST);
	EQ(atomic_exchange(&channel->seen[value], 1), 0);
	atomic_fetch_add(&channel->came, 1);
}

static void note(struct standard *standard, atomic_uint *sent)
{
	unsigned now = *sent, before = standard->seen;
	while (before < now && !atomic_compare_exchange_weak(&standard->seen, &before, now))
		;
	unsigned came = atomic_fetch_add(&standard->came, 1) + 1;
	CHECK(came <= *sent);
}

static void on_realtime(int sig, siginfo_t *info, void *context)
{
	unsigned value = (unsigned)info->si_value.sival_int, sender = value >> 28;
	(void)context;
	value &= 0xfffffff;
	CHECK(!(held & BIT(sig)));
	EQ(info->si_code, SI_QUEUE);
	EQ(info->si_pid, getpid());
	CHECK(sender < SENDERS);
	if (sig == TO_ANY) {
		mark(&any[sender], value);
	} else if (sig == IN_ORDER) {
		EQ(me, WORKERS - 1);
		EQ(value, last_in_order[sender]++);
		mark(&in_order[sender], value);
	} else {
		EQ(value, last_of_one[sender][me]++);
		mark(&one[sender][me], value);
	}
}

static void on_standard(int sig, siginfo_t *info, void *context)
{
	(void)context;
	CHECK(!(held & BIT(sig)));
	if (sig == SIGALRM) {
		EQ(info->si_code, SI_KERNEL);
		alarms++;
	} else if (sig == SIGUSR1) {
		CHECK(info->si_code == SI_TKILL || !info->si_pid); // the queue was full
		note(&to_thread[me], &to_thread[me].sent);
	} else if (sig == SIGUSR2) {
		EQ(info->si_code, SI_USER);
		CHECK(info->si_pid == getpid() || !info->si_pid);
		note(&to_process, &to_process.sent);
	} else {
		EQ(info->si_code, SI_USER);
		note(&from_child, &child->sent);
	}
}

static uint64_t pick(unsigned random)
{
	static const int kinds[] = {SIGALRM, SIGUSR1, SIGUSR2, SIGHUP, SIGTERM};
	uint64_t mask = random & 32 ? BIT(TO_ANY) | BIT(TO_ONE) : 0;
	for (int i = 0; i < 5; i++)
		if (random & (1u << i))
			mask |= BIT(kinds[i]);
	return mask;
}

// Blocks for a while, does something, opens.
static void section(unsigned random, int ends[2])
{
	uint64_t others = me == WORKERS - 1 ? 0 : BIT(IN_ORDER);
	volatile uint64_t mask = others | pick(random);
	char byte = 0;
	t_setmask(mask);
	held = mask;
	if (random % 7 == 0) {
		EQ(write(ends[1], &byte, 1), 1);
		EQ(read(ends[0], &byte, 1), 1);
	}
	if (random % 11 == 0) {
		sigjmp_buf env;
		if (sigsetjmp(env, 1) == 0) {
			t_setmask(mask | BIT(SIGINT));
			siglongjmp(env, 1);
		}
	}
	if (random % 13 == 0) // nobody sends it
		signal(SIGHUP, random & 64 ? SIG_DFL : (void (*)(int))_exit);
	if (random % 97 == 0)
		usleep(50);
	for (volatile unsigned i = 0; i < random % 128; i++)
		;
	held = others;
	t_setmask(others);
}

static void *work(void *arg)
{
	int ends[2];
	unsigned random = (unsigned)(intptr_t)arg * 2654435761u + 1;
	me = (int)(intptr_t)arg;
	EQ(pipe(ends), 0);
	t_setmask(me == WORKERS - 1 ? 0 : BIT(IN_ORDER));
	atomic_fetch_add(&ready, 1);
	while (stop < 2) {
		random = random * 1664525 + 1013904223;
		section(random >> 8, ends);
	}
	return NULL;
}

// A full queue is no error: the signal was not taken.
static void queue(struct channel *channel, unsigned sender, int sig, int worker)
{
	unsigned value = channel->sent;
	union sigval box = {.sival_int = (int)(sender << 28 | value)};
	if (value == MOST)
		return;
	if (value - channel->came > IN_FLIGHT) {
		usleep(100);
		return;
	}
	int err = worker < 0 ? (sigqueue(getpid(), sig, box) ? errno : 0)
	                     : pthread_sigqueue(workers[worker], sig, box);
	if (err != 0 && err != EAGAIN)
		EQ(err, 0);
	channel->sent += err == 0;
	if (err)
		usleep(500);
}

static void *send_all(void *arg)
{
	unsigned sender = (unsigned)(intptr_t)arg;
	t_setmask(~UINT64_C(0));
	for (unsigned i = 0; !stop; i++) {
		int worker = (int)(i % WORKERS);
		queue(&any[sender], sender, TO_ANY, -1);
		queue(&in_order[sender], sender, IN_ORDER, -1);
		queue(&one[sender][worker], sender, TO_ONE, worker);
		to_thread[worker].sent++;
		EQ(pthread_kill(workers[worker], SIGUSR1), 0);
		to_process.sent++;
		EQ(kill(getpid(), SIGUSR2), 0);
		if (i % 16 == 0)
			usleep(200);
	}
	return NULL;
}

static void send_from_outside(pid_t us)
{
	do {
		child->sent++;
		t_pause_ms(1);
	} while (kill(us, SIGTERM) == 0);
	_exit(0);
}

static void init(struct channel *channel)
{
	channel->seen = t_share(MOST);
}

static int all_came(void)
{
	for (int s = 0; s < SENDERS; s++) {
		if (any[s].came != any[s].sent || in_order[s].came != in_order[s].sent)
			return 0;
		for (int w = 0; w < WORKERS; w++)
			if (one[s][w].came != one[s][w].sent)
				return 0;
	}
	for (int w = 0; w < WORKERS; w++)
		if (to_thread[w].seen != to_thread[w].sent)
			return 0;
	return to_process.seen == to_process.sent;
}

static void show(const char *name, unsigned sent, unsigned came)
{
	if (sent != came)
		fprintf(stderr, "%s: %u sent, %u came\n", name, sent, came);
}

static void show_all(void)
{
	for (int s = 0; s < SENDERS; s++) {
		show("to the process", any[s].sent, any[s].came);
		show("in order", in_order[s].sent, in_order[s].came);
		for (int w = 0; w < WORKERS; w++)
			show("to a thread", one[s][w].sent, one[s][w].came);
	}
	for (int w = 0; w < WORKERS; w++)
		show("standard to a thread, seen", to_thread[w].sent, to_thread[w].seen);
	show("standard to the process, seen", to_process.sent, to_process.seen);
}

int main(void)
{
	static const int realtime[] = {1, 2, 3}, standard[] = {SIGALRM, SIGUSR1, SIGUSR2, SIGTERM};
	struct itimerval often = {{0, 700}, {0, 700}}, off = {{0, 0}, {0, 0}};
	pthread_t senders[SENDERS];
	t_hot();
	child = t_share(sizeof *child);
	for (int s = 0; s < SENDERS; s++) {
		init(&any[s]);
		init(&in_order[s]);
		for (int w = 0; w < WORKERS; w++)
			init(&one[s][w]);
	}
	for (int i = 0; i < 3; i++)
		t_handle_info(SIGRTMIN + realtime[i], on_realtime, SA_RESTART, 0);
	for (int i = 0; i < 4; i++)
		t_handle_info(standard[i], on_standard, SA_RESTART, 0);

	t_setmask(~UINT64_C(0));
	for (intptr_t i = 0; i < WORKERS; i++)
		EQ(pthread_create(&workers[i], NULL, work, (void *)i), 0);
	AWAIT(ready == WORKERS);
	EQ(setitimer(ITIMER_REAL, &often, NULL), 0);
	t_stranger(send_from_outside);
	for (intptr_t i = 0; i < SENDERS; i++)
		EQ(pthread_create(&senders[i], NULL, send_all, (void *)i), 0);
	t_pause_ms(SECONDS_ * 1000);
	stop = 1;
	for (int i = 0; i < SENDERS; i++)
		EQ(pthread_join(senders[i], NULL), 0);
	EQ(setitimer(ITIMER_REAL, &off, NULL), 0);
	long long end = t_now_ms() + T_PATIENCE / 2;
	while (!all_came() && t_now_ms() < end)
		t_pause_ms(1);
	stop = 2;
	for (int i = 0; i < WORKERS; i++)
		EQ(pthread_join(workers[i], NULL), 0);
	show_all();
	CHECK(alarms > 10 && from_child.came > 10);
	return !all_came();
}
