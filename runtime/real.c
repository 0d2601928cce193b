// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "real.h"

#include <dlfcn.h>
#include <stddef.h>

#include "report_line.h"

#define R(result, name, symbol, ...) result (*sz_real_##name)(__VA_ARGS__);
SZ_REAL_FUNCTIONS(R)
#undef R
#define R(result, name, symbol, version, ...) result (*sz_real_##name)(__VA_ARGS__);
SZ_REAL_VERSIONS(R)
#undef R

// Behind us in the order of search; before us if the program was linked to libc first, and
// then sz_refuse says so.
static void *find(const char *symbol, const char *version)
{
	void *found = NULL;
	void *const places[] = {RTLD_NEXT, RTLD_DEFAULT};

	for (int i = 0; i < 2 && !found; i++)
		found = version ? dlvsym(places[i], symbol, version) : dlsym(places[i], symbol);
	return found;
}

static _Noreturn void die(void)
{
	struct sz_line line;

	sz_line_start(&line, "sigzero: libc's own functions cannot be found; a program with sigzero "
	                     "in it cannot be linked with -static");
	sz_line_write(&line);
	sz_syscall4(SYS_exit_group, 127, 0, 0, 0);
	__builtin_unreachable();
}

void sz_real_find(void)
{
#define R(result, name, symbol, ...) *(void **)&sz_real_##name = find(symbol, NULL);
	SZ_REAL_FUNCTIONS(R)
#undef R
#define R(result, name, symbol, version, ...)                                               \
	*(void **)&sz_real_##name = find(symbol, version);
	SZ_REAL_VERSIONS(R)
#undef R
	if (!sz_real_siglongjmp)
		die();
}
