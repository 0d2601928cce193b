// SPDX-License-Identifier: MIT
// A library opened at run time, also with RTLD_DEEPBIND.
#include "t.h"
#include <dlfcn.h>

static char path[4096];

static void use(void *library)
{
	if (!library)
		t_fail(__FILE__, __LINE__, dlerror());
	int (*block)(int) = (int (*)(int))dlsym(library, "library_block");
	int (*jump)(int) = (int (*)(int))dlsym(library, "library_jump");
	CHECK(block && jump);
	t_setmask(BIT(SIGHUP));
	EQ(block(SIGUSR1), 0);
	MASK(BIT(SIGHUP) | BIT(SIGUSR1));
	EQ(block(SIGUSR1), 0);
	EQ(jump(SIGUSR2), 0);
	MASK(BIT(SIGHUP) | BIT(SIGUSR1));
	EQ(t_setmask(0), BIT(SIGHUP) | BIT(SIGUSR1));
	EQ(dlclose(library), 0);
}

int main(void)
{
	t_start();
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 32);
	CHECK(n > 0);
	path[n] = 0;
	strcpy(strrchr(path, '/') + 1, "libmaskuser.so");
	for (int i = 0; i < 3; i++)
		use(dlopen(path, RTLD_NOW));
	use(dlopen(path, RTLD_LAZY | RTLD_GLOBAL));
	use(dlopen(path, RTLD_NOW | RTLD_DEEPBIND));
	return 0;
}
