// SPDX-License-Identifier: MIT
// exec*: the program that the started process turns itself into is treated too (think of
// wrapper scripts), while its children are not unless they are followed. The kernel keeps
// mask and dispositions over exec, so the mask must be right there; what it has as a handler
// becomes default, and what is ignored is ignored there. exec(3), POSIX; async-signal-safe as in
// glibc.
#define _GNU_SOURCE
#include <alloca.h>
#include <stdarg.h>
#include <unistd.h>

#include "environment.h"
#include "mask.h"
#include "real.h"
#include "section.h"
#include "visibility.h"

#define ENVIRONMENT(envp)                                                                   \
	(sz_ensure_started(), sz_flush(), sz_environment_is_needed()                        \
	                              ? sz_environment_restore(alloca(sz_environment_size(envp)), \
	                                                       envp)                        \
	                              : (char **)(envp))

// A new program is in no section.
#define EXEC(call)                                                                          \
	do {                                                                                \
		struct sz_section_loan loan;                                                \
		sz_section_lend(&loan, SZ_CALLER);                                          \
		(call);                                                                     \
		sz_section_take_back(&loan, SZ_CALLER);                                     \
		return -1;                                                                  \
	} while (0)

SZ_INTERPOSE int execve(const char *path, char *const argv[], char *const envp[])
{
	char **environment = ENVIRONMENT(envp);

	EXEC(sz_real_execve(path, argv, environment));
}

SZ_INTERPOSE int execv(const char *path, char *const argv[])
{
	char **environment = ENVIRONMENT(environ);

	EXEC(sz_real_execve(path, argv, environment));
}

SZ_INTERPOSE int execvpe(const char *file, char *const argv[], char *const envp[])
{
	char **environment = ENVIRONMENT(envp);

	EXEC(sz_real_execvpe(file, argv, environment));
}

SZ_INTERPOSE int execvp(const char *file, char *const argv[])
{
	char **environment = ENVIRONMENT(environ);

	EXEC(sz_real_execvpe(file, argv, environment));
}

SZ_INTERPOSE int fexecve(int fd, char *const argv[], char *const envp[])
{
	char **environment = ENVIRONMENT(envp);

	EXEC(sz_real_fexecve(fd, argv, environment));
}

SZ_INTERPOSE int execveat(int fd, const char *path, char *const argv[], char *const envp[],
                          int flags)
{
	char **environment = ENVIRONMENT(envp);

	EXEC(sz_real_execveat(fd, path, argv, environment, flags));
}

// The list up to its NULL, as an array on the caller's stack.
#define ARGUMENTS(argv, rest, first)                                                        \
	do {                                                                                \
		size_t count = 1;                                                           \
		va_start(rest, first);                                                      \
		while (va_arg(rest, char *))                                                \
			count++;                                                            \
		va_end(rest);                                                               \
		argv = alloca((count + 1) * sizeof *argv);                                  \
		argv[0] = (char *)first;                                                    \
		va_start(rest, first);                                                      \
		for (size_t i = 1; i <= count; i++)                                         \
			argv[i] = va_arg(rest, char *);                                     \
	} while (0)

SZ_INTERPOSE int execl(const char *path, const char *first, ...)
{
	va_list rest;
	char **argv;

	ARGUMENTS(argv, rest, first);
	va_end(rest);
	return execv(path, argv);
}

SZ_INTERPOSE int execlp(const char *file, const char *first, ...)
{
	va_list rest;
	char **argv;

	ARGUMENTS(argv, rest, first);
	va_end(rest);
	return execvp(file, argv);
}

SZ_INTERPOSE int execle(const char *path, const char *first, ...)
{
	va_list rest;
	char **argv;
	char **envp;

	ARGUMENTS(argv, rest, first);
	envp = va_arg(rest, char **);
	va_end(rest);
	return execve(path, argv, envp);
}
