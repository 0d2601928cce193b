// SPDX-License-Identifier: MIT
// libc's own functions behind ours, where the work is left to them. Filled by sz_start.
#pragma once
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/types.h>
#include <ucontext.h>

#define SZ_REAL_FUNCTIONS(R)                                                                \
	R(int, sigsetjmp, "__sigsetjmp", struct __jmp_buf_tag *, int)                       \
	R(void, siglongjmp, "siglongjmp", struct __jmp_buf_tag *, int)                      \
	R(void, longjmp_chk, "__longjmp_chk", struct __jmp_buf_tag *, int)                  \
	R(int, getcontext, "getcontext", ucontext_t *)                                      \
	R(int, setcontext, "setcontext", const ucontext_t *)                                \
	R(int, swapcontext, "swapcontext", ucontext_t *, const ucontext_t *)                \
	R(void, makecontext, "makecontext", ucontext_t *, void (*)(void), int, ...)         \
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
	  void *(*)(void *), void *)

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
