// SPDX-License-Identifier: MIT
// Coroutines on contexts: switched to from anywhere, resumed by whichever thread comes.
#include "fuzz.h"

#define COROUTINES 3
#define LINKS 2
#define STACK_SIZE (512 * 1024)

struct coroutine {
	ucontext_t context, *resumer;
	struct stack stack;
	int number, started, active, turns;
	pthread_t left_by;
	char memory[STACK_SIZE];
};

static struct coroutine coroutines[COROUTINES], links[LINKS];

static void body(int number)
{
	struct coroutine *self = &coroutines[number];
	for (;;) {
		fz_set_stack(&self->stack);
		fz_result("coroutine turn %d", self->turns);
		fz_run_list(fz_mix(fz_seed, (uint64_t)(2000000 + number * 1000 + self->turns++)), 3);
		fz_set_transit();
		swapcontext(&self->context, self->resumer);
	}
}

static void linked_body(int number, void *key)
{
	fz_set_stack(&links[number].stack);
	fz_result("linked context");
	fz_run_list((uint64_t)(uintptr_t)key, 3);
	fz_set_transit();
}

static void prepare(struct coroutine *self, const char *name, uint64_t mask)
{
	memset(&self->stack, 0, sizeof self->stack);
	self->stack.name = name;
	self->stack.coroutine = self;
	getcontext(&self->context);
	self->context.uc_stack.ss_sp = self->memory;
	self->context.uc_stack.ss_size = STACK_SIZE;
	self->context.uc_link = NULL;
	memcpy(&self->context.uc_sigmask, &mask, sizeof mask);
}

__attribute__((noinline)) static void enter(struct coroutine *self)
{
	struct stack *mine = fz_stack();
	ucontext_t here;
	self->resumer = &here;
	self->active = 1;
	fz_set_transit();
	int ret = swapcontext(&here, &self->context);
	fz_set_stack(mine);
	self->active = 0;
	fz_result("swapcontext to %s = %d", self->stack.name, ret);
}

// A handler that is left and resumed must end in its own thread: its return sets the
// alternate stack of the thread that it began in.
static int may_enter(const struct coroutine *self)
{
	return !self->active && fz_may_switch() &&
	       (self->stack.depth == 0 || pthread_equal(self->left_by, pthread_self()));
}

void fz_op_switch(struct random *random)
{
	static const char *const names[] = {"c0", "c1", "c2"};
	int number = fz_below(random, COROUTINES);
	uint64_t mask = fz_mask(random);
	struct coroutine *self = &coroutines[number];
	if (!may_enter(self))
		return;
	fz_line("swapcontext to %s", names[number]);
	if (!self->started) {
		prepare(self, names[number], mask);
		makecontext(&self->context, (void (*)(void))(void *)body, 1, number);
		self->started = 1;
	}
	enter(self);
}

__attribute__((noinline)) static int leave(struct coroutine *self)
{
	fz_set_transit();
	int ret = swapcontext(&self->context, self->resumer);
	fz_set_stack(&self->stack);
	return ret;
}

// In the midst of its list, maybe in a handler or where a jump may land later.
void fz_op_yield(struct random *random)
{
	(void)random;
	struct coroutine *self = fz_stack()->coroutine;
	if (!self || !self->started || fz_child || !fz_may_switch())
		return;
	self->left_by = pthread_self();
	fz_line("yield");
	int ret = leave(self);
	fz_result("yield = %d", ret);
}

// The other thread's or process's share of a link is in use while it runs.
void fz_op_link(struct random *random)
{
	static const char *const names[] = {"l0", "l1"};
	int number = fz_below(random, LINKS);
	struct coroutine *self = &links[number];
	uint64_t mask = fz_mask(random), key = fz_next(random);
	if (self->active || !fz_may_switch())
		return;
	struct stack *mine = fz_stack();
	ucontext_t here;
	prepare(self, names[number], mask);
	self->active = 1;
	self->context.uc_link = &here;
	makecontext(&self->context, (void (*)(void))(void *)linked_body, 2, number, (void *)key);
	fz_line("context with uc_link, mask %llx", (unsigned long long)mask);
	fz_set_transit();
	int ret = swapcontext(&here, &self->context);
	fz_set_stack(mine);
	self->active = 0;
	fz_result("back by uc_link = %d", ret);
}

void fz_op_context(struct random *random)
{
	ucontext_t context;
	volatile int turn = 0;
	uint64_t mask = fz_mask(random), seen;
	int edit = fz_below(random, 2);
	fz_line("getcontext");
	getcontext(&context);
	memcpy(&seen, &context.uc_sigmask, sizeof seen);
	fz_result("getcontext turn %d mask %llx", turn, (unsigned long long)seen);
	if (turn++)
		return;
	if (edit)
		memcpy(&context.uc_sigmask, &mask, sizeof mask);
	fz_line("setcontext");
	setcontext(&context);
}
