/* SPDX-License-Identifier: MIT */
/*
 * long sz_mask_call(int how, const sz_set *set, sz_set *old)
 *
 *	result = rt_sigprocmask(how, set, old, 8)
 *	if result < 0: return result
 *	window:						(a)
 *		changed_behind_us = known and mask != *old
 *		mask = how(*old, *set); known = sz_remember
 *	return changed_behind_us
 *
 * The kernel changes its mask before we note it. A signal that this very change let through
 * arrives at (a), before the note is made. The handler wrapper then takes the mask from
 * uc_sigmask, which is the kernel's word, and moves the interrupted thread to
 * sz_mask_committed: the note was made for it. It knows the window by the two labels and a
 * zero in rax, so rax must stay zero in between, and nothing else of value may be computed
 * there. r10 is the result; the wrapper zeroes it. The two signals that libc handles itself
 * do not count as a change: a cancelled thread runs on with one of them blocked.
 *
 * In: edi how, rsi set or NULL, rdx old (not NULL). Out: rax. Clobbers rcx, r8-r11.
 */
#include "function.h"
#include "offsets.h"

hidden_function sz_mask_call
	mov	$8, %r10d
	mov	$NR_RT_SIGPROCMASK, %eax
	syscall
window_mark sz_mask_commit
	test	%rax, %rax
	jnz	9f
	mov	sz_thread@gottpoff(%rip), %r9
	mov	sz_remember(%rip), %ecx
	mov	(%rdx), %r8
	xor	%r10d, %r10d
	cmpq	$1, %fs:TH_KNOWN(%r9)
	jne	1f
	mov	%fs:TH_MASK(%r9), %r11
	xor	%r8, %r11
	btr	$LIBC_CANCEL_BIT, %r11
	btr	$LIBC_SETXID_BIT, %r11
	test	%r11, %r11
	setnz	%r10b
1:	test	%rsi, %rsi
	jz	4f
	mov	(%rsi), %r11
	cmp	$HOW_SIG_UNBLOCK, %edi
	je	2f
	ja	3f
	or	%r11, %r8
	jmp	4f
2:	not	%r11
	and	%r11, %r8
	jmp	4f
3:	mov	%r11, %r8
4:	btr	$SIGKILL_BIT, %r8
	btr	$SIGSTOP_BIT, %r8
	mov	%r8, %fs:TH_MASK(%r9)
	mov	%ecx, %fs:TH_KNOWN(%r9)
window_mark sz_mask_committed
	mov	%r10d, %eax
9:	ret
end_function sz_mask_call

	.section .note.GNU-stack, "", @progbits
