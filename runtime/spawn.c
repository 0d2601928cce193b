// SPDX-License-Identifier: MIT
// Functions of libc that block, spawn or start threads with calls of their own inside. The
// remembered mask is the kernel's, so nothing has to be put right before them; they are
// counted, since a user wants to know what the runtime cannot take away.
#define _GNU_SOURCE
#include "real.h"
#include "visibility.h"
#include "watch.h"

SZ_INTERPOSE int posix_spawn(pid_t *restrict pid, const char *restrict path,
                             const posix_spawn_file_actions_t *actions,
                             const posix_spawnattr_t *restrict attributes,
                             char *const argv[restrict], char *const envp[restrict])
{
	sz_watch_opaque(SZ_FN_POSIX_SPAWN, SZ_CALLER);
	return sz_real_posix_spawn(pid, path, actions, attributes, argv, envp);
}

SZ_INTERPOSE int posix_spawnp(pid_t *restrict pid, const char *restrict file,
                              const posix_spawn_file_actions_t *actions,
                              const posix_spawnattr_t *restrict attributes,
                              char *const argv[restrict], char *const envp[restrict])
{
	sz_watch_opaque(SZ_FN_POSIX_SPAWNP, SZ_CALLER);
	return sz_real_posix_spawnp(pid, file, actions, attributes, argv, envp);
}

SZ_INTERPOSE int system(const char *command)
{
	sz_watch_opaque(SZ_FN_SYSTEM, SZ_CALLER);
	return sz_real_system(command);
}

SZ_INTERPOSE FILE *popen(const char *command, const char *mode)
{
	sz_watch_opaque(SZ_FN_POPEN, SZ_CALLER);
	return sz_real_popen(command, mode);
}

SZ_INTERPOSE int pthread_create(pthread_t *restrict thread,
                                const pthread_attr_t *restrict attributes,
                                void *(*function)(void *), void *restrict argument)
{
	sz_watch_opaque(SZ_FN_PTHREAD_CREATE, SZ_CALLER);
	return sz_real_pthread_create(thread, attributes, function, argument);
}

SZ_INTERPOSE int pthread_kill(pthread_t thread, int sig)
{
	sz_watch_opaque(SZ_FN_PTHREAD_KILL, SZ_CALLER);
	return sz_real_pthread_kill(thread, sig);
}
