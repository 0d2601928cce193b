// SPDX-License-Identifier: MIT
// The kernel's side of signals on 64-bit Linux: raw system calls and the layouts they use.
//
// Everything here is async-signal-safe, leaves errno alone and returns -errno, so that it
// can be used between any two instructions of the program. Source: rt_sigprocmask(2),
// rt_sigaction(2) and linux/signal.h.
#pragma once
#include <stdint.h>
#include <sys/syscall.h>

// A kernel signal set: one word. libc's sigset_t is 128 bytes, of which the kernel
// reads and writes only the first 8.
typedef uint64_t sz_set;

#define SZ_SIGNALS 64
#define SZ_BIT(sig) ((sz_set)1 << ((sig) - 1))
#define SZ_UNBLOCKABLE (SZ_BIT(9) | SZ_BIT(19))          // SIGKILL, SIGSTOP
#define SZ_LIBC_INTERNAL (SZ_BIT(32) | SZ_BIT(33))       // glibc's SIGCANCEL, SIGSETXID

// Raised by an instruction, if the kernel says so.
#define SZ_FAULTS (SZ_BIT(4) | SZ_BIT(5) | SZ_BIT(7) | SZ_BIT(8) | SZ_BIT(11) | SZ_BIT(31))

#define SZ_STOPS (SZ_BIT(20) | SZ_BIT(21) | SZ_BIT(22)) // SIGTSTP, SIGTTIN, SIGTTOU

#define SZ_SA_RESTORER 0x04000000u

struct sz_kernel_action {
	uintptr_t handler;
	uint64_t flags;
	uintptr_t restorer;
	sz_set mask;
};

static inline long sz_syscall4(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;
	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
	                 : "rcx", "r11", "memory");
	return result;
}

static inline long sz_syscall6(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;
	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
	                 : "rcx", "r11", "memory");
	return result;
}

// Behind the back of what thread_state.h remembers.
static inline long sz_kernel_change_mask(int how, const sz_set *set, sz_set *old)
{
	return sz_syscall4(SYS_rt_sigprocmask, how, (long)set, (long)old, sizeof(sz_set));
}

static inline long sz_kernel_mask(sz_set *mask)
{
	return sz_kernel_change_mask(0, 0, mask);
}

static inline long sz_kernel_sigaction(int sig, const struct sz_kernel_action *act,
                                       struct sz_kernel_action *old)
{
	return sz_syscall4(SYS_rt_sigaction, sig, (long)act, (long)old, sizeof(sz_set));
}
