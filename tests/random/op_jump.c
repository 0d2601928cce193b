// SPDX-License-Identifier: MIT
// Places to jump to, and jumps: direct ones, and those that handlers make.
#include "fuzz.h"

extern int bsd_setjmp(jmp_buf) __asm__("setjmp") __attribute__((returns_twice));
extern void underscore_longjmp(jmp_buf, int) __asm__("_longjmp") __attribute__((noreturn));
extern void checked_longjmp(jmp_buf, int) __asm__("__longjmp_chk") __attribute__((noreturn));

int fz_can_jump(void)
{
	struct stack *stack = fz_stack();
	return !stack->in_transit && stack->top > stack->floor;
}

void fz_jump(struct random *random)
{
	static const char *const names[] = {"siglongjmp", "longjmp", "_longjmp", "__longjmp_chk"};
	struct stack *stack = fz_stack();
	struct scope *scope = &stack->scopes[stack->top - 1];
	int which = fz_below(random, 4), value = fz_below(random, 3);
	fz_line("%s %d", names[which], value);
	if (which == 0)
		siglongjmp(scope->env, value);
	if (which == 1)
		longjmp(scope->env, value);
	if (which == 2)
		underscore_longjmp(scope->env, value);
	checked_longjmp(scope->env, value);
}

void fz_op_jump(struct random *random)
{
	if (fz_can_jump())
		fz_jump(random);
}

static void inside(struct random *random)
{
	uint64_t key = fz_next(random);
	fz_run_list(key, 1 + fz_below(random, 4));
	if (fz_below(random, 2))
		fz_jump(random);
}

void fz_op_scope(struct random *random)
{
	static const char *const names[] = {"sigsetjmp 1", "sigsetjmp 0", "_setjmp", "setjmp"};
	struct stack *volatile stack = fz_stack();
	if (stack->in_transit || stack->top == FZ_SCOPES)
		return;
	volatile int mine = stack->top++, value = 0;
	struct scope *scope = &stack->scopes[mine];
	scope->depth = stack->depth;
	scope->kind = fz_below(random, FZ_SCOPE_KINDS);
	fz_line("%s", names[scope->kind]);
	switch (scope->kind) {
	case FZ_SIGSETJMP_1:
		value = sigsetjmp(scope->env, 1);
		break;
	case FZ_SIGSETJMP_0:
		value = sigsetjmp(scope->env, 0);
		break;
	case FZ_UNDERSCORE:
		value = _setjmp(scope->env);
		break;
	default:
		value = bsd_setjmp(scope->env);
	}
	if (value == 0)
		inside(random);
	stack->depth = stack->scopes[mine].depth;
	stack->top = mine;
	fz_result("%s = %d", names[stack->scopes[mine].kind], value);
}
