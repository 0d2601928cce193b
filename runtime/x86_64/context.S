/* SPDX-License-Identifier: MIT */
/*
 * int getcontext(ucontext_t *ucp)
 * int setcontext(const ucontext_t *ucp)
 * int swapcontext(ucontext_t *oucp, const ucontext_t *ucp)
 *
 * over glibc's public ucontext_t:
 *
 *	save(ucp):	the registers a function keeps and those that carry arguments;
 *			rip and rsp as after our return; fpregs = its own __fpregs_mem;
 *			the x87 environment and mxcsr
 *	mask:		old = mask; if ucp.uc_sigmask differs: the one system call
 *	restore(ucp):	all of that back; rax = 0; go to rip
 *
 * swapcontext saves the mask it had; getcontext the mask it has. A failing system call
 * leaves everything as it was and returns -1.
 *
 * x87: the control word is what the ABI asks for, and what nearly always is there to keep.
 * Loading and storing the whole environment costs many times the rest of a switch, so it is
 * written out from the control word when no exception flag is set (then it has no content
 * but that word), and loaded by fldcw when neither side has a flag set. What libc would have
 * saved is thus still saved, and libc can read what we write. Even looking for a flag costs
 * as much as the rest; it is done where somebody could see the difference, which takes the
 * functions of fenv.h: sz_x87_flags_visible says that libm is in the process.
 *
 * The way on is a jump through a register: push and ret would cost a missed return
 * prediction. With a shadow stack it would have to be a ret: there we forward to libc.
 *
 * The thread may change across a switch: nothing of the old thread's storage is used after.
 */
#include "function.h"
#include "offsets.h"

/* eax = the x87 exception flags that are set, if anybody could tell; flags of eax. */
.macro x87_flags
	xor	%eax, %eax
	cmpb	$0, sz_x87_flags_visible(%rip)
	je	700f
	fnstsw	%ax
700:	and	$X87_EXCEPTION_FLAGS, %eax
.endm

/*
 * In: rdi ucp. Clobbers rax, rcx, rdx, r11. Leaves 0 in eax if no x87 flag was set, and the
 * first word of the environment in r11d.
 */
.macro save_context
	mov	%rbx, UC_RBX(%rdi)
	mov	%rbp, UC_RBP(%rdi)
	mov	%r12, UC_R12(%rdi)
	mov	%r13, UC_R13(%rdi)
	mov	%r14, UC_R14(%rdi)
	mov	%r15, UC_R15(%rdi)
	mov	%rdi, UC_RDI(%rdi)
	mov	%rsi, UC_RSI(%rdi)
	mov	%rdx, UC_RDX(%rdi)
	mov	%rcx, UC_RCX(%rdi)
	mov	%r8, UC_R8(%rdi)
	mov	%r9, UC_R9(%rdi)
	mov	(%rsp), %rcx
	lea	8(%rsp), %rdx
	mov	%rcx, UC_RIP(%rdi)
	mov	%rdx, UC_RSP(%rdi)
	lea	UC_FPMEM(%rdi), %rcx
	mov	%rcx, UC_FPREGS(%rdi)
	x87_flags
	jnz	701f
	fnstcw	UC_FPMEM+ENV_CONTROL(%rdi)
	movzwl	UC_FPMEM+ENV_CONTROL(%rdi), %r11d
	or	$0xffff0000, %r11d
	mov	%r11d, UC_FPMEM+ENV_CONTROL(%rdi)
	movl	$0xffff0000, UC_FPMEM+ENV_STATUS(%rdi)
	movl	$0xffffffff, UC_FPMEM+ENV_TAG(%rdi)
	movq	$0, UC_FPMEM+ENV_IP(%rdi)
	movl	$0, UC_FPMEM+ENV_DATA(%rdi)
	jmp	702f
701:	fnstenv	UC_FPMEM(%rdi)
	fldenv	UC_FPMEM(%rdi)	/* storing it masked all exceptions */
702:	stmxcsr	UC_MXCSR(%rdi)		/* over the environment's last word, as in libc */
.endm

/*
 * In: rsi ucp, rcx its fpregs. Floating point back: eax not 0 if an x87 flag is set now.
 */
.macro restore_float
	ldmxcsr	UC_MXCSR(%rsi)
	mov	ENV_STATUS(%rcx), %edx
	and	$X87_EXCEPTION_FLAGS, %edx
	or	%edx, %eax
	jnz	703f
	fldcw	ENV_CONTROL(%rcx)
	jmp	704f
703:	fldenv	(%rcx)
704:
.endm

/*
 * In: rsi ucp. Does not come back. From where rsp is switched, the caller is found in ucp.
 */
.macro restore_registers
	.cfi_remember_state
	.cfi_def_cfa %rsi, 0
	.cfi_offset %rbx, UC_RBX
	.cfi_offset %rbp, UC_RBP
	.cfi_offset %r12, UC_R12
	.cfi_offset %r13, UC_R13
	.cfi_offset %r14, UC_R14
	.cfi_offset %r15, UC_R15
	.cfi_offset %rsp, UC_RSP
	.cfi_offset %rip, UC_RIP
	mov	UC_RSP(%rsi), %rsp
	mov	UC_RBX(%rsi), %rbx
	mov	UC_RBP(%rsi), %rbp
	mov	UC_R12(%rsi), %r12
	mov	UC_R13(%rsi), %r13
	mov	UC_R14(%rsi), %r14
	mov	UC_R15(%rsi), %r15
	mov	UC_RIP(%rsi), %r11
	mov	UC_RDI(%rsi), %rdi
	mov	UC_RDX(%rsi), %rdx
	mov	UC_RCX(%rsi), %rcx
	mov	UC_R8(%rsi), %r8
	mov	UC_R9(%rsi), %r9
	xor	%eax, %eax
	.cfi_def_cfa %rsp, 0
	.cfi_restore %rbx
	.cfi_restore %rbp
	.cfi_restore %r12
	.cfi_restore %r13
	.cfi_restore %r14
	.cfi_restore %r15
	.cfi_register %rip, %r11
	.cfi_val_offset %rsp, 0
	mov	UC_RSI(%rsi), %rsi
	jmp	*%r11
	.cfi_restore_state
.endm

exported_function getcontext
	cmpb	$0, sz_forward_contexts(%rip)
	jne	8f
	save_context
	mov	sz_thread@gottpoff(%rip), %rdx
	mov	%fs:TH_KNOWN(%rdx), %rax
	cmp	%rax, sz_usable(%rip)
	jne	1f
	mov	%fs:TH_MASK(%rdx), %rax
	mov	%rax, UC_SIGMASK(%rdi)
	xor	%eax, %eax
	ret
1:	mov	(%rsp), %rsi
	jmp	sz_getcontext_mask	/* (ucp, caller) */
8:	jmp	*sz_real_getcontext(%rip)
end_function getcontext

exported_function setcontext
	cmpb	$0, sz_forward_contexts(%rip)
	jne	8f
	mov	(%rsp), %rdx
	mov	%rdi, %rsi
	mov	sz_thread@gottpoff(%rip), %r8
	mov	%fs:TH_KNOWN(%r8), %rax
	cmp	%rax, sz_usable(%rip)
	jne	2f
	mov	UC_SIGMASK(%rsi), %r9
	btr	$SIGKILL_BIT, %r9
	btr	$SIGSTOP_BIT, %r9
	cmp	%r9, %fs:TH_MASK(%r8)
	jne	2f
1:	x87_flags
	mov	UC_FPREGS(%rsi), %rcx
	restore_float
	restore_registers
2:	push	%rsi
	.cfi_adjust_cfa_offset 8
	mov	%rdx, %rsi
	call	sz_setcontext_mask	/* (ucp, caller) */
	pop	%rsi
	.cfi_adjust_cfa_offset -8
	test	%eax, %eax
	jz	1b
	ret
8:	jmp	*sz_real_setcontext(%rip)
end_function setcontext

exported_function swapcontext
	cmpb	$0, sz_forward_contexts(%rip)
	jne	8f
	save_context
	mov	sz_thread@gottpoff(%rip), %r8
	mov	%fs:TH_KNOWN(%r8), %rdx
	cmp	%rdx, sz_usable(%rip)
	jne	2f
	mov	UC_SIGMASK(%rsi), %r10
	mov	%fs:TH_MASK(%r8), %r9
	btr	$SIGKILL_BIT, %r10
	btr	$SIGSTOP_BIT, %r10
	cmp	%r9, %r10
	jne	2f
	mov	%r9, UC_SIGMASK(%rdi)
	mov	UC_FPREGS(%rsi), %rcx
4:	restore_float
	restore_registers
2:	push	%rdi
	.cfi_adjust_cfa_offset 8
	push	%rsi
	.cfi_adjust_cfa_offset 8
	push	%rax
	.cfi_adjust_cfa_offset 8
	mov	24(%rsp), %rdx
	call	sz_swapcontext_mask	/* (oucp, ucp, caller) */
	mov	%eax, %ecx
	pop	%rax
	.cfi_adjust_cfa_offset -8
	pop	%rsi
	.cfi_adjust_cfa_offset -8
	pop	%rdi
	.cfi_adjust_cfa_offset -8
	test	%ecx, %ecx
	jnz	3f
	mov	UC_FPREGS(%rsi), %rcx
	jmp	4b
3:	mov	%ecx, %eax
	ret
8:	jmp	*sz_real_swapcontext(%rip)
end_function swapcontext

/*
 * Where a context made by makecontext goes when its function returns: rbx, which the
 * function kept for us, points to the link on its stack. The end of the stack for unwinders.
 *
 *	if link == NULL: exit(0)
 *	setcontext(link); it failed: exit(-1)
 */
	.text
	.p2align 4
	.cfi_startproc
	.cfi_undefined %rip
	nop
	.globl sz_context_start
	.hidden sz_context_start
	.type sz_context_start, @function
sz_context_start:
	endbr64
	mov	(%rbx), %rdi
	mov	%rbx, %rsp
	and	$-16, %rsp
	test	%rdi, %rdi
	jz	1f
	push	%rdi
	push	%rdi
	call	sz_context_link		/* (link): the mask; returns 0 or -1 */
	pop	%rsi
	test	%eax, %eax
	mov	$-1, %edi
	jnz	1f
	x87_flags
	mov	UC_FPREGS(%rsi), %rcx
	restore_float
	restore_registers
1:	call	exit@PLT
	hlt
	.cfi_endproc
	.size sz_context_start, . - sz_context_start

	.section .note.GNU-stack, "", @progbits
