// SPDX-License-Identifier: MIT
// Calls that wait and are never restarted after a handler ran (signal(7)): a signal that is only
// blocked lazily would end them. So before them everything is blocked for real. The functions
// are cancellation points and async-signal-safe, or not, as libc's are.
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS // both names are defined here
#include "mask.h"
#include "real.h"
#include "visibility.h"

#define WAITS(result, name, parameters, arguments)                                          \
	SZ_INTERPOSE result name parameters                                                 \
	{                                                                                   \
		sz_ensure_started();                                                        \
		sz_flush();                                                                 \
		return sz_real_##name arguments;                                            \
	}

WAITS(int, poll, (struct pollfd *fds, nfds_t n, int timeout), (fds, n, timeout))
WAITS(int, ppoll, (struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                   const sigset_t *mask), (fds, n, timeout, mask))
WAITS(int, __poll_chk, (struct pollfd *fds, nfds_t n, int timeout, size_t size),
      (fds, n, timeout, size))
WAITS(int, __ppoll_chk, (struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                         const sigset_t *mask, size_t size), (fds, n, timeout, mask, size))
WAITS(int, select, (int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict except,
                    struct timeval *restrict timeout), (n, in, out, except, timeout))
WAITS(int, pselect, (int n, fd_set *restrict in, fd_set *restrict out,
                     fd_set *restrict except, const struct timespec *restrict timeout,
                     const sigset_t *restrict mask), (n, in, out, except, timeout, mask))
WAITS(int, epoll_wait, (int fd, struct epoll_event *events, int n, int timeout),
      (fd, events, n, timeout))
WAITS(int, epoll_pwait, (int fd, struct epoll_event *events, int n, int timeout,
                         const sigset_t *mask), (fd, events, n, timeout, mask))
WAITS(int, epoll_pwait2, (int fd, struct epoll_event *events, int n,
                          const struct timespec *timeout, const sigset_t *mask),
      (fd, events, n, timeout, mask))
WAITS(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left))
WAITS(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *time,
                             struct timespec *left), (clock, flags, time, left))
WAITS(unsigned, sleep, (unsigned seconds), (seconds))
WAITS(int, usleep, (useconds_t microseconds), (microseconds))
WAITS(int, thrd_sleep, (const struct timespec *time, struct timespec *left), (time, left))
WAITS(int, pause, (void), ())
WAITS(ssize_t, msgrcv, (int id, void *message, size_t size, long type, int flags),
      (id, message, size, type, flags))
WAITS(int, msgsnd, (int id, const void *message, size_t size, int flags),
      (id, message, size, flags))
WAITS(int, semop, (int id, struct sembuf *operations, size_t n), (id, operations, n))
WAITS(int, semtimedop, (int id, struct sembuf *operations, size_t n,
                        const struct timespec *timeout), (id, operations, n, timeout))
WAITS(int, sem_timedwait, (sem_t *restrict sem, const struct timespec *restrict until),
      (sem, until))
WAITS(int, sem_clockwait, (sem_t *restrict sem, clockid_t clock,
                           const struct timespec *restrict until), (sem, clock, until))
WAITS(int, aio_suspend, (const struct aiocb *const list[], int n, const struct timespec *timeout),
      (list, n, timeout))
WAITS(int, gai_suspend, (const struct gaicb *const list[], int n, const struct timespec *timeout),
      (list, n, timeout))

int aio_suspend64(const struct aiocb64 *const[], int, const struct timespec *)
	__attribute__((visibility("default"), alias("aio_suspend")));
int __poll(struct pollfd *, nfds_t, int) SZ_ALIAS(poll);
int __select(int, fd_set *restrict, fd_set *restrict, fd_set *restrict, struct timeval *restrict)
	SZ_ALIAS(select);
int __nanosleep(const struct timespec *, struct timespec *) SZ_ALIAS(nanosleep);

// Who waits for a signal sees where it is kept.
#define WAITS_FOR(result, name, parameters, arguments)                                      \
	SZ_INTERPOSE result name parameters                                                 \
	{                                                                                   \
		sz_ensure_started();                                                        \
		sz_lazy_looked_for(*(const sz_set *)set);                                   \
		sz_flush();                                                                 \
		return sz_real_##name arguments;                                            \
	}

WAITS_FOR(int, sigwait, (const sigset_t *restrict set, int *restrict sig), (set, sig))
WAITS_FOR(int, sigwaitinfo, (const sigset_t *restrict set, siginfo_t *restrict info), (set, info))
WAITS_FOR(int, sigtimedwait, (const sigset_t *restrict set, siginfo_t *restrict info,
                          const struct timespec *restrict timeout), (set, info, timeout))
WAITS_FOR(int, signalfd, (int fd, const sigset_t *set, int flags), (fd, set, flags))
