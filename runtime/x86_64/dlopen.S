/* SPDX-License-Identifier: MIT */
/*
 * void *dlopen(const char *file, int mode)
 * void *dlmopen(Lmid_t namespace, const char *file, int mode)
 *
 *	if mode has RTLD_DEEPBIND, or the namespace is not the program's: sz_dlopen_past_us()
 *	libc's
 *
 * By a jump, since libc looks at the return address to see who asks.
 */
#include "function.h"
#include "offsets.h"

.macro past_us
	push	%rdi
	.cfi_adjust_cfa_offset 8
	push	%rsi
	.cfi_adjust_cfa_offset 8
	push	%rdx
	.cfi_adjust_cfa_offset 8
	call	sz_dlopen_past_us
	pop	%rdx
	.cfi_adjust_cfa_offset -8
	pop	%rsi
	.cfi_adjust_cfa_offset -8
	pop	%rdi
	.cfi_adjust_cfa_offset -8
.endm

exported_function dlopen
	cmpq	$0, sz_real_dlopen(%rip)
	je	1f
	test	$MODE_DEEPBIND, %esi
	jnz	2f
	jmp	*sz_real_dlopen(%rip)
1:	push	%rdi
	.cfi_adjust_cfa_offset 8
	push	%rsi
	.cfi_adjust_cfa_offset 8
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	sz_start
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	pop	%rsi
	.cfi_adjust_cfa_offset -8
	pop	%rdi
	.cfi_adjust_cfa_offset -8
	test	$MODE_DEEPBIND, %esi
	jz	3f
2:	past_us
3:	jmp	*sz_real_dlopen(%rip)
end_function dlopen

exported_function dlmopen
	past_us
	jmp	*sz_real_dlmopen(%rip)
end_function dlmopen

	.section .note.GNU-stack, "", @progbits
