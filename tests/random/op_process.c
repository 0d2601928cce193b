// SPDX-License-Identifier: MIT
// Children: forked ones go on with a list of their own, those of vfork use our memory.
#include "fuzz.h"

int fz_restricted, fz_child;

// Waits with SIGCHLD blocked: whether it comes before waitpid has the status or after is
// anyone's guess, and its handler may leave for a stack that a later child resumes.
static void reap(const char *what, pid_t pid, const sigset_t *mask)
{
	int status = 0, ret;
	do
		ret = waitpid(pid, &status, 0);
	while (ret < 0 && fz_errno() == EINTR);
	sigprocmask(SIG_SETMASK, mask, NULL);
	fz_result("%s child = %x", what, ret < 0 ? -1 : status);
}

static void become_child(struct stack *stack)
{
	stack->floor = stack->top;
}

void fz_op_fork(struct random *random)
{
	if (fz_restricted || fz_child)
		return;
	uint64_t key = fz_next(random);
	int code = fz_below(random, 100);
	fz_line("fork");
	sigset_t all, mask;
	sigfillset(&all);
	// SIGCHLD may come before fork() has returned, where libc still holds locks.
	sigprocmask(SIG_BLOCK, &all, &mask);
	pid_t pid = fork();
	if (pid == 0) {
		fz_child = 1;
		fz_worker_is_gone();
		become_child(fz_stack());
		sigprocmask(SIG_SETMASK, &mask, NULL);
		fz_result("in the child");
		fz_run_list(key, 4);
		fz_result("the child ends");
		_exit(code);
	}
	reap("fork", pid, &mask);
}

struct shared {
	int depth, top, floor, budget;
};

static struct shared save(const struct stack *stack)
{
	return (struct shared){stack->depth, stack->top, stack->floor, fz_budget};
}

static void restore(struct stack *stack, const struct shared *saved)
{
	stack->depth = saved->depth;
	stack->top = saved->top;
	stack->floor = saved->floor;
	fz_budget = saved->budget;
	fz_restricted = 0;
}

static void in_vfork_child(struct stack *stack, uint64_t key, const sigset_t *mask)
{
	fz_restricted = 1;
	sigprocmask(SIG_SETMASK, mask, NULL);
	become_child(stack);
	fz_result("in the child");
	fz_run_list(key, 4);
	fz_dispositions();
	fz_result("the child ends");
}

__attribute__((noinline)) static pid_t run_vfork_child(struct stack *stack, uint64_t key,
                                                       const sigset_t *mask, int code)
{
	pid_t pid = vfork();
	if (pid == 0) {
		in_vfork_child(stack, key, mask);
		_exit(code);
	}
	return pid;
}

void fz_op_vfork(struct random *random)
{
	struct stack *stack = fz_stack();
	if (fz_restricted || stack->in_transit)
		return;
	uint64_t key = fz_next(random);
	int code = fz_below(random, 100);
	fz_line("vfork");
	// The parent may go on before or after the child's SIGCHLD: it is let in only when
	// the parent has its own bookkeeping back.
	sigset_t all, mask;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &mask);
	struct shared saved = save(stack);
	pid_t pid = run_vfork_child(stack, key, &mask, code);
	restore(stack, &saved);
	reap("vfork", pid, &mask);
}
