/* SPDX-License-Identifier: MIT */
/*
 * int setjmp(jmp_buf env)			BSD's: saves the mask
 * int __sigsetjmp(sigjmp_buf env, int savemask)
 *
 *	env = callee-saved registers, rsp, return address, in glibc's layout and mangling
 *	env.mask_was_saved = savemask != 0
 *	if savemask: env.saved_mask = mask, asking the kernel where we do not know it
 *	return 0
 *
 * The jumps back are left to libc (jump.c), which therefore must be able to read what is
 * written here; sz_jump_probe asks at start-up whether it can. Where it cannot, or where a
 * shadow stack has to be kept, all goes to libc. They return twice, so nothing may be kept
 * on the stack, and libc's must be reached by a jump.
 */
#include "function.h"
#include "offsets.h"

.macro mangle reg
	xor	%fs:TCB_POINTER_GUARD, \reg
	rol	$17, \reg
.endm

exported_function setjmp
	mov	$1, %esi
	jmp	__sigsetjmp
end_function setjmp

exported_function __sigsetjmp
	cmpb	$0, sz_forward_jumps(%rip)
	jne	8f
	mov	%rbp, %rax
	lea	8(%rsp), %rdx
	mov	(%rsp), %rcx
	mangle	%rax
	mangle	%rdx
	mangle	%rcx
	mov	%rbx, JB_RBX(%rdi)
	mov	%rax, JB_RBP(%rdi)
	mov	%r12, JB_R12(%rdi)
	mov	%r13, JB_R13(%rdi)
	mov	%r14, JB_R14(%rdi)
	mov	%r15, JB_R15(%rdi)
	mov	%rdx, JB_RSP(%rdi)
	mov	%rcx, JB_RIP(%rdi)
	test	%esi, %esi
	jz	2f
	mov	sz_thread@gottpoff(%rip), %rdx
	mov	%fs:TH_KNOWN(%rdx), %rax
	cmp	%rax, sz_usable(%rip)
	jne	1f
	mov	%fs:TH_MASK(%rdx), %rax
	mov	%rax, JB_SAVED_MASK(%rdi)
	movl	$1, JB_MASK_WAS_SAVED(%rdi)
	xor	%eax, %eax
	ret
1:	mov	(%rsp), %rsi
	jmp	sz_sigsetjmp_mask	/* (env, caller), returns 0 */
2:	movl	$0, JB_MASK_WAS_SAVED(%rdi)
	xor	%eax, %eax
	ret
8:	jmp	*sz_real_sigsetjmp(%rip)
end_function __sigsetjmp

/*
 * int sz_jump_probe(jmp_buf env, int (*libc_sigsetjmp)(jmp_buf, int))
 *
 *	libc_sigsetjmp(env, 0)
 *	return env holds our rsp and return address as we would have written them
 */
hidden_function sz_jump_probe
	push	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	mov	%rdi, %rbx
	mov	%rsi, %rax
	xor	%esi, %esi
	call	*%rax
1:	lea	1b(%rip), %rcx
	mov	%rsp, %rdx
	mangle	%rcx
	mangle	%rdx
	xor	%eax, %eax
	cmp	%rcx, JB_RIP(%rbx)
	jne	2f
	cmp	%rdx, JB_RSP(%rbx)
	jne	2f
	mov	$1, %eax
2:	pop	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	ret
end_function sz_jump_probe

/*
 * int sz_shadow_stack_on(void): glibc's feature word says whether this thread has one.
 */
hidden_function sz_shadow_stack_on
	mov	%fs:TCB_FEATURE_1, %eax
	shr	$1, %eax
	and	$1, %eax
	ret
end_function sz_shadow_stack_on

	.section .note.GNU-stack, "", @progbits
