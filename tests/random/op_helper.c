// SPDX-License-Identifier: MIT
// A process beside ours that sends us signals when it is told to: at once, or when we sleep in a
// read. It uses own system-call instructions only.
#include <fcntl.h>
#include <sys/prctl.h>

#include "fuzz.h"

struct order {
	int pid, tid, sig, asleep;
};

static int orders[2], answers[2];
static int in_use;

static void nap(void)
{
	struct timespec ms = {0, 1000000};
	t_syscall(SYS_nanosleep, (long)&ms, 0, 0, 0);
}

static int digits(char *to, int value)
{
	int n = 0;
	if (value >= 10)
		n = digits(to, value / 10);
	to[n] = (char)('0' + value % 10);
	return n + 1;
}

static int state(int tid)
{
	char path[40] = "/proc/", line[256];
	int n = 6 + digits(path + 6, tid);
	memcpy(path + n, "/stat", 6);
	long fd = t_syscall(SYS_openat, AT_FDCWD, (long)path, O_RDONLY, 0);
	if (fd < 0)
		return 'X';
	long size = t_syscall(SYS_read, fd, (long)line, sizeof line - 1, 0);
	t_syscall(SYS_close, fd, 0, 0, 0);
	while (size > 0 && line[size - 1] != ')')
		size--;
	return line[size + 1];
}

// Asleep in several looks in a row, so not just on its way.
static void await_sleep(int tid)
{
	for (int looks = 0; looks < 4; nap()) {
		int now = state(tid);
		if (now == 'X' || now == 'Z')
			return;
		looks = now == 'S' ? looks + 1 : 0;
	}
}

static void serve(void)
{
	struct order order;
	uint64_t all = ~UINT64_C(0);
	t_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, 0, 8);
	t_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
	t_syscall(SYS_close, orders[1], 0, 0, 0);
	t_syscall(SYS_close, 1, 0, 0, 0);
	while (t_syscall(SYS_read, orders[0], (long)&order, sizeof order, 0) == sizeof order) {
		if (order.asleep)
			await_sleep(order.tid);
		t_syscall(SYS_kill, order.pid, order.sig, 0, 0);
		if (order.asleep)
			await_sleep(order.tid);
		t_syscall(SYS_write, answers[1], (long)"x", 1, 0);
	}
	t_syscall(SYS_exit_group, 0, 0, 0, 0);
}

void fz_start_helper(void)
{
	if (pipe2(orders, O_CLOEXEC) || pipe2(answers, O_CLOEXEC))
		t_fail(__FILE__, __LINE__, "pipe2");
	pid_t pid = fork();
	if (pid < 0)
		t_fail(__FILE__, __LINE__, "fork");
	if (pid == 0)
		serve();
	close(orders[0]);
	close(answers[1]);
}

static void order(int sig, int asleep)
{
	struct order order = {(int)t_syscall(SYS_getpid, 0, 0, 0, 0),
	                      (int)t_syscall(SYS_gettid, 0, 0, 0, 0), sig, asleep};
	while (t_syscall(SYS_write, orders[1], (long)&order, sizeof order, 0) == -EINTR)
		;
}

static void answer(void)
{
	char byte;
	while (t_syscall(SYS_read, answers[0], (long)&byte, 1, 0) == -EINTR)
		;
}

// Its handler may run now, but neither jump nor switch away from the helper's answer.
static struct stack *stay(int *before)
{
	struct stack *stack = fz_stack();
	*before = stack->in_transit;
	stack->in_transit = 1;
	in_use = 1;
	return stack;
}

static void move_again(struct stack *stack, int before)
{
	stack->in_transit = before;
	in_use = 0;
}

void fz_op_helper(struct random *random)
{
	int sig = fz_signal(random), before;
	if (in_use || !fz_may_send(sig))
		return;
	fz_line("helper sends %d", sig);
	struct stack *stack = stay(&before);
	order(sig, 0);
	answer();
	move_again(stack, before);
	fz_result("helper sent %d", sig);
}

// Where no handler can run.
void fz_helper_sends(int sig)
{
	if (in_use)
		return;
	order(sig, 0);
	answer();
}

// The read ends by the signal, or by the helper's answer. Each takes its time.
void fz_op_helper_read(struct random *random)
{
	static int reads;
	char byte;
	int sig = fz_signal(random), before;
	if (in_use || fz_restricted || reads == 20 || !fz_may_send(sig))
		return;
	reads++;
	fz_line("read while the helper sends %d", sig);
	struct stack *stack = stay(&before);
	order(sig, 1);
	fz_clear_errno();
	int ret = (int)read(answers[0], &byte, 1);
	int err = fz_errno();
	if (ret != 1)
		answer();
	move_again(stack, before);
	errno = err;
	fz_result("read = %d", ret);
}
