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
#include <poll.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "arrival.h"
#include "kernel.h"

// A loop that makes the same call again and again stands at its instruction with the registers of
// the last time. So a call that would not wait is left alone: made again, it returns at once,
// which is right if the signal did come inside, too.
//
// What lies in a socket's error queue makes poll answer, but no call return; and with an error of
// its own the call had returned.
static bool is_ready(int fd, mode_t type, short events)
{
	struct pollfd look = {.fd = fd, .events = events};

	if (sz_syscall4(SYS_poll, (long)&look, 1, 0, 0) == 0)
		return false;
	return look.revents != POLLERR || !S_ISSOCK(type);
}

// Does a call on this descriptor ever wait? Not on a file or a directory.
static bool waits(int fd, mode_t *type)
{
	struct stat status;

	if (sz_syscall4(SYS_fstat, fd, (long)&status, 0, 0) < 0)
		return false;
	*type = status.st_mode;
	return !S_ISREG(*type) && !S_ISDIR(*type);
}

// A terminal answers a process in the background with a signal, each time the call is made.
static bool is_refused(int fd)
{
	int group;

	return sz_syscall4(SYS_ioctl, fd, TIOCGPGRP, (long)&group, 0) == 0 &&
	       group != sz_syscall4(SYS_getpgrp, 0, 0, 0, 0);
}

static bool waits_for(int fd, short events)
{
	mode_t type;

	return waits(fd, &type) && (!is_ready(fd, type, events) || is_refused(fd));
}

// Of a socket that carries messages poll does not say whether there is room at the other end.
static bool carries_messages(int fd)
{
	int type = SOCK_STREAM;
	socklen_t size = sizeof type;

	sz_syscall6(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, (long)&type, (long)&size, 0);
	return type != SOCK_STREAM;
}

static bool waits_for_room(int fd)
{
	mode_t type;

	if (!waits(fd, &type))
		return false;
	return (S_ISSOCK(type) && carries_messages(fd)) || !is_ready(fd, type, POLLOUT) ||
	       is_refused(fd);
}

static bool ever_waits(int fd)
{
	mode_t type;

	return waits(fd, &type);
}

static bool futex_waits(const greg_t *regs)
{
	int operation = (int)regs[REG_RSI] & FUTEX_CMD_MASK;

	if (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET)
		return false;
	return __atomic_load_n((const uint32_t *)regs[REG_RDI], __ATOMIC_RELAXED) ==
	       (uint32_t)regs[REG_RDX];
}

static bool waits_for_child(int type, long id, long options)
{
	siginfo_t child = {.si_pid = 0};

	if (options & WNOHANG)
		return false;
	return sz_syscall6(SYS_waitid, type, id, (long)&child, options | WNOHANG | WNOWAIT, 0, 0) ==
	               0 &&
	       child.si_pid == 0;
}

static bool wait4_waits(const greg_t *regs)
{
	int pid = (int)regs[REG_RDI];
	int type = pid > 0 ? P_PID : pid == -1 ? P_ALL : P_PGID;

	return waits_for_child(type, pid < -1 ? -pid : pid, regs[REG_RDX] | WEXITED);
}

// The calls that signal(7) lists as restarted.
static bool ends_with_eintr(const greg_t *regs)
{
	int fd = (int)regs[REG_RDI];

	switch (regs[REG_RAX]) {
	case SYS_read:
	case SYS_readv:
	case SYS_preadv:
	case SYS_preadv2:
	case SYS_accept:
	case SYS_accept4:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
		return waits_for(fd, POLLIN);
	case SYS_write:
	case SYS_writev:
	case SYS_pwritev:
	case SYS_pwritev2:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
		return waits_for_room(fd);
	case SYS_ioctl:
	case SYS_sendfile:
	case SYS_tee:
	case SYS_vmsplice:
		return ever_waits(fd);
	case SYS_splice:
		return ever_waits(fd) || ever_waits((int)regs[REG_RDX]);
	case SYS_wait4:
		return wait4_waits(regs);
	case SYS_waitid:
		return waits_for_child(fd, regs[REG_RSI], regs[REG_R10]);
	case SYS_open:
	case SYS_creat:
	case SYS_openat:
	case SYS_openat2:
	case SYS_connect:
	case SYS_mq_timedreceive:
	case SYS_mq_timedsend:
	case SYS_getrandom:
	case SYS_futex_waitv:
		return true;
	case SYS_flock:
		return !(regs[REG_RSI] & (LOCK_UN | LOCK_NB));
	case SYS_fcntl:
		return regs[REG_RSI] == F_SETLKW || regs[REG_RSI] == F_OFD_SETLKW;
	case SYS_futex:
		return futex_waits(regs);
	default:
		return false;
	}
}

// The system call instruction leaves its return address in rcx and the flags in r11: so these
// nearly always tell a call that was made from one that is about to be.
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
