// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "offsets.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ucontext.h>

#include "../arrival.h"
#include "../handler_record.h"
#include "../kernel.h"
#include "../mask.h"
#include "../section_kernel.h"
#include "sigzero.h"
#include "../thread_state.h"

#define AT(type, member, value) \
	_Static_assert(offsetof(type, member) == (value), #type "." #member)

AT(struct sz_thread, mask, TH_MASK);
AT(struct sz_thread, known, TH_KNOWN);
_Static_assert(offsetof(struct sz_thread, forgetful) == TH_KNOWN + 4 && TH_KNOWN % 8 == 0,
               "read as one word");
AT(struct sz_thread, kernel, TH_KERNEL);
AT(struct sz_thread, vfork_child, TH_VFORK_CHILD);
AT(struct sz_thread, held, TH_HELD);
AT(struct sz_thread, promoting, TH_PROMOTING);
AT(struct sz_thread, changed_by, TH_CHANGED_BY);
AT(struct sz_thread, changes, TH_CHANGES);
AT(struct sz_thread, held_since, TH_HELD_SINCE);

AT(struct sz_arrival, handler, AR_HANDLER);
AT(struct sz_arrival, mask, AR_MASK);
AT(struct sz_arrival, kernel, AR_KERNEL);
AT(struct sz_arrival, entry_mask, AR_ENTRY_MASK);
AT(struct sz_arrival, view, AR_VIEW);
AT(struct sz_arrival, after, AR_AFTER);
AT(struct sz_arrival, kernel_after, AR_KERNEL_AFTER);
AT(struct sz_arrival, before_mask, AR_BEFORE_MASK);
AT(struct sz_arrival, before_kernel, AR_BEFORE_KERNEL);
AT(struct sz_arrival, left_mask, AR_LEFT_MASK);
AT(struct sz_arrival, left_kernel, AR_LEFT_KERNEL);
AT(struct sz_arrival, promoting, AR_PROMOTING);
AT(struct sz_arrival, before_known, AR_BEFORE_KNOWN);
AT(struct sz_arrival, left_known, AR_LEFT_KNOWN);
AT(struct sz_arrival, known, AR_KNOWN);
AT(struct sz_arrival, exit, AR_EXIT);
AT(struct sz_arrival, ours, AR_OURS);
AT(struct sz_arrival, special, AR_SPECIAL);
AT(struct sz_handler_record, handler, HR_HANDLER);
_Static_assert(sizeof(struct sz_handler_record) == 1 << HR_SHIFT, "record");
_Static_assert(sizeof(struct sz_arrival) <= AR_SIZE, "the arrival fits its frame");
_Static_assert(SZ_ARRIVAL_BELOW_UC == AR_BELOW_UC, "where it lies");
_Static_assert(AR_SIZE + 8 <= AR_BELOW_UC && AR_BELOW_UC % 16 == 0, "aligned for a call");
_Static_assert(AR_BELOW_UC <= 128, "within the red zone once rsp stands at the ucontext");
_Static_assert(SZ_EXIT_TRUST == AR_EXIT_TRUST && SZ_EXIT_FORGET == AR_EXIT_FORGET &&
               SZ_EXIT_FOREIGN == AR_EXIT_FOREIGN, "exits");

AT(struct __jmp_buf_tag, __mask_was_saved, JB_MASK_WAS_SAVED);
AT(struct __jmp_buf_tag, __saved_mask, JB_SAVED_MASK);
_Static_assert(sizeof(__jmp_buf) == JB_MASK_WAS_SAVED, "eight registers");

#define GREG(reg, value)                                                                    \
	_Static_assert(offsetof(ucontext_t, uc_mcontext.gregs) + 8 * (reg) == (value), #reg)
GREG(REG_R8, UC_R8);
GREG(REG_R9, UC_R9);
GREG(REG_R10, UC_R10);
GREG(REG_R11, UC_R11);
GREG(REG_R12, UC_R12);
GREG(REG_R13, UC_R13);
GREG(REG_R14, UC_R14);
GREG(REG_R15, UC_R15);
GREG(REG_RDI, UC_RDI);
GREG(REG_RSI, UC_RSI);
GREG(REG_RBP, UC_RBP);
GREG(REG_RBX, UC_RBX);
GREG(REG_RDX, UC_RDX);
GREG(REG_RAX, UC_RAX);
GREG(REG_RCX, UC_RCX);
GREG(REG_RSP, UC_RSP);
GREG(REG_RIP, UC_RIP);
AT(ucontext_t, uc_mcontext.fpregs, UC_FPREGS);
AT(ucontext_t, uc_sigmask, UC_SIGMASK);
AT(ucontext_t, __fpregs_mem, UC_FPMEM);
AT(ucontext_t, __fpregs_mem.mxcsr, UC_MXCSR);

_Static_assert(SZ_UNBLOCKABLE == ((1ul << SIGKILL_BIT) | (1ul << SIGSTOP_BIT)), "unblockable");
_Static_assert(SZ_LIBC_INTERNAL == ((1ul << LIBC_CANCEL_BIT) | (1ul << LIBC_SETXID_BIT)),
               "libc's own");
_Static_assert(SYS_rt_sigprocmask == NR_RT_SIGPROCMASK && SYS_rt_sigreturn == NR_RT_SIGRETURN &&
               SYS_vfork == NR_VFORK, "system call numbers");
_Static_assert(RTLD_DEEPBIND == MODE_DEEPBIND, "mode of dlopen");
_Static_assert(SIG_BLOCK == HOW_SIG_BLOCK && SIG_UNBLOCK == HOW_SIG_UNBLOCK &&
               SIG_SETMASK == HOW_SIG_SETMASK, "how");
_Static_assert(SZ_MASK_HELD == MASK_HELD, "held");
_Static_assert(SZ_GIVEN_OWN == GIVEN_OWN && SIGFASTBLOCK_PEND == WORD_PEND, "section words");
