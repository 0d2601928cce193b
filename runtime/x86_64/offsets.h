/* SPDX-License-Identifier: MIT */
/* Offsets and constants for the assembly. Each is asserted in offsets.c against the C
 * declaration: change both or it does not compile. */
#pragma once

/* struct sz_thread */
#define TH_MASK 0
#define TH_KNOWN 8
#define TH_KERNEL 16
#define TH_VFORK_CHILD 24
#define TH_HELD 28
#define TH_PROMOTING 32
#define TH_CHANGED_BY 40
#define TH_CHANGES 48
#define TH_HELD_SINCE 56

/* struct sz_arrival, and where it lies below the kernel's ucontext */
#define AR_HANDLER 0
#define AR_MASK 8
#define AR_KERNEL 16
#define AR_ENTRY_MASK 24
#define AR_VIEW 32
#define AR_AFTER 40
#define AR_KERNEL_AFTER 48
#define AR_BEFORE_MASK 56
#define AR_BEFORE_KERNEL 64
#define AR_LEFT_MASK 72
#define AR_LEFT_KERNEL 80
#define AR_PROMOTING 88
#define AR_BEFORE_KNOWN 104
#define AR_LEFT_KNOWN 108
#define AR_KNOWN 112
#define AR_EXIT 116
#define AR_OURS 117
#define AR_SPECIAL 118
#define AR_SIZE 120
#define AR_BELOW_UC 128

#define AR_EXIT_TRUST 0
#define AR_EXIT_FORGET 1
#define AR_EXIT_FOREIGN 2

/* struct sz_handler_record */
#define HR_HANDLER 8
#define HR_SHIFT 5

/* struct __jmp_buf_tag of glibc */
#define JB_RBX 0
#define JB_RBP 8
#define JB_R12 16
#define JB_R13 24
#define JB_R14 32
#define JB_R15 40
#define JB_RSP 48
#define JB_RIP 56
#define JB_MASK_WAS_SAVED 64
#define JB_SAVED_MASK 72

/* ucontext_t */
#define UC_R8 0x28
#define UC_R9 0x30
#define UC_R10 0x38
#define UC_R11 0x40
#define UC_R12 0x48
#define UC_R13 0x50
#define UC_R14 0x58
#define UC_R15 0x60
#define UC_RDI 0x68
#define UC_RSI 0x70
#define UC_RBP 0x78
#define UC_RBX 0x80
#define UC_RDX 0x88
#define UC_RAX 0x90
#define UC_RCX 0x98
#define UC_RSP 0xa0
#define UC_RIP 0xa8
#define UC_FPREGS 0xe0
#define UC_SIGMASK 0x128
#define UC_FPMEM 0x1a8
#define UC_MXCSR 0x1c0

/* The x87 environment of fnstenv inside __fpregs_mem */
#define ENV_CONTROL 0
#define ENV_STATUS 4
#define ENV_TAG 8
#define ENV_IP 12
#define ENV_DATA 20
#define X87_EXCEPTION_FLAGS 0x3f

/* RTLD_DEEPBIND of dlopen(3) */
#define MODE_DEEPBIND 8

/* Bits of SIGKILL and SIGSTOP, which the kernel drops from every mask it is given */
#define SIGKILL_BIT 8
#define SIGSTOP_BIT 18

/* glibc's own two signals, SIGCANCEL and SIGSETXID */
#define LIBC_CANCEL_BIT 31
#define LIBC_SETXID_BIT 32

#define NR_RT_SIGPROCMASK 14
#define NR_RT_SIGRETURN 15
#define NR_VFORK 58

/* What sz_mask_call says inside a critical section that holds a signal */
#define MASK_HELD 2

/* That the kernel was given this thread's word (section_kernel.h), and its flag */
#define GIVEN_OWN 1
#define WORD_PEND 0x1

#define HOW_SIG_BLOCK 0
#define HOW_SIG_UNBLOCK 1
#define HOW_SIG_SETMASK 2

/* glibc's thread control block: the pointer guard, and the shadow-stack feature word */
#define TCB_POINTER_GUARD 0x30
#define TCB_FEATURE_1 0x48
