// SPDX-License-Identifier: MIT
// A small bytecode interpreter with two green threads that change places after each
// instruction. Built three times:
//   SWITCH_CONTEXT  getcontext saves, setcontext resumes, as Ruby 1.8 did on Linux
//   SWITCH_SETJMP   the same with _setjmp and _longjmp
//   SWITCH_NONE     no stacks, one loop steps both: what the interpreter alone costs
// The threads write to shared words, so the checksum also says that they took turns.
#include <inttypes.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { THREADS = 2, STACK_SIZE = 64 * 1024, SHARED = 64 };

enum opcode { MUL, ADDI, SHR, LOAD, XOR, STORE, ADD, JUMP };

struct instruction {
	uint8_t opcode, to, from;
	uint64_t operand;
};

static const struct instruction program[] = {
	{MUL, 0, 0, 6364136223846793005u},
	{ADDI, 0, 0, 1442695040888963407u},
	{SHR, 1, 0, 58},
	{LOAD, 2, 1, 0},
	{XOR, 2, 0, 0},
	{STORE, 2, 1, 0},
	{ADD, 3, 2, 0},
	{JUMP, 0, 0, 0},
};

#if defined SWITCH_CONTEXT
struct saved {
	ucontext_t context;
	volatile bool resumed; // getcontext does not tell its second return from its first
};
#define SAVE(s) ((s)->resumed = false, getcontext(&(s)->context), (s)->resumed)
#define RESUME(s) ((s)->resumed = true, setcontext(&(s)->context))
#elif defined SWITCH_SETJMP
struct saved {
	jmp_buf env;
};
#define SAVE(s) _setjmp((s)->env)
#define RESUME(s) _longjmp((s)->env, 1)
#elif !defined SWITCH_NONE
#error "say how to switch"
#endif

struct thread {
#if !defined SWITCH_NONE
	struct saved saved;
	ucontext_t start;
	char *stack;
#endif
	uint64_t registers[4];
	const struct instruction *next;
	long left;
};

static struct thread threads[THREADS];
static uint64_t shared[SHARED];

__attribute__((noinline)) static bool step(struct thread *t)
{
	const struct instruction *i = t->next++;
	uint64_t *r = t->registers;

	switch (i->opcode) {
	case MUL:
		r[i->to] *= i->operand;
		break;
	case ADDI:
		r[i->to] += i->operand;
		break;
	case SHR:
		r[i->to] = r[i->from] >> i->operand;
		break;
	case LOAD:
		r[i->to] = shared[r[i->from] % SHARED];
		break;
	case XOR:
		r[i->to] ^= r[i->from];
		break;
	case STORE:
		shared[r[i->from] % SHARED] = r[i->to];
		break;
	case ADD:
		r[i->to] += r[i->from];
		break;
	case JUMP:
		t->next = program + i->operand;
		break;
	}
	return --t->left > 0;
}

#if defined SWITCH_NONE
static void run_all(void)
{
	bool more = true;

	while (more) {
		more = false;
		for (int i = 0; i < THREADS; i++)
			if (threads[i].left > 0)
				more |= step(&threads[i]);
	}
}
#else
static struct saved finished;
static struct thread *current;

static struct thread *next_alive(void)
{
	for (int n = 1; n <= THREADS; n++) {
		struct thread *t = &threads[(current - threads + n) % THREADS];

		if (t->left > 0)
			return t;
	}
	return NULL;
}

static void yield(void)
{
	if (SAVE(&current->saved))
		return;
	current = next_alive();
	RESUME(&current->saved);
}

static void leave(void)
{
	struct thread *next = next_alive();

	if (!next)
		RESUME(&finished);
	current = next;
	RESUME(&current->saved);
}

static void thread_main(void)
{
	// Hand back to run_all once, so that every thread is ready before the first steps.
	if (!SAVE(&current->saved))
		RESUME(&finished);
	while (step(current))
		yield();
	leave();
}

static void make_ready(struct thread *t)
{
	t->stack = malloc(STACK_SIZE);
	if (!t->stack || getcontext(&t->start))
		abort();
	t->start.uc_stack.ss_sp = t->stack;
	t->start.uc_stack.ss_size = STACK_SIZE;
	makecontext(&t->start, thread_main, 0);
	current = t;
	if (!SAVE(&finished))
		setcontext(&t->start);
}

static void run_all(void)
{
	for (int i = 0; i < THREADS; i++)
		make_ready(&threads[i]);
	current = &threads[0];
	if (!SAVE(&finished))
		RESUME(&current->saved);
}
#endif

static uint64_t checksum(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < SHARED; i++)
		sum = sum * 31 + shared[i];
	for (int i = 0; i < THREADS; i++)
		sum = sum * 31 + threads[i].registers[3];
	return sum;
}

int main(int argc, char **argv)
{
	long steps = argc > 1 ? atol(argv[1]) : 10000000;

	if (steps < 1) {
		fprintf(stderr, "usage: %s [STEPS]\n", argv[0]);
		return 2;
	}
	for (int i = 0; i < THREADS; i++) {
		threads[i].registers[0] = i + 1;
		threads[i].next = program;
		threads[i].left = steps;
	}
	run_all();
	printf("%ld steps each, checksum %016" PRIx64 "\n", steps, checksum());
	return 0;
}
