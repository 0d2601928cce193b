// SPDX-License-Identifier: MIT
// libc's own functions behind ours, where the work is left to them. Filled by sz_start.
#pragma once
#include <aio.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <wordexp.h>

struct gaicb;
struct mmsghdr;

#define SZ_REAL_FUNCTIONS(R)                                                                \
	R(int, sigsetjmp, "__sigsetjmp", struct __jmp_buf_tag *, int)                       \
	R(void, siglongjmp, "siglongjmp", struct __jmp_buf_tag *, int)                      \
	R(void, longjmp_chk, "__longjmp_chk", struct __jmp_buf_tag *, int)                  \
	R(int, getcontext, "getcontext", ucontext_t *)                                      \
	R(int, setcontext, "setcontext", const ucontext_t *)                                \
	R(int, swapcontext, "swapcontext", ucontext_t *, const ucontext_t *)                \
	R(void, makecontext, "makecontext", ucontext_t *, void (*)(void), int, ...)         \
	R(void, abort, "abort", void)                                                       \
	R(void, __assert_fail, "__assert_fail", const char *, const char *, unsigned,       \
	  const char *)                                                                     \
	R(pid_t, vfork, "vfork", void)                                                      \
	R(void *, dlopen, "dlopen", const char *, int)                                      \
	R(void *, dlmopen, "dlmopen", long, const char *, int)                              \
	R(long, syscall, "syscall", long, ...)                                              \
	R(int, clone, "clone", int (*)(void *), void *, int, void *, ...)                   \
	R(int, sigsuspend, "sigsuspend", const sigset_t *)                                  \
	R(int, execvpe, "execvpe", const char *, char *const *, char *const *)              \
	R(int, execve, "execve", const char *, char *const *, char *const *)                \
	R(int, fexecve, "fexecve", int, char *const *, char *const *)                       \
	R(int, execveat, "execveat", int, const char *, char *const *, char *const *, int)  \
	R(int, pthread_cancel, "pthread_cancel", pthread_t)                                 \
	R(int, system, "system", const char *)                                              \
	R(FILE *, popen, "popen", const char *, const char *)                               \
	R(int, pthread_create, "pthread_create", pthread_t *, const pthread_attr_t *,       \
	  void *(*)(void *), void *)                                                        \
	R(int, thrd_create, "thrd_create", thrd_t *, thrd_start_t, void *)                  \
	R(int, poll, "poll", struct pollfd *, nfds_t, int)                                  \
	R(int, ppoll, "ppoll", struct pollfd *, nfds_t, const struct timespec *,            \
	  const sigset_t *)                                                                 \
	R(int, __poll_chk, "__poll_chk", struct pollfd *, nfds_t, int, size_t)              \
	R(int, __ppoll_chk, "__ppoll_chk", struct pollfd *, nfds_t, const struct timespec *, \
	  const sigset_t *, size_t)                                                         \
	R(int, select, "select", int, fd_set *, fd_set *, fd_set *, struct timeval *)       \
	R(int, pselect, "pselect", int, fd_set *, fd_set *, fd_set *,                       \
	  const struct timespec *, const sigset_t *)                                        \
	R(int, epoll_wait, "epoll_wait", int, struct epoll_event *, int, int)               \
	R(int, epoll_pwait, "epoll_pwait", int, struct epoll_event *, int, int,             \
	  const sigset_t *)                                                                 \
	R(int, epoll_pwait2, "epoll_pwait2", int, struct epoll_event *, int,                \
	  const struct timespec *, const sigset_t *)                                        \
	R(int, nanosleep, "nanosleep", const struct timespec *, struct timespec *)          \
	R(int, clock_nanosleep, "clock_nanosleep", clockid_t, int, const struct timespec *, \
	  struct timespec *)                                                                \
	R(unsigned, sleep, "sleep", unsigned)                                               \
	R(int, usleep, "usleep", useconds_t)                                                \
	R(int, thrd_sleep, "thrd_sleep", const struct timespec *, struct timespec *)        \
	R(int, pause, "pause", void)                                                        \
	R(int, sigwait, "sigwait", const sigset_t *, int *)                                 \
	R(int, sigwaitinfo, "sigwaitinfo", const sigset_t *, siginfo_t *)                   \
	R(int, sigtimedwait, "sigtimedwait", const sigset_t *, siginfo_t *,                 \
	  const struct timespec *)                                                          \
	R(int, signalfd, "signalfd", int, const sigset_t *, int)                            \
	R(ssize_t, msgrcv, "msgrcv", int, void *, size_t, long, int)                        \
	R(int, msgsnd, "msgsnd", int, const void *, size_t, int)                            \
	R(int, semop, "semop", int, struct sembuf *, size_t)                                \
	R(int, semtimedop, "semtimedop", int, struct sembuf *, size_t,                      \
	  const struct timespec *)                                                          \
	R(int, sem_timedwait, "sem_timedwait", sem_t *, const struct timespec *)            \
	R(int, sem_clockwait, "sem_clockwait", sem_t *, clockid_t, const struct timespec *) \
	R(int, aio_suspend, "aio_suspend", const struct aiocb *const *, int,                \
	  const struct timespec *)                                                          \
	R(int, gai_suspend, "gai_suspend", const struct gaicb *const *, int,                \
	  const struct timespec *)                                                          \
	R(int, wordexp, "wordexp", const char *, wordexp_t *, int)                          \
	R(ssize_t, read, "read", int, void *, size_t)                                       \
	R(ssize_t, __read_chk, "__read_chk", int, void *, size_t, size_t)                   \
	R(ssize_t, readv, "readv", int, const struct iovec *, int)                          \
	R(ssize_t, pread, "pread", int, void *, size_t, off_t)                              \
	R(ssize_t, __pread_chk, "__pread_chk", int, void *, size_t, off_t, size_t)          \
	R(ssize_t, preadv, "preadv", int, const struct iovec *, int, off_t)                 \
	R(ssize_t, preadv2, "preadv2", int, const struct iovec *, int, off_t, int)          \
	R(ssize_t, pwrite, "pwrite", int, const void *, size_t, off_t)                      \
	R(ssize_t, pwritev, "pwritev", int, const struct iovec *, int, off_t)               \
	R(ssize_t, getrandom, "getrandom", void *, size_t, unsigned)                        \
	R(ssize_t, write, "write", int, const void *, size_t)                               \
	R(ssize_t, writev, "writev", int, const struct iovec *, int)                        \
	R(ssize_t, pwritev2, "pwritev2", int, const struct iovec *, int, off_t, int)        \
	R(ssize_t, recv, "recv", int, void *, size_t, int)                                  \
	R(ssize_t, __recv_chk, "__recv_chk", int, void *, size_t, size_t, int)              \
	R(ssize_t, recvfrom, "recvfrom", int, void *, size_t, int, struct sockaddr *,       \
	  socklen_t *)                                                                      \
	R(ssize_t, __recvfrom_chk, "__recvfrom_chk", int, void *, size_t, size_t, int,      \
	  struct sockaddr *, socklen_t *)                                                   \
	R(ssize_t, recvmsg, "recvmsg", int, struct msghdr *, int)                           \
	R(int, recvmmsg, "recvmmsg", int, struct mmsghdr *, unsigned, int,                  \
	  struct timespec *)                                                                \
	R(ssize_t, send, "send", int, const void *, size_t, int)                            \
	R(ssize_t, sendto, "sendto", int, const void *, size_t, int,                        \
	  const struct sockaddr *, socklen_t)                                               \
	R(ssize_t, sendmsg, "sendmsg", int, const struct msghdr *, int)                     \
	R(int, sendmmsg, "sendmmsg", int, struct mmsghdr *, unsigned, int)                  \
	R(ssize_t, sendfile, "sendfile", int, int, off_t *, size_t)                         \
	R(ssize_t, splice, "splice", int, off_t *, int, off_t *, size_t, unsigned)      \
	R(ssize_t, tee, "tee", int, int, size_t, unsigned)                                  \
	R(ssize_t, vmsplice, "vmsplice", int, const struct iovec *, size_t, unsigned)       \
	R(ssize_t, copy_file_range, "copy_file_range", int, off_t *, int, off_t *,      \
	  size_t, unsigned)                                                                 \
	R(int, fallocate, "fallocate", int, int, off_t, off_t)                              \
	R(int, posix_fallocate, "posix_fallocate", int, off_t, off_t)                       \
	R(int, unshare, "unshare", int)                                                     \
	R(int, fcntl, "fcntl", int, int, ...)                                               \
	R(int, timer_create, "timer_create", clockid_t, struct sigevent *, timer_t *)       \
	R(int, setsockopt, "setsockopt", int, int, int, const void *, socklen_t)            \
	R(int, prctl, "prctl", int, ...)                                                    \
	R(int, pthread_sigqueue, "pthread_sigqueue", pthread_t, int, union sigval)

// Those of which libc has more than one version.
#define SZ_SPAWN_ARGUMENTS                                                                  \
	pid_t *, const char *, const posix_spawn_file_actions_t *,                          \
		const posix_spawnattr_t *, char *const *, char *const *
#define SZ_REAL_VERSIONS(R)                                                                 \
	R(int, spawn, "posix_spawn", "GLIBC_2.15", SZ_SPAWN_ARGUMENTS)                      \
	R(int, spawnp, "posix_spawnp", "GLIBC_2.15", SZ_SPAWN_ARGUMENTS)                    \
	R(int, spawn_old, "posix_spawn", "GLIBC_2.2.5", SZ_SPAWN_ARGUMENTS)                 \
	R(int, spawnp_old, "posix_spawnp", "GLIBC_2.2.5", SZ_SPAWN_ARGUMENTS)

#define R(result, name, symbol, ...)                                                        \
	extern result (*sz_real_##name)(__VA_ARGS__) __attribute__((visibility("hidden")));
SZ_REAL_FUNCTIONS(R)
#undef R
#define R(result, name, symbol, version, ...)                                               \
	extern result (*sz_real_##name)(__VA_ARGS__) __attribute__((visibility("hidden")));
SZ_REAL_VERSIONS(R)
#undef R

void sz_real_find(void);
