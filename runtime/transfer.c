// SPDX-License-Identifier: MIT
// Calls that move data and may stop halfway: once something was moved, a signal ends them with
// what there is, and no SA_RESTART makes them go on. So before them everything is blocked for
// real. A read waits for more than it has only from a terminal (VMIN, termios(3)) and from devices
// that make data, the others return what is there; moving one byte cannot stop halfway. Functions
// of stdio call the kernel inside libc, and go on by themselves. Cancellation points and
// async-signal-safe as libc's are.
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS // both names are defined here
#include <sys/stat.h>

#include "mask.h"
#include "real.h"
#include "visibility.h"

#define MOVES(result, name, parameters, arguments, halfway)                                 \
	SZ_INTERPOSE result name parameters                                                 \
	{                                                                                   \
		sz_ensure_started();                                                        \
		if (__builtin_expect(sz_is_lazy(), 0) && (halfway))                         \
			sz_flush();                                                         \
		return sz_real_##name arguments;                                            \
	}

static bool is_device(int fd)
{
	struct stat status;

	return sz_syscall4(SYS_fstat, fd, (long)&status, 0, 0) == 0 && S_ISCHR(status.st_mode);
}

MOVES(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size), size > 1 && is_device(fd))
MOVES(ssize_t, __read_chk, (int fd, void *to, size_t size, size_t room), (fd, to, size, room),
      size > 1 && is_device(fd))
MOVES(ssize_t, readv, (int fd, const struct iovec *to, int n), (fd, to, n), is_device(fd))
MOVES(ssize_t, pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at),
      size > 1 && is_device(fd))
MOVES(ssize_t, __pread_chk, (int fd, void *to, size_t size, off_t at, size_t room),
      (fd, to, size, at, room), size > 1 && is_device(fd))
MOVES(ssize_t, preadv, (int fd, const struct iovec *to, int n, off_t at), (fd, to, n, at),
      is_device(fd))
MOVES(ssize_t, preadv2, (int fd, const struct iovec *to, int n, off_t at, int flags),
      (fd, to, n, at, flags), is_device(fd))
MOVES(ssize_t, getrandom, (void *to, size_t size, unsigned flags), (to, size, flags), size > 1)
MOVES(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size), size > 1)
MOVES(ssize_t, writev, (int fd, const struct iovec *from, int n), (fd, from, n), true)
MOVES(ssize_t, pwritev2, (int fd, const struct iovec *from, int n, off_t at, int flags),
      (fd, from, n, at, flags), at == -1 || is_device(fd))
MOVES(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at),
      size > 1 && is_device(fd))
MOVES(ssize_t, pwritev, (int fd, const struct iovec *from, int n, off_t at), (fd, from, n, at),
      is_device(fd))
ssize_t __read(int, void *, size_t) SZ_ALIAS(read);
ssize_t pread64(int, void *, size_t, off64_t) SZ_ALIAS(pread);
ssize_t __pread64(int, void *, size_t, off64_t) SZ_ALIAS(pread);
ssize_t __pread64_chk(int, void *, size_t, off64_t, size_t) SZ_ALIAS(__pread_chk);
ssize_t preadv64(int, const struct iovec *, int, off64_t) SZ_ALIAS(preadv);
ssize_t preadv64v2(int, const struct iovec *, int, off64_t, int) SZ_ALIAS(preadv2);
ssize_t pwrite64(int, const void *, size_t, off64_t) SZ_ALIAS(pwrite);
ssize_t __pwrite64(int, const void *, size_t, off64_t) SZ_ALIAS(pwrite);
ssize_t pwritev64(int, const struct iovec *, int, off64_t) SZ_ALIAS(pwritev);
ssize_t __write(int, const void *, size_t) SZ_ALIAS(write);
ssize_t pwritev64v2(int, const struct iovec *, int, off64_t, int) SZ_ALIAS(pwritev2);

MOVES(ssize_t, recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags),
      flags & MSG_WAITALL)
MOVES(ssize_t, __recv_chk, (int fd, void *to, size_t size, size_t room, int flags),
      (fd, to, size, room, flags), flags & MSG_WAITALL)
MOVES(ssize_t, recvfrom, (int fd, void *restrict to, size_t size, int flags,
                          struct sockaddr *restrict from, socklen_t *restrict from_size),
      (fd, to, size, flags, from, from_size), flags & MSG_WAITALL)
MOVES(ssize_t, __recvfrom_chk, (int fd, void *restrict to, size_t size, size_t room, int flags,
                                struct sockaddr *restrict from, socklen_t *restrict from_size),
      (fd, to, size, room, flags, from, from_size), flags & MSG_WAITALL)
MOVES(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags),
      flags & MSG_WAITALL)
MOVES(int, recvmmsg, (int fd, struct mmsghdr *messages, unsigned n, int flags,
                      struct timespec *timeout), (fd, messages, n, flags, timeout), true)
MOVES(ssize_t, send, (int fd, const void *from, size_t size, int flags), (fd, from, size, flags),
      size > 1)
MOVES(ssize_t, sendto, (int fd, const void *from, size_t size, int flags,
                        const struct sockaddr *to, socklen_t to_size),
      (fd, from, size, flags, to, to_size), size > 1)
MOVES(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags),
      true)
MOVES(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned n, int flags),
      (fd, messages, n, flags), true)
ssize_t __send(int, const void *, size_t, int) SZ_ALIAS(send);
int __sendmmsg(int, struct mmsghdr *, unsigned, int) SZ_ALIAS(sendmmsg);

MOVES(ssize_t, sendfile, (int to, int from, off_t *at, size_t size), (to, from, at, size), true)
MOVES(ssize_t, splice, (int from, off_t *from_at, int to, off_t *to_at, size_t size,
                        unsigned flags), (from, from_at, to, to_at, size, flags), true)
MOVES(ssize_t, tee, (int from, int to, size_t size, unsigned flags), (from, to, size, flags), true)
MOVES(ssize_t, vmsplice, (int fd, const struct iovec *parts, size_t n, unsigned flags),
      (fd, parts, n, flags), true)
MOVES(ssize_t, copy_file_range, (int from, off_t *from_at, int to, off_t *to_at, size_t size,
                                 unsigned flags), (from, from_at, to, to_at, size, flags), true)
ssize_t sendfile64(int, int, off64_t *, size_t) SZ_ALIAS(sendfile);

// On a file system in memory these end with EINTR, and nothing restarts them.
MOVES(int, fallocate, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size), true)
MOVES(int, posix_fallocate, (int fd, off_t at, off_t size), (fd, at, size), true)
int fallocate64(int, int, off64_t, off64_t) SZ_ALIAS(fallocate);
int posix_fallocate64(int, off64_t, off64_t) SZ_ALIAS(posix_fallocate);
