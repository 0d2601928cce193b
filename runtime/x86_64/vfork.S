/* SPDX-License-Identifier: MIT */
/*
 * pid_t vfork(void)
 *
 *	flush: V = K from here on
 *	before = thread; thread.vfork_child = 1
 *	window (copying, calling):
 *	pid = vfork
 *	child:	return 0		it borrows our memory and thread storage, and its own
 *					mask and dispositions are not ours
 *	window (returned):
 *	parent:	thread = before		whatever the child learned about itself is forgotten
 *		if the kernel was given the word: all but its PEND = before
 *	if that leaves PEND alone, which the child's section caused: sigzero_leave_slow()
 *	return pid
 *
 * The parent's copy, sigzero_self and sz_registered with it, lives in registers, the only place
 * that the child cannot write to. A handler that runs before the call may change what was
 * copied: the wrapper takes vfork_child back and starts the copying again. A signal that arrives
 * in the parent before the copy is back (returned) would see the child's state: the wrapper
 * takes the mask from uc_sigmask, the rest from the registers, and moves on to
 * sz_vfork_restored. With a shadow stack on, libc's vfork has to do it.
 */
#include "function.h"
#include "offsets.h"

exported_function vfork
	cmpb	$0, sz_forward_contexts(%rip)
	jne	8f
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	sz_flush_before_vfork
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	pop	%rdi			/* the child's return would overwrite it */
	.cfi_adjust_cfa_offset -8
	.cfi_register %rip, %rdi
	mov	sz_thread@gottpoff(%rip), %r8
window_mark sz_vfork_copying
	mov	sz_registered@gottpoff(%rip), %rcx
	movq	%fs:(%rcx), %xmm0
	mov	sigzero_self@gottpoff(%rip), %rcx
	mov	%fs:(%rcx), %rdx
	movq	%fs:TH_KERNEL(%r8), %xmm1
	mov	%fs:TH_KNOWN(%r8), %r10d
	mov	%fs:TH_MASK(%r8), %r9
	mov	%fs:TH_VFORK_CHILD(%r8), %rsi		/* and held */
	mov	$NR_VFORK, %eax
	movl	$1, %fs:TH_VFORK_CHILD(%r8)
window_mark sz_vfork_calling
	syscall
window_mark sz_vfork_returned
	test	%rax, %rax
	jz	1f
	mov	%r9, %fs:TH_MASK(%r8)
	mov	%r10d, %fs:TH_KNOWN(%r8)
	movq	%xmm1, %fs:TH_KERNEL(%r8)
	mov	sigzero_self@gottpoff(%rip), %rcx	/* the call took it */
	mov	sz_given@gottpoff(%rip), %r11
	cmpl	$GIVEN_OWN, %fs:(%r11)
	je	4f
	mov	%rdx, %fs:(%rcx)
	jmp	5f
	/* The kernel reads the word and sets PEND in it: in a section everything is blocked, and
	 * outside of one the flag stays, for what the child's section made it hold back. */
4:	andl	$WORD_PEND, %fs:(%rcx)
	or	%edx, %fs:(%rcx)
	mov	%rdx, %r11
	shr	$32, %r11
	mov	%r11d, %fs:4(%rcx)
5:	mov	sz_registered@gottpoff(%rip), %rcx
	movq	%xmm0, %fs:(%rcx)
	mov	%rsi, %fs:TH_VFORK_CHILD(%r8)
window_mark sz_vfork_restored
1:	push	%rdi
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rip, 0
	test	%rax, %rax
	js	2f
	jnz	7f
3:	ret
2:	neg	%eax
	push	%rax
	.cfi_adjust_cfa_offset 8
	call	__errno_location@PLT
	pop	%rdx
	.cfi_adjust_cfa_offset -8
	mov	%edx, (%rax)
	mov	$-1, %rax
	ret
7:	mov	sigzero_self@gottpoff(%rip), %rcx
	cmpl	$WORD_PEND, %fs:(%rcx)
	jne	3b
	mov	sz_given@gottpoff(%rip), %rcx
	cmpl	$GIVEN_OWN, %fs:(%rcx)
	jne	3b
	push	%rax
	.cfi_adjust_cfa_offset 8
	call	sigzero_leave_slow@PLT
	pop	%rax
	.cfi_adjust_cfa_offset -8
	ret
8:	.cfi_restore %rip
	.cfi_def_cfa_offset 8
	jmp	*sz_real_vfork(%rip)
end_function vfork

	.globl __vfork
	.set __vfork, vfork

	.section .note.GNU-stack, "", @progbits
