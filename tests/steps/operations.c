// SPDX-License-Identifier: MIT
// The operations during which the signal comes. Before most of them SIGINT is blocked, and the
// mask is known to the runtime.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target.h"

#define USR1 BIT(SIGUSR1)
#define USR2 BIT(SIGUSR2)

static void send_usr2(void)
{
	kill(getpid(), SIGUSR2);
}

static void note_mask(void)
{
	note("mask", same("in the operation"));
}

// One call.

static void block_usr2(void)
{
	change(SIG_BLOCK, SIGUSR2);
}

static void unblock_int(void)
{
	change(SIG_UNBLOCK, SIGINT);
}

static void query(void)
{
	note_mask();
}

static void edited_prepare(void)
{
	handle_info(SIGUSR2, on_usr2_edit, 0);
}

static void pending_prepare(void)
{
	block(USR2 | BIT(SIGHUP));
	send_usr2();
	handle(SIGHUP, on_usr2, 0);
	kill(getpid(), SIGHUP);
}

static void unblock_all(void)
{
	set_mask(0);
}

static void install(void)
{
	signal(SIGHUP, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
}

// Jumps and contexts. They take the mask back to what it was.

static sigjmp_buf jump_back;

static void jump_over(uint64_t set)
{
	if (sigsetjmp(jump_back, 1) == 0) {
		block(set);
		siglongjmp(jump_back, 1);
	}
	note_mask();
}

static void jump(void)
{
	jump_over(BIT(SIGCHLD));
}

static void jump_blocked(void)
{
	jump_over(USR1);
}

static ucontext_t here, there;
static char stack[65536];

static void coroutine(void)
{
	for (;;) {
		note("coroutine", same("in the coroutine"));
		swapcontext(&there, &here);
	}
}

static void context_with(uint64_t set)
{
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof stack;
	memcpy(&there.uc_sigmask, &set, sizeof set);
	makecontext(&there, coroutine, 0);
}

static void context_prepare(void)
{
	context_with(BIT(SIGINT) | BIT(SIGCHLD));
}

static void context_blocked_prepare(void)
{
	context_with(BIT(SIGINT) | USR1);
}

static void context(void)
{
	swapcontext(&here, &there);
	note_mask();
}

static void get_and_set(void)
{
	volatile int again = 0;

	getcontext(&here);
	if (again++)
		return;
	change(SIG_BLOCK, SIGCHLD);
	setcontext(&here);
}

// Blocked and opened again: the handler must not run in between, and must have run behind it.

static void pair(void)
{
	uint64_t old = block(USR1);

	note_mask();
	set_mask(old);
	note("open", usr1_runs);
}

static void restarting_prepare(void)
{
	handle_info(SIGUSR1, on_usr1, SA_RESTART);
}

static void nest(void)
{
	uint64_t outer = block(USR1), inner = block(USR2);

	note_mask();
	set_mask(inner);
	note("still blocked", usr1_runs);
	set_mask(outer);
	note("open", usr1_runs);
}

static void unblock_first(void)
{
	block(USR1 | USR2);
	note_mask();
	unblock(USR1);
	note("open", usr1_runs);
	unblock(USR2);
}

static void flush(void)
{
	uint64_t old = block(USR1);

	note("poll", (uint64_t)poll(NULL, 0, 0));
	note_mask();
	set_mask(old);
	note("open", usr1_runs);
}

static void look_pending(void)
{
	uint64_t old = block(USR1);

	note_pending();
	set_mask(old);
	note("open", usr1_runs);
}

static void held(uint64_t set)
{
	uint64_t old = block(set);

	send_usr2();
	note_pending();
	note_mask();
	set_mask(old);
	note("usr2", usr2_runs);
	note_mask();
}

static void hold_usr2(void)
{
	held(USR2);
}

static void hold_both(void)
{
	held(USR1 | USR2);
}

static void deliver(void)
{
	send_usr2();
}

static void deliver_blocked(void)
{
	uint64_t old = block(USR1);

	send_usr2();
	note("usr2", usr2_runs);
	set_mask(old);
}

// What the program does with the signal changes while that may come.

static void flip(void)
{
	uint64_t old = block(USR1);

	signal(SIGUSR1, SIG_DFL);
	note_pending();
	handle_info(SIGUSR1, on_usr1_too, 0);
	set_mask(old);
	note("open", usr1_runs);
}

static void flip_open(void)
{
	handle_info(SIGUSR1, on_usr1_too, 0);
	note("installed", usr1_runs);
	handle_info(SIGUSR1, on_usr1, 0);
}

static void ignore(void)
{
	uint64_t old = block(USR1);

	signal(SIGUSR1, SIG_IGN);
	note_pending();
	handle_info(SIGUSR1, on_usr1, 0);
	set_mask(old);
	note("open", usr1_runs);
}

// Calls that end with EINTR if they waited: these do not have to.

static int channel[2];

static void read_prepare(void)
{
	if (pipe(channel) < 0 || write(channel[1], "1234", 4) != 4)
		_exit(4);
}

static void read_ready(void)
{
	char byte;

	for (int i = 0; i < 3; i++) {
		getpid();
		note("read", (uint64_t)read(channel[0], &byte, 1));
	}
}

// Nothing between two calls: the registers of the one before are still there.
static void read_tightly(void)
{
	char byte;
	ssize_t all[3];

	for (int i = 0; i < 3; i++)
		all[i] = read(channel[0], &byte, 1);
	note("read", (uint64_t)all[0]);
	note("read", (uint64_t)all[1]);
	note("read", (uint64_t)all[2]);
}

static void write_tightly(void)
{
	ssize_t all[3];

	for (int i = 0; i < 3; i++)
		all[i] = write(channel[1], "5", 1);
	note("wrote", (uint64_t)all[0]);
	note("wrote", (uint64_t)all[1]);
	note("wrote", (uint64_t)all[2]);
}

static void wait_prepare(void)
{
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();
		siginfo_t info;

		if (pid == 0)
			_exit(0);
		waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	}
}

static void wait_tightly(void)
{
	int all[3];

	for (int i = 0; i < 3; i++)
		all[i] = wait(NULL) > 0;
	note("waited", (uint64_t)(all[0] + all[1] + all[2]));
}

static void read_blocked(void)
{
	char byte;
	uint64_t old = block(USR1);

	note("read", (uint64_t)read(channel[0], &byte, 1));
	set_mask(old);
	note("read", (uint64_t)read(channel[0], &byte, 1));
}

// Edges.

static void suspend_prepare(void)
{
	block(USR2);
	send_usr2();
}

static void suspend_blocked_prepare(void)
{
	block(USR1 | USR2);
	send_usr2();
}

static void suspend(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigsuspend(&set);
	note("suspended", (uint64_t)errno);
	note_mask();
}

static void vfork_with(uint64_t set)
{
	uint64_t old = block(set);
	pid_t pid = vfork();

	if (pid == 0) {
		change(SIG_BLOCK, SIGCHLD);
		change(SIG_UNBLOCK, SIGUSR1);
		signal(SIGHUP, SIG_IGN);
		_exit(0);
	}
	note_mask();
	note("child", wait(NULL) == pid);
	set_mask(old);
}

static void vfork_open(void)
{
	vfork_with(0);
}

static void vfork_blocked(void)
{
	vfork_with(USR1);
}

static const struct operation operations[] = {
	{"block", NULL, block_usr2},
	{"unblock", NULL, unblock_int},
	{"query", NULL, query},
	{"deliver", NULL, deliver},
	{"edited", edited_prepare, deliver},
	{"pending", pending_prepare, unblock_all},
	{"install", NULL, install},
	{"jump", NULL, jump},
	{"jump-blocked", NULL, jump_blocked},
	{"context", context_prepare, context},
	{"context-blocked", context_blocked_prepare, context},
	{"getset", NULL, get_and_set},
	{"pair", NULL, pair},
	{"pair-restarting", restarting_prepare, pair},
	{"nest", NULL, nest},
	{"unblock-first", NULL, unblock_first},
	{"flush", NULL, flush},
	{"look-pending", NULL, look_pending},
	{"hold", NULL, hold_usr2},
	{"hold-both", NULL, hold_both},
	{"hold-edited", edited_prepare, hold_both},
	{"deliver-blocked", NULL, deliver_blocked},
	{"flip", NULL, flip},
	{"flip-open", NULL, flip_open},
	{"ignore", NULL, ignore},
	{"read", read_prepare, read_ready},
	{"read-tightly", read_prepare, read_tightly},
	{"write-tightly", read_prepare, write_tightly},
	{"wait-tightly", wait_prepare, wait_tightly},
	{"read-blocked", read_prepare, read_blocked},
	{"suspend", suspend_prepare, suspend},
	{"suspend-blocked", suspend_blocked_prepare, suspend},
	{"vfork", NULL, vfork_open},
	{"vfork-blocked", NULL, vfork_blocked},
};

const struct operation *operation_named(const char *name)
{
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
		if (strcmp(operations[i].name, name) == 0)
			return &operations[i];
	return NULL;
}
