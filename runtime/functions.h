// SPDX-License-Identifier: MIT
// The functions that are counted, by the name a user knows them by. The numbers go into the
// counter file, the names too, so that its reader needs no list of its own.
#pragma once

#define SZ_FUNCTIONS(F)                                                              \
	F(SIGPROCMASK, "sigprocmask")                                                \
	F(PTHREAD_SIGMASK, "pthread_sigmask")                                        \
	F(SIGBLOCK, "sigblock")                                                      \
	F(SIGSETMASK, "sigsetmask")                                                  \
	F(SIGGETMASK, "siggetmask")                                                  \
	F(SIGHOLD, "sighold")                                                        \
	F(SIGRELSE, "sigrelse")                                                      \
	F(SIGSET, "sigset")                                                          \
	F(SIGIGNORE, "sigignore")                                                    \
	F(SIGPAUSE, "sigpause")                                                      \
	F(SIGSUSPEND, "sigsuspend")                                                  \
	F(SIGACTION, "sigaction")                                                    \
	F(SIGNAL, "signal")                                                          \
	F(SYSV_SIGNAL, "sysv_signal")                                                \
	F(SIGINTERRUPT, "siginterrupt")                                              \
	F(SIGVEC, "sigvec")                                                          \
	F(SIGSETJMP, "sigsetjmp")                                                    \
	F(SIGLONGJMP, "siglongjmp")                                                  \
	F(GETCONTEXT, "getcontext")                                                  \
	F(SETCONTEXT, "setcontext")                                                  \
	F(SWAPCONTEXT, "swapcontext")                                                \
	F(UC_LINK, "uc_link")                                                        \
	F(SYSCALL, "syscall")                                                        \
	F(SIGALTSTACK, "sigaltstack")                                                \
	F(SIGPENDING, "sigpending")                                                  \
	F(POSIX_SPAWN, "posix_spawn")                                                \
	F(POSIX_SPAWNP, "posix_spawnp")                                              \
	F(SYSTEM, "system")                                                          \
	F(POPEN, "popen")                                                            \
	F(PTHREAD_CREATE, "pthread_create")                                          \
	F(SIGZERO_BLOCK, "sigzero_block")                                            \
	F(SIGZERO_UNBLOCK, "sigzero_unblock")

enum sz_function {
#define F(id, name) SZ_FN_##id,
	SZ_FUNCTIONS(F)
#undef F
	SZ_FN_COUNT
};
