// SPDX-License-Identifier: MIT
// Functions of libc that block, spawn or start threads with calls of their own inside. They
// hand on the mask that the kernel has, so nothing may be blocked lazily then; they are counted,
// since a user wants to know what the runtime cannot take away.
#define _GNU_SOURCE
#include <stdbool.h>

#include "disposition.h"
#include "mask.h"
#include "real.h"
#include "section.h"
#include "thread_state.h"
#include "visibility.h"
#include "watch.h"

// In a section the child gets the program's mask, not the section's, unless it is given one anyway.
static const posix_spawnattr_t *without_section(const posix_spawnattr_t *attributes,
                                                posix_spawnattr_t *own)
{
	short flags = 0;
	sigset_t mask;

	sigemptyset(&mask);
	if (attributes)
		posix_spawnattr_getflags(attributes, &flags);
	if (flags & POSIX_SPAWN_SETSIGMASK || !sz_section_mask_to_hand_on((sz_set *)&mask))
		return attributes;
	if (attributes)
		*own = *attributes;
	else
		posix_spawnattr_init(own);
	posix_spawnattr_setsigmask(own, &mask);
	posix_spawnattr_setflags(own, (short)(flags | POSIX_SPAWN_SETSIGMASK));
	return own;
}

// posix_spawn of glibc before 2.15 hands a file that is no program to the shell: who was
// linked against that one must reach it.
// An archive has no versions: there it is the new one.
#ifdef SZ_STATIC
#define LINKED_AS(name, version) __asm__(name)
#else
#define LINKED_AS(name, version) __attribute__((symver(name version)))
#endif
#define SPAWN(function, number, name, version)                                              \
	int function(SZ_SPAWN_ARGUMENTS) LINKED_AS(name, version);                          \
	SZ_INTERPOSE int function(                                                          \
		pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,    \
		const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) \
	{                                                                                   \
		posix_spawnattr_t own;                                                      \
                                                                                            \
		sz_watch_opaque(number, SZ_CALLER);                                         \
		sz_flush();                                                                 \
		attributes = without_section(attributes, &own);                             \
		return sz_real_##function(pid, path, actions, attributes, argv, envp);      \
	}

SPAWN(spawn, SZ_FN_POSIX_SPAWN, "posix_spawn", "@@GLIBC_2.15")
SPAWN(spawnp, SZ_FN_POSIX_SPAWNP, "posix_spawnp", "@@GLIBC_2.15")
#ifndef SZ_STATIC
SPAWN(spawn_old, SZ_FN_POSIX_SPAWN, "posix_spawn", "@GLIBC_2.2.5")
SPAWN(spawnp_old, SZ_FN_POSIX_SPAWNP, "posix_spawnp", "@GLIBC_2.2.5")
#endif

// system blocks SIGCHLD and ignores SIGINT and SIGQUIT for a while, by calls of its own. A
// cancelled one never comes back here: then the two stay uncertain, which is only slower.
SZ_INTERPOSE int system(const char *command)
{
	struct sz_section_loan loan;
	int result;

	sz_watch_opaque(SZ_FN_SYSTEM, SZ_CALLER);
	sz_flush();
	sz_section_lend(&loan, SZ_CALLER);
	sz_disposition_uncertain(SIGINT, true);
	sz_disposition_uncertain(SIGQUIT, true);
	SZ_READ(sz_thread.known) = 0; // and no handler that runs meanwhile sets it
	result = sz_real_system(command);
	sz_disposition_uncertain(SIGINT, false);
	sz_disposition_uncertain(SIGQUIT, false);
	sz_section_take_back(&loan, SZ_CALLER);
	return result;
}

SZ_INTERPOSE FILE *popen(const char *command, const char *mode)
{
	struct sz_section_loan loan;
	FILE *result;

	sz_watch_opaque(SZ_FN_POPEN, SZ_CALLER);
	sz_flush();
	sz_section_lend(&loan, SZ_CALLER);
	result = sz_real_popen(command, mode);
	sz_section_take_back(&loan, SZ_CALLER);
	return result;
}

// In a section: as above, by the attributes. Nobody else reads a set of attributes meanwhile, but
// threads that are made with the same ones, and those get the mask that they would get anyway.
static int create_outside(pthread_t *thread, const pthread_attr_t *given, const sigset_t *mask,
                          void *(*function)(void *), void *argument)
{
	pthread_attr_t own, *attributes = (pthread_attr_t *)given;
	sigset_t unused;
	int result;

	if (given && pthread_attr_getsigmask_np(given, &unused) == 0)
		return sz_real_pthread_create(thread, given, function, argument);
	if (!given) {
		result = pthread_getattr_default_np(&own);
		if (result)
			return result;
		attributes = &own;
	}
	result = pthread_attr_setsigmask_np(attributes, mask);
	if (result == 0)
		result = sz_real_pthread_create(thread, attributes, function, argument);
	if (given)
		pthread_attr_setsigmask_np(attributes, NULL);
	else
		pthread_attr_destroy(&own);
	return result;
}
FILE *_IO_popen(const char *, const char *) SZ_ALIAS(popen);

SZ_INTERPOSE int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
	struct sz_section_loan loan;
	int result;

	sz_watch_opaque(SZ_FN_PTHREAD_CREATE, SZ_CALLER);
	sz_flush();
	sz_section_lend(&loan, SZ_CALLER);
	result = sz_real_thrd_create(thread, function, argument);
	sz_section_take_back(&loan, SZ_CALLER);
	return result;
}

SZ_INTERPOSE int pthread_create(pthread_t *restrict thread,
                                const pthread_attr_t *restrict attributes,
                                void *(*function)(void *), void *restrict argument)
{
	sigset_t mask;

	sz_watch_opaque(SZ_FN_PTHREAD_CREATE, SZ_CALLER);
	sz_flush();
	sigemptyset(&mask);
	if (__builtin_expect(sz_section_mask_to_hand_on((sz_set *)&mask), 0))
		return create_outside(thread, attributes, &mask, function, argument);
	return sz_real_pthread_create(thread, attributes, function, argument);
}

// Runs a shell for each command in it.
SZ_INTERPOSE int wordexp(const char *restrict words, wordexp_t *restrict result, int flags)
{
	sz_ensure_started();
	sz_flush();
	return sz_real_wordexp(words, result, flags);
}
