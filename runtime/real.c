// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "real.h"

#include <dlfcn.h>

#define R(result, name, symbol, ...) result (*sz_real_##name)(__VA_ARGS__);
SZ_REAL_FUNCTIONS(R)
#undef R
#define R(result, name, symbol, version, ...) result (*sz_real_##name)(__VA_ARGS__);
SZ_REAL_VERSIONS(R)
#undef R

void sz_real_find(void)
{
#define R(result, name, symbol, ...) *(void **)&sz_real_##name = dlsym(RTLD_NEXT, symbol);
	SZ_REAL_FUNCTIONS(R)
#undef R
#define R(result, name, symbol, version, ...)                                               \
	*(void **)&sz_real_##name = dlvsym(RTLD_NEXT, symbol, version);
	SZ_REAL_VERSIONS(R)
#undef R
}
