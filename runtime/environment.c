// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "environment.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "kernel.h"
#include "thread_state.h"

#define LIBRARY "libsigzero.so"
#define PRELOAD "LD_PRELOAD="

static const char *const ours[] = {"SIGZERO_MODE=", "SIGZERO_OUT=", "SIGZERO_FOLLOW=",
                                   "SIGZERO_QUIET=", "SIGZERO_HOT=", "SIGZERO_FILTERS=",
                                   "SIGZERO_SIGFASTBLOCK="};
enum { MODE, OUT, FOLLOW, QUIET, HOT, FILTERS, SIGFASTBLOCK, OURS };

bool sz_environment_no_sigfastblock;

static char *taken[OURS];
static char library[1024]; // our entry in LD_PRELOAD
static long started_pid;

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static enum sz_mode mode_named(const char *name)
{
	static const struct {
		const char *name;
		enum sz_mode mode;
	} names[] = {{"off", SZ_OFF}, {"watch", SZ_WATCH}, {"shadow", SZ_SHADOW}, {"lazy", SZ_LAZY}, {"check", SZ_CHECK}};

	if (!name || !*name)
		return SZ_LAZY;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i].name) == 0)
			return names[i].mode;
	return SZ_UNSET;
}

// Entries are separated by spaces or colons (ld.so(8)).
static bool take_library(char *value)
{
	char *entry = value + strspn(value, " :");

	while (*entry) {
		size_t length = strcspn(entry, " :");
		size_t name = strlen(LIBRARY);
		char *next = entry + length + strspn(entry + length, " :");

		if (length >= name && length < sizeof library &&
		    memcmp(entry + length - name, LIBRARY, name) == 0) {
			memcpy(library, entry, length);
			library[length] = 0;
			memmove(entry, next, strlen(next) + 1);
			return true;
		}
		entry = next;
	}
	return false;
}

static int ours_in(const char *entry)
{
	int which = 0;

	while (which < OURS && !starts_with(entry, ours[which]))
		which++;
	return which;
}

static bool is_ours(char *entry)
{
	int which = ours_in(entry);

	if (which < OURS) {
		taken[which] = entry;
		return true;
	}
	if (starts_with(entry, PRELOAD)) {
		char *value = entry + strlen(PRELOAD);

		return take_library(value) && !value[strspn(value, " :")];
	}
	return false;
}

// Some programs find the auxiliary vector behind the environment's NULL. The hole left before
// it becomes entries of that vector which say nothing (two words each, type AT_IGNORE); an
// odd word goes to the front.
static void take_out(void)
{
	static char empty[] = "";
	char **from, **to, **end = environ;
	size_t hole;

	while (*end)
		end++;
	for (from = to = environ; from < end; from++)
		if (!is_ours(*from))
			*to++ = *from;
	hole = (size_t)(end - to);
	if (hole % 2) {
		memmove(environ + 1, environ, (size_t)(to - environ) * sizeof *environ);
		if (to == environ)
			*environ = empty;
		environ++;
		to++;
		hole--;
	}
	if (!hole) {
		*to = NULL;
		return;
	}
	*to++ = NULL;
	for (; hole; hole -= 2, to += 2) {
		to[0] = (char *)AT_IGNORE;
		to[1] = NULL;
	}
}

void sz_environment_read(struct sz_settings *settings)
{
	const char *values[OURS + 1] = {NULL};
	const char *mode;

	for (char **entry = environ; entry && *entry; entry++) {
		const char *equals = strchr(*entry, '=');

		values[ours_in(*entry)] = equals ? equals + 1 : NULL;
	}
	mode = values[MODE];
	sz_environment_no_sigfastblock =
		values[SIGFASTBLOCK] && strcmp(values[SIGFASTBLOCK], "off") == 0;
	*settings = (struct sz_settings){
		.out = values[OUT], .follow = values[FOLLOW], .quiet = values[QUIET] != NULL,
		.hot = values[HOT], .filters = values[FILTERS]};
	settings->mode = mode_named(mode);
	if (settings->mode == SZ_UNSET) {
		settings->mode = SZ_OFF;
		settings->bad_mode = mode;
	}
	if (!settings->follow && environ) {
		started_pid = sz_syscall4(SYS_getpid, 0, 0, 0, 0);
		take_out();
	}
}

bool sz_environment_is_needed(void)
{
	return library[0] && !sz_thread.vfork_child &&
	       sz_syscall4(SYS_getpid, 0, 0, 0, 0) == started_pid;
}

size_t sz_environment_size(char *const envp[])
{
	size_t count = 0, preload = 0;

	for (; envp && envp[count]; count++)
		if (starts_with(envp[count], PRELOAD))
			preload = strlen(envp[count]);
	return (count + OURS + 2) * sizeof(char *) + strlen(PRELOAD) + strlen(library) +
	       preload + 2;
}

char **sz_environment_restore(void *room, char *const envp[])
{
	char **to = room;
	const char *others = NULL;
	char *text;
	size_t count = 0;

	for (size_t i = 0; envp && envp[i]; i++) {
		if (starts_with(envp[i], PRELOAD))
			others = envp[i] + strlen(PRELOAD);
		else
			to[count++] = envp[i];
	}
	for (int i = 0; i < OURS; i++)
		if (taken[i])
			to[count++] = taken[i];
	text = (char *)&to[count + 2];
	to[count++] = text;
	to[count] = NULL;
	text = stpcpy(stpcpy(text, PRELOAD), library);
	if (others)
		stpcpy(stpcpy(text, ":"), others);
	return to;
}
