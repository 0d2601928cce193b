/* SPDX-License-Identifier: MIT */
/*
 * long sz_mask_call(int how, const sz_set *set, sz_set *old, void *caller)
 * int sz_mask_direct(int how, sz_set set, sz_set *old, void *caller)
 *
 *	window:						(call)
 *		if held: return HELD
 *		if known and V != K: how = SETMASK, set = how(V, set); before = V
 *		else: before is what the kernel will say
 *		result = rt_sigprocmask(how, set, &kernel, 8)
 *	if result < 0: return result
 *	window:						(commit)
 *		changed_behind_us = known and K != kernel
 *		V = K = how(kernel, *set); known = sz_remember
 *	if caller: note who changed the mask
 *	if old: *old = before
 *	return changed_behind_us
 *
 * sz_mask_direct is the same with the set by value, so that libc's functions can end by jumping
 * to it: after a system call every return costs as much as all the rest here (what the
 * processor remembers of the callers is lost). Any result but 0 is left to C.
 *
 * Up to the system call the work is done again from its start if a signal arrives (call): its
 * handler may have edited the mask. Where nothing is blocked lazily, nothing is computed from
 * memory either: the kernel applies the change to what it really holds.
 *
 * The kernel changes its mask before we note it. A signal that this very change let through
 * arrives at (commit), before the note is made. The handler wrapper then takes the mask from
 * uc_sigmask, which is the kernel's word, notes it, and moves the interrupted thread to
 * sz_mask_committed. It knows the window by the two labels and a zero in rax, so rax must stay
 * zero in between, and nothing else of value may be computed there. r10 is the result; the
 * wrapper zeroes it. The two signals that libc handles itself do not count as a change: a
 * cancelled thread runs on with one of them blocked.
 *
 * In: edi how, rsi set or NULL, rdx old or NULL, rcx caller or NULL. Out: rax. Clobbers rcx,
 * rdx, rsi, rdi, r8-r11. The red zone keeps what must outlive the system call and a new start.
 */
#include "function.h"
#include "offsets.h"

#define HOW -8(%rsp)
#define SET -16(%rsp)
#define OLD -24(%rsp)
#define KERNEL_OLD -32(%rsp)
#define V_OLD -40(%rsp)
#define V_NEW -48(%rsp)
#define CALLER -56(%rsp)
#define DIRECT -64(%rsp)
#define SET_VALUE -72(%rsp)
#define NOWHERE -80(%rsp)
#define KEEP -88(%rsp)
#define ADD -96(%rsp)

/* to = how(to, from); from is clobbered. An unknown how counts as SETMASK. */
.macro apply how, to, from
	cmp	$HOW_SIG_UNBLOCK, \how
	je	801f
	ja	802f
	or	\from, \to
	jmp	803f
801:	not	\from
	and	\from, \to
	jmp	803f
802:	mov	\from, \to
803:
.endm

hidden_function sz_mask_direct
	mov	%rsi, SET_VALUE
	lea	SET_VALUE, %rsi
	movl	$1, DIRECT
	jmp	sz_mask_begin
end_function sz_mask_direct

hidden_function sz_mask_call
	movl	$0, DIRECT
sz_mask_begin:
	mov	%edi, HOW
	mov	%rsi, SET
	lea	NOWHERE, %rax
	test	%rdx, %rdx
	cmovz	%rax, %rdx
	mov	%rdx, OLD
	mov	%rcx, CALLER
window_mark sz_mask_call_start
	mov	sz_thread@gottpoff(%rip), %r9
	mov	HOW, %edi
	mov	SET, %rsi
	lea	KERNEL_OLD, %rdx
	mov	%rdx, %r8		/* where the caller's old mask will be */
	cmpl	$0, %fs:TH_HELD(%r9)
	jne	8f
	cmpl	$1, %fs:TH_KNOWN(%r9)
	jne	2f
	mov	%fs:TH_MASK(%r9), %rax
	cmp	%fs:TH_KERNEL(%r9), %rax
	je	2f
	cmp	$HOW_SIG_SETMASK, %edi
	ja	2f
	mov	%rax, V_OLD
	lea	V_OLD, %r8
	test	%rsi, %rsi
	jz	1f
	mov	(%rsi), %r11
	apply	%edi, %rax, %r11
	btr	$SIGKILL_BIT, %rax
	btr	$SIGSTOP_BIT, %rax
1:	mov	%rax, V_NEW
	lea	V_NEW, %rsi
	mov	$HOW_SIG_SETMASK, %edi
	/* The new mask is the kernel's old one & KEEP | ADD. Worked out before the call: after
	 * it the processor foretells no branch. */
2:	mov	$-1, %rax
	xor	%r10d, %r10d
	test	%rsi, %rsi
	jz	3f
	mov	(%rsi), %r10
	btr	$SIGKILL_BIT, %r10
	btr	$SIGSTOP_BIT, %r10
	cmp	$HOW_SIG_UNBLOCK, %edi
	jb	3f
	mov	$0, %eax
	ja	3f
	mov	%r10, %rax
	not	%rax
	xor	%r10d, %r10d
3:	mov	%rax, KEEP
	mov	%r10, ADD
	mov	$8, %r10d
	mov	$NR_RT_SIGPROCMASK, %eax
	syscall
window_mark sz_mask_commit
	test	%rax, %rax
	jnz	9f
	mov	sz_remember(%rip), %ecx
	mov	KERNEL_OLD, %rdx
	mov	%fs:TH_KERNEL(%r9), %r11
	xor	%rdx, %r11
	btr	$LIBC_CANCEL_BIT, %r11
	btr	$LIBC_SETXID_BIT, %r11
	xor	%r10d, %r10d
	test	%r11, %r11
	setnz	%r10b
	cmpq	$1, %fs:TH_KNOWN(%r9)
	sete	%dil
	and	%dil, %r10b
	and	KEEP, %rdx
	or	ADD, %rdx
	mov	%rdx, %fs:TH_MASK(%r9)
	mov	%rdx, %fs:TH_KERNEL(%r9)
	mov	%ecx, %fs:TH_KNOWN(%r9)
window_mark sz_mask_committed
	mov	(%r8), %r11
	mov	OLD, %rdx
	mov	%r11, (%rdx)
	xor	%edx, %edx
	mov	CALLER, %rcx
	mov	%fs:TH_HELD_SINCE(%r9), %r11
	test	%rcx, %rcx
	cmovnz	%rdx, %r11
	cmovz	%fs:TH_CHANGED_BY(%r9), %rcx
	setnz	%dl
	mov	%r11, %fs:TH_HELD_SINCE(%r9)
	mov	%rcx, %fs:TH_CHANGED_BY(%r9)
	add	%rdx, %fs:TH_CHANGES(%r9)
	mov	%r10d, %eax
	test	%eax, %eax
	jnz	9f
	ret
8:	mov	$MASK_HELD, %eax
9:	cmpl	$0, DIRECT
	jne	7f
	ret
7:	mov	%rax, %rdi
	mov	HOW, %esi
	mov	SET_VALUE, %rdx
	mov	OLD, %rcx
	lea	NOWHERE, %rax
	xor	%r8d, %r8d
	cmp	%rax, %rcx
	cmove	%r8, %rcx
	mov	CALLER, %r8
	jmp	sz_mask_direct_result
end_function sz_mask_call

/*
 * int sz_mask_lazy(int how, const sz_set *set, sz_set *old, void *caller)
 *
 *	window:						(lazy)
 *		if not known, or a child of vfork, or held: return 0
 *		new = how(V, *set)
 *		if new & ~(K | sz_lazy_ok) or K & ~new: return 0
 *		V = new
 *	*old = the V before
 *	return 1
 *
 * The change without a system call. A signal that arrives in the window starts it again, and
 * the last instruction in it is the change: so it takes place at once, for any handler.
 *
 * In: edi how, rsi set, rdx old or NULL, rcx caller. Clobbers rax, r8-r11.
 */
hidden_function sz_mask_lazy
	cmp	$HOW_SIG_SETMASK, %edi
	ja	9f
window_mark sz_mask_lazy_start
	mov	sz_thread@gottpoff(%rip), %r9
	cmpq	$1, %fs:TH_KNOWN(%r9)
	jne	9f
	cmpq	$0, %fs:TH_VFORK_CHILD(%r9)	/* and held */
	jne	9f
	mov	%fs:TH_MASK(%r9), %r8
	mov	(%rsi), %r11
	mov	%r8, %rax
	apply	%edi, %rax, %r11
	btr	$SIGKILL_BIT, %rax
	btr	$SIGSTOP_BIT, %rax
	mov	%fs:TH_KERNEL(%r9), %r10
	mov	sz_lazy_ok(%rip), %r11
	or	%r10, %r11
	not	%r11
	test	%rax, %r11
	jnz	9f
	mov	%rax, %r11
	not	%r11
	test	%r10, %r11
	jnz	9f
	mov	%rax, %fs:TH_MASK(%r9)
window_mark sz_mask_lazy_done
	mov	%rcx, %fs:TH_CHANGED_BY(%r9)
	incq	%fs:TH_CHANGES(%r9)
	test	%rdx, %rdx
	jz	1f
	mov	%r8, (%rdx)
1:	mov	$1, %eax
	ret
9:	xor	%eax, %eax
	ret
end_function sz_mask_lazy

	.section .note.GNU-stack, "", @progbits
