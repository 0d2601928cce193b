// SPDX-License-Identifier: MIT
// The mask part of jumps. Saving the registers is in x86_64/jump.S; the jump itself is left
// to libc, which runs the cleanup handlers of the frames that are left: it is given a copy of
// the buffer that claims to hold no mask. siglongjmp(3); async-signal-safe as far as
// POSIX lets a program jump out of a handler.
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include "jump.h"

#include <setjmp.h>
#include <string.h>

#include "mask.h"
#include "real.h"
#include "visibility.h"
#include "watch.h"

uint8_t sz_forward_jumps __attribute__((visibility("hidden")));

int sz_jump_probe(struct __jmp_buf_tag *env, int (*libc_setjmp)(struct __jmp_buf_tag *, int));

void sz_jump_start(void)
{
	jmp_buf env;

	sz_forward_jumps = sz_mode == SZ_OFF || !sz_real_sigsetjmp || !sz_real_siglongjmp ||
	                   !sz_jump_probe(env, sz_real_sigsetjmp);
}

// From the assembly, when the mask has to be asked for. As in glibc, no mask is restored
// later if asking fails.
__attribute__((visibility("hidden"))) int sz_sigsetjmp_mask(struct __jmp_buf_tag *env,
                                                            void *caller)
{
	env->__mask_was_saved = sz_mask_slow(SIG_BLOCK, NULL, (sz_set *)&env->__saved_mask,
	                                     caller, SZ_FN_SIGSETJMP) == 0;
	return 0;
}

static inline __attribute__((always_inline, noreturn)) void
jump(struct __jmp_buf_tag *env, int value, void *caller, bool fortified)
{
	struct __jmp_buf_tag registers;

	sz_ensure_started();
	if (__builtin_expect(sz_forward_jumps, 0)) {
		sz_thread.known = 0;
		memcpy(&registers, env, sizeof registers);
	} else {
		if (env->__mask_was_saved) {
			sz_set set = *(const sz_set *)&env->__saved_mask & ~SZ_LIBC_INTERNAL;

			sz_mask_op(SIG_SETMASK, &set, NULL, caller, SZ_FN_SIGLONGJMP);
		}
		memcpy(registers.__jmpbuf, env->__jmpbuf, sizeof registers.__jmpbuf);
		registers.__mask_was_saved = 0;
	}
	(fortified ? sz_real_longjmp_chk : sz_real_siglongjmp)(&registers, value);
	__builtin_unreachable();
}

#undef longjmp
#undef siglongjmp
#undef _longjmp
SZ_INTERPOSE void siglongjmp(sigjmp_buf env, int value)
{
	jump(env, value, SZ_CALLER, false);
}

// glibc's three are one: whether a mask comes back is decided by the buffer.
void longjmp(jmp_buf, int) __attribute__((noreturn)) SZ_ALIAS(siglongjmp);
void _longjmp(jmp_buf, int) __attribute__((noreturn)) SZ_ALIAS(siglongjmp);

_Noreturn void __longjmp_chk(struct __jmp_buf_tag *env, int value);
SZ_INTERPOSE void __longjmp_chk(struct __jmp_buf_tag *env, int value)
{
	jump(env, value, SZ_CALLER, true);
}
