/* SPDX-License-Identifier: MIT */
/*
 * The way into and out of every handler of the program.
 *
 * The kernel is given, in place of the program's handler, one of SZ_RECORDS entries; which
 * one says which disposition was in force when the kernel delivered the signal, even if the
 * disposition has been changed since.
 *
 *	sz_handler(sig, info, uc, record):
 *		if uc is not where the kernel puts it: sz_called_as_function(sig, …)
 *	restart:
 *		sz_arrival_prepare(sig, uc, record)		fills in the arrival below uc
 *	commit:
 *		V, K, known, promoting = the arrival's
 *	done:
 *		if arrival.ours: arrival.handler(sig, info, uc), which sets after, kernel_after
 *		else:
 *			uc_sigmask = arrival.view
 *			if arrival.special: sz_arrival_special(uc)
 *			arrival.handler(sig, info, uc)
 *			after = kernel_after = uc_sigmask
 *			if sz_remember: kernel_after = entry_mask if uc_sigmask == view,
 *				else uc_sigmask | (entry_mask & ~view)
 *	return:
 *		arrival.left = V, K, known
 *	returning:
 *		uc_sigmask = kernel_after
 *		by arrival.exit:
 *		TRUST	V = after; K = kernel_after; known = sz_remember, or 1 if V != K
 *		FORGET	known = 0
 *		FOREIGN	V, K, known as before; but if it was edited, known = 0
 *		rt_sigreturn
 *	returned:
 *
 * While the handler runs, uc_sigmask says what the interrupted code believes; the kernel's own
 * word stands in entry_mask. Only what a program wrote there goes to the kernel as it is.
 *
 * Somebody may have read our entry from the kernel and call it as a function, to chain to
 * the handler he takes it for; then there is no frame of the kernel's to return through
 * (called.c).
 *
 * Windows. From the entries to `commit` the arrival has not happened yet: an arrival on top
 * does it in our place and sends us to `commit`. From there to `done` it does the same with the
 * rest. From `return` to `returned` the state is being handed back: an arrival on top takes
 * what the handler left and sends us back to `return`. All is therefore written so that doing
 * it twice is the same as doing it once, from nothing but rbx, r12-r14 and the arrival that lies
 * below the kernel's frame. rsp may be changed between; the arrival is then in the red zone.
 *
 * rbx (uc), r12 (sig), r13 (info), r14 (record) need not be kept for anyone: rt_sigreturn
 * loads them from uc, and unwinders take them from there too. rbp is left alone so that
 * frame-pointer chains stay whole. In the kernel's frame the return address (pretcode) lies
 * right below uc, and uc is a multiple of 16.
 */
#include "../handler_record.h"
#include "function.h"
#include "offsets.h"

	.text
	.p2align 4
	.globl sz_entries
	.hidden sz_entries
	.type sz_entries, @function
sz_entries:
	.cfi_startproc
	record = 0
	.rept SZ_RECORDS
	.p2align 4
	endbr64
	mov	$record, %ecx
	jmp	sz_handler
	record = record + 1
	.endr
	.p2align 4
	.globl sz_guard_entries
	.hidden sz_guard_entries
sz_guard_entries:		/* what they stand for may change (guard.h) */
	record = SZ_GUARD_RECORD
	.rept SZ_GUARDS
	.p2align 4
	endbr64
	mov	$record, %ecx
	jmp	sz_handler
	record = record + 1
	.endr
	.p2align 4
	.size sz_entries, . - sz_entries

	.type sz_handler, @function
sz_handler:
	lea	8(%rsp), %rax
	cmp	%rax, %rdx
	jne	7f
	mov	%rdx, %rbx
	mov	%edi, %r12d
	mov	%rsi, %r13
	mov	%ecx, %r14d
window_mark sz_arrival_restart
	lea	-AR_BELOW_UC(%rbx), %rsp
	.cfi_def_cfa_offset AR_BELOW_UC
	mov	%r12d, %edi
	mov	%rbx, %rsi
	mov	%r14d, %edx
	call	sz_arrival_prepare
window_mark sz_arrival_commit
	mov	sz_thread@gottpoff(%rip), %rcx
	mov	AR_MASK-AR_BELOW_UC(%rbx), %rax
	mov	%rax, %fs:TH_MASK(%rcx)
	mov	AR_KERNEL-AR_BELOW_UC(%rbx), %rax
	mov	%rax, %fs:TH_KERNEL(%rcx)
	mov	AR_KNOWN-AR_BELOW_UC(%rbx), %eax
	mov	%eax, %fs:TH_KNOWN(%rcx)
	mov	AR_PROMOTING-AR_BELOW_UC(%rbx), %rax
	mov	%rax, %fs:TH_PROMOTING(%rcx)
window_mark sz_arrival_done
	lea	-AR_BELOW_UC(%rbx), %rsp
	jmp	sz_handler_run
7:	.cfi_def_cfa_offset 8
	jmp	sz_called_as_function	/* (sig, info, uc, record) */
	.cfi_endproc
	.size sz_handler, . - sz_handler

/*
 * From here on unwinders see us as the kernel's own frame: what a handler finds above it is
 * one frame and then the interrupted code, as without us. Every register is in the ucontext
 * that rbx points to.
 */
.macro in_ucontext column, offset, base	/* DW_CFA_expression: DW_OP_breg + offset */
	.cfi_escape 0x10, \column, 3, \base, (\offset & 0x7f) | 0x80, \offset >> 7
.endm
.macro signal_frame base
	.cfi_signal_frame
	/* DW_CFA_def_cfa_expression: the rsp in the ucontext */
	.cfi_escape 0x0f, 4, \base, (UC_RSP & 0x7f) | 0x80, UC_RSP >> 7, 0x06
	in_ucontext 0, UC_RAX, \base
	in_ucontext 1, UC_RDX, \base
	in_ucontext 2, UC_RCX, \base
	in_ucontext 3, UC_RBX, \base
	in_ucontext 4, UC_RSI, \base
	in_ucontext 5, UC_RDI, \base
	in_ucontext 6, UC_RBP, \base
	in_ucontext 8, UC_R8, \base
	in_ucontext 9, UC_R9, \base
	in_ucontext 10, UC_R10, \base
	in_ucontext 11, UC_R11, \base
	in_ucontext 12, UC_R12, \base
	in_ucontext 13, UC_R13, \base
	in_ucontext 14, UC_R14, \base
	in_ucontext 15, UC_R15, \base
	in_ucontext 16, UC_RIP, \base
.endm
#define BREG_RBX 0x73
#define BREG_RSP 0x77

	.p2align 4
	.type sz_handler_run, @function
	.cfi_startproc
	signal_frame BREG_RBX
	nop			/* looked up one byte before a return address */
sz_handler_run:
	cmpb	$0, sz_checking(%rip)
	jne	5f
1:	cmpb	$0, AR_OURS(%rsp)
	jne	7f
	mov	AR_VIEW(%rsp), %rax
	mov	%rax, UC_SIGMASK(%rbx)
	cmpb	$0, AR_SPECIAL(%rsp)
	jne	8f
2:	mov	%r12d, %edi
	mov	%r13, %rsi
	mov	%rbx, %rdx
	xor	%eax, %eax
	call	*AR_HANDLER(%rsp)
	mov	UC_SIGMASK(%rbx), %rax
	btr	$SIGKILL_BIT, %rax
	btr	$SIGSTOP_BIT, %rax
	mov	%rax, %rdx
	cmpl	$0, sz_remember(%rip)
	je	3f
	mov	AR_VIEW-AR_BELOW_UC(%rbx), %rsi
	mov	AR_ENTRY_MASK-AR_BELOW_UC(%rbx), %rcx
	cmp	%rsi, %rax
	cmove	%rcx, %rdx
	not	%rsi
	and	%rsi, %rcx
	or	%rcx, %rdx
3:	mov	%rax, AR_AFTER-AR_BELOW_UC(%rbx)
	mov	%rdx, AR_KERNEL_AFTER-AR_BELOW_UC(%rbx)
4:	cmpb	$0, sz_checking(%rip)
	jne	6f
window_mark sz_return
	mov	sz_thread@gottpoff(%rip), %rcx
	mov	%fs:TH_MASK(%rcx), %rax
	mov	%rax, AR_LEFT_MASK-AR_BELOW_UC(%rbx)
	mov	%fs:TH_KERNEL(%rcx), %rax
	mov	%rax, AR_LEFT_KERNEL-AR_BELOW_UC(%rbx)
	mov	%fs:TH_KNOWN(%rcx), %eax
	mov	%eax, AR_LEFT_KNOWN-AR_BELOW_UC(%rbx)
window_mark sz_returning
	mov	AR_AFTER-AR_BELOW_UC(%rbx), %rax
	mov	AR_KERNEL_AFTER-AR_BELOW_UC(%rbx), %rdx
	mov	%rdx, UC_SIGMASK(%rbx)
	mov	sz_remember(%rip), %edi
	cmpb	$AR_EXIT_FORGET, AR_EXIT-AR_BELOW_UC(%rbx)
	jb	11f
	je	12f
	cmp	AR_VIEW-AR_BELOW_UC(%rbx), %rax
	jne	12f
	mov	AR_BEFORE_MASK-AR_BELOW_UC(%rbx), %rax
	mov	AR_BEFORE_KERNEL-AR_BELOW_UC(%rbx), %rdx
	mov	AR_BEFORE_KNOWN-AR_BELOW_UC(%rbx), %edi
	jmp	15f
12:	xor	%edi, %edi
	jmp	15f
11:	cmp	%rax, %rdx
	je	15f
	mov	$1, %edi
15:	mov	%rax, %fs:TH_MASK(%rcx)
	mov	%rdx, %fs:TH_KERNEL(%rcx)
	mov	%edi, %fs:TH_KNOWN(%rcx)
	mov	%rbx, %rsp
	mov	$NR_RT_SIGRETURN, %eax
	syscall
window_mark sz_returned
	ud2
5:	call	sz_check_mask
	jmp	1b
6:	call	sz_check_mask
	jmp	sz_return
7:	mov	%r12d, %edi
	mov	%r13, %rsi
	mov	%rbx, %rdx
	call	*AR_HANDLER(%rsp)
	jmp	4b
8:	mov	%rbx, %rdi
	call	sz_arrival_special
	jmp	2b
	.cfi_endproc
	.size sz_handler_run, . - sz_handler_run

/*
 * The restorer, as in libc: unwinders and debuggers know a signal frame by these very
 * instructions, or by the unwind rules, which find every register in the ucontext that
 * rsp points to. The nop is theirs too: they look one byte before a return address.
 */
	.p2align 4
	.cfi_startproc
	signal_frame BREG_RSP
	nop
	.globl sz_restore_rt
	.hidden sz_restore_rt
	.type sz_restore_rt, @function
sz_restore_rt:
	mov	$NR_RT_SIGRETURN, %rax
	syscall
	.cfi_endproc
	.size sz_restore_rt, . - sz_restore_rt

	.section .note.GNU-stack, "", @progbits
