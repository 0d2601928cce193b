/* SPDX-License-Identifier: MIT */
/*
 * long syscall(long number, ...)
 *
 *	if the number is ours, or something is blocked lazily: sz_syscall_c(number, …)
 *	else: libc's
 *
 * Written in assembly so that all six arguments reach libc's untouched.
 */
#include <sys/syscall.h>

#include "function.h"
#include "offsets.h"

.macro ours number
	cmp	$\number, %rdi
	je	1f
.endm

exported_function syscall
	ours SYS_rt_sigprocmask
	ours SYS_rt_sigaction
	ours SYS_clone
	ours SYS_clone3
	ours SYS_vfork
	ours SYS_unshare
	ours SYS_timer_create
	ours SYS_seccomp
	ours SYS_prctl
	ours SYS_setsockopt
	mov	sz_thread@gottpoff(%rip), %rax
	mov	%fs:TH_MASK(%rax), %r10
	cmp	%fs:TH_KERNEL(%rax), %r10
	jne	1f
	mov	sz_real_syscall(%rip), %rax
	test	%rax, %rax
	jz	1f
	jmp	*%rax
1:	mov	(%rsp), %rax		/* the caller */
	mov	8(%rsp), %r10		/* the sixth argument of the system call */
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	push	%rax
	.cfi_adjust_cfa_offset 8
	push	%r10
	.cfi_adjust_cfa_offset 8
	call	sz_syscall_c		/* (number, a, b, c, d, e, f, caller) */
	add	$24, %rsp
	.cfi_adjust_cfa_offset -24
	ret
end_function syscall

	.section .note.GNU-stack, "", @progbits
