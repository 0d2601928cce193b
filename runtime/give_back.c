// SPDX-License-Identifier: MIT
// EINTR given back. For a handler without SA_RESTART the kernel was told to restart calls, so
// that an arrival that is only held back does not show. Where the handler really runs, a call
// that was interrupted must end with EINTR: then the kernel has set the interrupted code to make
// the call again, and we let it see the end of it instead. signal(7), "Interruption of system
// calls".
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "arrival.h"
#include "kernel.h"

// Does a call on this descriptor ever wait? Not on a file or a directory.
static bool waits(int fd)
{
	struct stat status;

	if (sz_syscall4(SYS_fstat, fd, (long)&status, 0, 0) < 0)
		return false;
	return !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static bool futex_waits(int operation)
{
	operation &= FUTEX_CMD_MASK;
	return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
}

// The calls that signal(7) lists as restarted.
static bool ends_with_eintr(const greg_t *regs)
{
	switch (regs[REG_RAX]) {
	case SYS_read:
	case SYS_readv:
	case SYS_write:
	case SYS_writev:
	case SYS_preadv:
	case SYS_pwritev:
	case SYS_preadv2:
	case SYS_pwritev2:
	case SYS_ioctl:
	case SYS_sendfile:
	case SYS_tee:
	case SYS_vmsplice:
		return waits((int)regs[REG_RDI]);
	case SYS_splice:
		return waits((int)regs[REG_RDI]) || waits((int)regs[REG_RDX]);
	case SYS_open:
	case SYS_creat:
	case SYS_openat:
	case SYS_openat2:
	case SYS_wait4:
	case SYS_waitid:
	case SYS_accept:
	case SYS_accept4:
	case SYS_connect:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_flock:
	case SYS_mq_timedreceive:
	case SYS_mq_timedsend:
	case SYS_getrandom:
	case SYS_futex_waitv:
		return true;
	case SYS_fcntl:
		return regs[REG_RSI] == F_SETLKW || regs[REG_RSI] == F_OFD_SETLKW;
	case SYS_futex:
		return futex_waits((int)regs[REG_RSI]);
	default:
		return false;
	}
}

// The system call instruction leaves its return address in rcx and the flags in r11: so these
// tell a call that was made from one that is about to be.
static bool was_made(const greg_t *regs)
{
	const uint64_t flags = 0xcd5; // carry … overflow, direction; not trap and resume

	return regs[REG_RCX] == regs[REG_RIP] + 2 &&
	       !((regs[REG_R11] ^ regs[REG_EFL]) & (greg_t)flags);
}

void sz_give_back(void *uc)
{
	greg_t *regs = ((ucontext_t *)uc)->uc_mcontext.gregs;

	if (!was_made(regs) || *(const uint16_t *)regs[REG_RIP] != SZ_SYSCALL_INSTRUCTION ||
	    !ends_with_eintr(regs))
		return;
	regs[REG_RAX] = -EINTR;
	regs[REG_RIP] += 2;
}
