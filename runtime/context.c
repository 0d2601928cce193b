// SPDX-License-Identifier: MIT
// The mask part of contexts, and makecontext; the switching is in x86_64/context.S.
// getcontext(3), makecontext(3). getcontext, setcontext and swapcontext are
// async-signal-safe; a context may be continued by another thread.
#define _GNU_SOURCE
#include "context.h"

#include <stdarg.h>
#include <ucontext.h>

#include "libc_result.h"
#include "mask.h"
#include "real.h"
#include "visibility.h"

#define HIDDEN __attribute__((visibility("hidden")))

uint8_t sz_forward_contexts HIDDEN;
uint8_t sz_x87_flags_visible HIDDEN = 1;

// Of libm: NULL where that is not in the process.
extern int fetestexcept(int) __attribute__((weak, visibility("default")));

int sz_shadow_stack_on(void) HIDDEN;

void sz_context_start_up(void)
{
	sz_x87_flags_visible = fetestexcept != NULL;
	sz_forward_contexts = sz_mode == SZ_OFF || sz_shadow_stack_on();
}

static int mask_op(const sz_set *set, sz_set *old, void *caller, enum sz_function fn)
{
	int result = sz_mask_slow(SIG_SETMASK, set, old, caller, fn);

	return sz_libc_result(result);
}

HIDDEN int sz_getcontext_mask(ucontext_t *ucp, void *caller)
{
	return mask_op(NULL, (sz_set *)&ucp->uc_sigmask, caller, SZ_FN_GETCONTEXT);
}

HIDDEN int sz_setcontext_mask(const ucontext_t *ucp, void *caller)
{
	sz_set set = *(const sz_set *)&ucp->uc_sigmask;

	return mask_op(&set, NULL, caller, SZ_FN_SETCONTEXT);
}

// The old mask is the one that the kernel exchanged for the new: both contexts may be one.
HIDDEN int sz_swapcontext_mask(ucontext_t *old_ucp, const ucontext_t *ucp, void *caller)
{
	sz_set set = *(const sz_set *)&ucp->uc_sigmask;

	return mask_op(&set, (sz_set *)&old_ucp->uc_sigmask, caller, SZ_FN_SWAPCONTEXT);
}

HIDDEN int sz_context_link(const ucontext_t *link)
{
	sz_set set = *(const sz_set *)&link->uc_sigmask;

	if (sz_mask_op(SIG_SETMASK, &set, NULL, (void *)link->uc_mcontext.gregs[REG_RIP],
	               SZ_FN_UC_LINK) < 0)
		return -1;
	return 0;
}

extern const char sz_context_start[] HIDDEN;

// With a shadow stack on, libc must make one for the context too.
static void libc_makecontext(ucontext_t *ucp, void (*function)(void), int argc, va_list from)
{
	greg_t a[12] = {0};

	for (int i = 0; i < argc && i < 12; i++)
		a[i] = va_arg(from, greg_t);
	sz_real_makecontext(ucp, function, argc, a[0], a[1], a[2], a[3], a[4], a[5], a[6],
	                    a[7], a[8], a[9], a[10], a[11]);
}

// On the new stack, from its end: the link, the arguments beyond six, the return address.
// The called function must find rsp + 8 a multiple of 16. glibc passes each argument as a
// whole register, so that pointers fit; programs rely on it.
SZ_INTERPOSE void makecontext(ucontext_t *ucp, void (*function)(void), int argc, ...)
{
	static const int in_register[] = {REG_RDI, REG_RSI, REG_RDX, REG_RCX, REG_R8, REG_R9};
	greg_t *regs = ucp->uc_mcontext.gregs;
	int on_stack = argc > 6 ? argc - 6 : 0;
	uintptr_t end = (uintptr_t)ucp->uc_stack.ss_sp + ucp->uc_stack.ss_size;
	greg_t *sp = (greg_t *)(((end - 8 * ((uintptr_t)on_stack + 1)) & -(uintptr_t)16) - 8);
	va_list arguments;

	sz_ensure_started();
	if (sz_shadow_stack_on()) {
		va_start(arguments, argc);
		libc_makecontext(ucp, function, argc, arguments);
		va_end(arguments);
		return;
	}
	sp[0] = (greg_t)sz_context_start;
	sp[on_stack + 1] = (greg_t)ucp->uc_link;
	regs[REG_RIP] = (greg_t)function;
	regs[REG_RSP] = (greg_t)sp;
	regs[REG_RBX] = (greg_t)&sp[on_stack + 1];
	va_start(arguments, argc);
	for (int i = 0; i < argc; i++) {
		if (i < 6)
			regs[in_register[i]] = va_arg(arguments, greg_t);
		else
			sp[i - 5] = va_arg(arguments, greg_t);
	}
	va_end(arguments);
}
