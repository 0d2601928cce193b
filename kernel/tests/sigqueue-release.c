// SPDX-License-Identifier: GPL-2.0
// Who releases a task, with its slot filled and its queues not empty, while another process goes on
// sending it signals: each way by which a sigqueue got into the slot of a task that was gone, or
// could. ROUNDS of each; afterwards nothing may be in use but what lies in the slots of live tasks.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "sigqueue.h"

static struct shared {
	volatile pid_t target;
	volatile int ready, stop;
} *shared;

static void ignore(int signal)
{
	(void)signal;
}

static void handle(int signal, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(signal, &action, NULL);
}

static pid_t thread_id(void)
{
	return syscall(SYS_gettid);
}

static void to_thread(pid_t thread, int signal)
{
	syscall(SYS_tgkill, getpid(), thread, signal);
}

// A consumed signal for the slot of this thread, one for that of the leader, and pending ones.
static void load(void)
{
	to_thread(thread_id(), SIGUSR1);
	kill(getpid(), SIGUSR1);
	for (int i = 0; i < 3; i++) {
		siginfo_t info = { .si_code = SI_QUEUE };

		sigqueue(getpid(), SIGRTMIN + 1, (union sigval){ .sival_int = i });
		syscall(SYS_rt_tgsigqueueinfo, getpid(), thread_id(), SIGRTMIN + 1, &info);
	}
}

// In another process, on another processor: to the whole process and to single threads.
static pid_t noise(void)
{
	pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!shared->stop) {
		pid_t target = shared->target;

		if (target) {
			kill(target, SIGUSR1);
			syscall(SYS_tkill, target, SIGUSR1);
			sigqueue(target, SIGRTMIN, (union sigval){ 0 });
			sigqueue(target, SIGRTMIN + 1, (union sigval){ 0 });
		}
		// A target that gets them faster than it handles them would never come to its end.
		usleep(30);
	}
	_exit(0);
}

static char state_of(pid_t process, pid_t thread)
{
	char path[64], state = '?';
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/task/%d/stat", process, thread);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(file);
	return state;
}

static pthread_t spawn(void *(*run)(void *), void *argument)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	must(!pthread_create(&thread, &attributes, run, argument), "pthread_create");
	return thread;
}

// All children of this process are autoreaped: waits until there are none.
static void gone(void)
{
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

// The version merged first leaked here: a process that nobody waits for releases itself, then its
// zombie children, whose signals it flushes.
static void reaped_reaps(void)
{
	pid_t parent = fork();

	if (!parent) {
		pid_t child[3];

		handle(SIGCHLD, SIG_DFL);
		for (int i = 0; i < 3; i++) {
			child[i] = fork();
			if (!child[i]) {
				load();
				_exit(0);
			}
		}
		load();
		for (int i = 0; i < 3; i++)
			waitid(P_PID, child[i], NULL, WEXITED | WNOWAIT);
		_exit(0);
	}
	shared->target = parent;
	gone();
}

static void *outlive_leader(void *unused)
{
	(void)unused;
	load();
	while (state_of(getpid(), getpid()) != 'Z')
		sched_yield();
	// The leader's slot is used for these although it is a zombie.
	for (int i = 0; i < 3; i++)
		kill(getpid(), SIGUSR1);
	syscall(SYS_exit, 0);
	return NULL;
}

// The last thread releases itself and then the leader: tsk is not current.
static void thread_releases_leader(void)
{
	pid_t child = fork();

	if (!child) {
		shared->target = getpid();
		spawn(outlive_leader, NULL);
		load();
		syscall(SYS_exit, 0);
	}
	gone();
}

static void *execute(void *how)
{
	load();
	if (how)
		while (state_of(getpid(), getpid()) != 'Z')
			sched_yield();
	execl("/proc/self/exe", "sigqueue-release", "leave", NULL);
	_exit(1);
}

static void *signal_all(void *unused)
{
	(void)unused;
	for (;;)
		load();
	return NULL;
}

// de_thread(): the executing thread becomes the leader and releases the old one.
static void thread_executes(int leader_first)
{
	pid_t child = fork();

	if (!child) {
		shared->target = getpid();
		for (int i = 0; i < 2; i++)
			spawn(signal_all, NULL);
		spawn(execute, leader_first ? "" : NULL);
		load();
		if (leader_first)
			syscall(SYS_exit, 0);
		for (;;)
			load();
	}
	gone();
}

static void exec_by_thread(void)
{
	thread_executes(0);
}

static void exec_after_leader(void)
{
	thread_executes(1);
}

static void *announce(void *unused)
{
	(void)unused;
	load();
	__atomic_store_n(&shared->ready, thread_id(), __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&shared->ready, __ATOMIC_SEQ_CST) > 0)
		sched_yield();
	load();
	syscall(SYS_exit, 0);
	return NULL;
}

// A tracer has a dead thread of somebody else's released: by waiting, or by its own exit.
static void traced(int waits)
{
	pid_t child, tracer;

	shared->ready = 0;
	child = fork();
	if (!child) {
		spawn(announce, NULL);
		while (shared->ready != -2)
			load();
		_exit(0);
	}
	tracer = fork();
	if (!tracer) {
		pid_t thread;

		while (!(thread = shared->ready))
			sched_yield();
		must(!ptrace(PTRACE_SEIZE, thread, 0, 0), "ptrace");
		shared->ready = -1;
		// It may stop for signals first; let it have them.
		for (;;) {
			int status;
			pid_t it = waitpid(thread, &status, __WALL | (waits ? 0 : WNOHANG));

			if (it < 0 || (it > 0 && !WIFSTOPPED(status)))
				break;
			if (it > 0)
				ptrace(PTRACE_CONT, thread, 0, WSTOPSIG(status));
			// Without waiting for its end: the zombie is left to exit_ptrace().
			if (!waits && state_of(child, thread) == 'Z')
				break;
		}
		load();
		shared->ready = -2;
		_exit(0);
	}
	shared->target = child;
	gone();
}

static void tracer_waits(void)
{
	traced(1);
}

static void tracer_exits(void)
{
	traced(0);
}

static void *ping(void *unused)
{
	(void)unused;
	load();
	for (;;) {
		kill(getpid(), SIGUSR1);
		to_thread(thread_id(), SIGUSR1);
	}
	return NULL;
}

// The threads of a process die all at once, in the middle of sending to themselves.
static void group_exit(int how)
{
	pid_t child = fork();

	if (!child) {
		shared->target = getpid();
		for (int i = 0; i < 5; i++)
			spawn(ping, NULL);
		load();
		if (how == 0)
			_exit(0);
		if (how == 1)
			syscall(SYS_exit, 0);
		for (;;)
			load();
	}
	usleep(how ? 2000 : 0);
	kill(child, SIGKILL);
	gone();
}

static void group_exits(void)
{
	group_exit(0);
}

static void group_exits_without_leader(void)
{
	group_exit(1);
}

static void group_killed(void)
{
	group_exit(2);
}

static int sharer(void *executes)
{
	for (int i = 0; i < 20; i++)
		load();
	if (executes)
		execl("/proc/self/exe", "sigqueue-release", "leave", NULL);
	syscall(SYS_exit, 0);
	return 0;
}

// Two processes with one siglock: clone() without CLONE_THREAD. exec gives it up under way.
static void shared_handlers(void)
{
	static char stack[2][65536] __attribute__((aligned(16)));
	pid_t child = fork();

	if (!child) {
		handle(SIGCHLD, SIG_DFL);
		for (int i = 0; i < 2; i++)
			must(clone(sharer, stack[i] + sizeof stack[i], CLONE_VM | CLONE_SIGHAND | SIGCHLD,
				   i ? "" : NULL) > 0, "clone");
		for (int i = 0; i < 20; i++)
			load();
		while (wait(NULL) > 0 || errno == EINTR)
			;
		_exit(0);
	}
	shared->target = child;
	gone();
}

static const struct row {
	const char *name;
	void (*run)(void);
} rows[] = {
	{ "a process that nobody waits for releases itself and its zombies", reaped_reaps },
	{ "the last thread releases its leader", thread_releases_leader },
	{ "a thread executes, and releases its leader", exec_by_thread },
	{ "a thread executes after its leader's end", exec_after_leader },
	{ "a tracer waits for a thread", tracer_waits },
	{ "a tracer ends before it waits", tracer_exits },
	{ "a process ends with all its threads", group_exits },
	{ "a process ends after its leader", group_exits_without_leader },
	{ "a process is killed with all its threads", group_killed },
	{ "processes share their handlers", shared_handlers },
};

int main(int argc, char **argv)
{
	long rounds = setting("ROUNDS", 100);
	struct sigqueue_counts c;
	sigset_t pending;
	int bad = 0;

	(void)argv;
	if (argc > 1)
		return 0;
	sigqueue_read(&c);
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	handle(SIGUSR1, ignore);
	handle(SIGRTMIN, ignore);
	sigemptyset(&pending);
	sigaddset(&pending, SIGRTMIN + 1);
	sigprocmask(SIG_BLOCK, &pending, NULL);
	for (unsigned int i = 0; i < sizeof rows / sizeof *rows; i++) {
		double start = seconds();
		pid_t worker;
		int status;

		fflush(stdout);
		// A child of ours, not of the process that waits for all of its own.
		noise();
		worker = fork();
		if (!worker) {
			prctl(PR_SET_CHILD_SUBREAPER, 1);
			handle(SIGCHLD, SIG_IGN);
			for (long round = 0; round < rounds; round++) {
				rows[i].run();
				shared->target = 0;
			}
			_exit(0);
		}
		must(waitpid(worker, &status, 0) == worker, "waitpid");
		shared->target = 0;
		shared->stop = 1;
		while (wait(NULL) > 0)
			;
		shared->stop = 0;
		status |= sigqueue_settled();
		printf("%sok %s\n# %ld rounds in %.1f s\n", status ? "not " : "", rows[i].name, rounds,
		       seconds() - start);
		fflush(stdout);
		bad |= status;
	}
	return bad != 0;
}
