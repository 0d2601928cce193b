// SPDX-License-Identifier: GPL-2.0
// COUNT processes on two processors, which end in all ways there are, each with its slots filled and
// signals pending; then GROUPS more that end by a group exit with three threads. No sigqueue may be lost,
// and no task may hold more than one in its slot.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "sigqueue.h"

#ifndef MANY
enum { MANY = 20000, MANY_GROUPS = 0 };
#endif

static void ignore(int signal)
{
	(void)signal;
}

static void load(void)
{
	raise(SIGUSR1);
	kill(getpid(), SIGUSR1);
	sigqueue(getpid(), SIGRTMIN, (union sigval){ 0 });
	raise(SIGRTMIN);
}

static int thread(void *ends)
{
	load();
	if (ends)
		syscall(SYS_exit_group, 0);
	syscall(SYS_exit, 0);
	return 0;
}

// A bare thread: pthread_create would cost more than what is tested.
static void spawn(int which, void *ends)
{
	static char stack[2][16384] __attribute__((aligned(16)));

	must(clone(thread, stack[which] + sizeof stack[which],
		   CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM,
		   ends) > 0, "clone");
}

static void child(long number, int groups)
{
	load();
	switch (number % (groups ? 2 : 10)) {
	case 0: // a group exit by the leader, whose threads are at it
		spawn(0, NULL);
		spawn(1, NULL);
		_exit(0);
	case 1: // by a thread
		spawn(0, NULL);
		spawn(1, "");
		for (;;)
			load();
	case 2: // no group exit: the leader first
		spawn(0, NULL);
		syscall(SYS_exit, 0);
		break;
	case 3: // killed
		for (;;)
			load();
	case 4: // with children of its own, left to be reaped by others
		if (!fork())
			load();
		_exit(0);
	default:
		_exit(0);
	}
}

static long *progress;

static void work(int which, long count, int groups)
{
	cpu_set_t processor;

	CPU_ZERO(&processor);
	CPU_SET(which, &processor);
	sched_setaffinity(0, sizeof processor, &processor);
	// Half of them reap by hand in a handler's presence, half leave it to the kernel.
	signal(SIGCHLD, which ? ignore : SIG_IGN);
	// Their threads' slots are emptied elsewhere as well: let the children move.
	CPU_SET(!which, &processor);
	for (long i = 0; i < count; i++) {
		pid_t it = fork();

		if (!it) {
			sched_setaffinity(0, sizeof processor, &processor);
			child(i, groups);
		}
		must(it > 0, "fork");
		if (!groups && i % 10 == 3)
			kill(it, SIGKILL);
		while (waitpid(it, NULL, 0) < 0 && errno == EINTR)
			;
		progress[which] = i;
	}
	_exit(0);
}

// Objects in the slab, and in the caches that are merged with it; -1 if the kernel does not tell.
static long slab_objects(void)
{
	FILE *file = fopen("/sys/kernel/slab/sigqueue/objects", "re");
	long number = -1;

	if (file) {
		if (fscanf(file, "%ld", &number) != 1)
			number = -1;
		fclose(file);
	}
	return number;
}

// Without those that are free, but counted as long as a processor keeps their page.
static long slab_used(void)
{
	FILE *file = fopen("/sys/kernel/slab/sigqueue/shrink", "we");

	if (file) {
		fputs("1", file);
		fclose(file);
	}
	return slab_objects();
}

static int run(const char *what, long total, int groups)
{
	struct sigqueue_counts first, c;
	double start = seconds();
	int bad = 0, more = 0, leak, lost, status;
	long most = 0, before = slab_used(), after, peak = before, now;

	sigqueue_read(&first);
	for (int i = 0; i < 2; i++)
		if (!fork())
			work(i, total / 2, groups);
	for (;;) {
		pid_t it = waitpid(-1, &status, WNOHANG);

		if (it < 0)
			break;
		if (it > 0) {
			bad |= WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL;
			continue;
		}
		sigqueue_read(&c);
		more += c.filled > c.tasks;
		if (c.filled > most)
			most = c.filled;
		now = slab_objects();
		if (now > peak)
			peak = now;
		usleep(100000);
	}
	bad |= progress[0] + progress[1] + 2 != total / 2 * 2;
	sigqueue_read(&c);
	printf("# %ld %s in %.1f s; %ld from the slab, %ld from the cache, %ld dropped, %ld flushed, "
	       "%ld released; at most %ld slots filled at once\n", total, what, seconds() - start,
	       c.slab - first.slab, c.cache - first.cache, c.dropped - first.dropped,
	       c.flushed - first.flushed, c.released - first.released, most);
	printf("%sok %ld %s: all came to their end\n", bad ? "not " : "", total, what);
	printf("%sok %s: never more slots filled than tasks\n", more ? "not " : "", what);
	lost = sigqueue_settled();
	sigqueue_read(&c);
	after = slab_used();
	printf("# now %ld in use, %ld in slots; in the slab %ld before, %ld at most, %ld now\n",
	       sigqueue_in_use(&c), c.filled, before, peak, after);
	printf("%sok %s: none lost\n", lost ? "not " : "", what);
	leak = after - before > 100;
	printf("%sok %s: the slab is as it was\n", leak ? "not " : "", what);
	return bad || more || lost || leak;
}

int main(void)
{
	long groups = setting("GROUPS", MANY_GROUPS);
	sigset_t set;
	int bad;

	progress = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGUSR1, ignore);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	bad = run("processes", setting("COUNT", MANY), 0);
	if (groups)
		bad |= run("group exits", groups, 1);
	return bad;
}
