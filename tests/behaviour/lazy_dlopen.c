// SPDX-License-Identifier: MIT
// A library that calls libc past the runtime finds blocked what the program blocked before.
#include "lazy.h"
#include <dlfcn.h>

int main(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 32);
	CHECK(n > 0);
	strcpy(strrchr(path, '/') + 1, "libmaskuser.so");
	t_hot();
	t_setmask(BIT(SIGUSR1));
	void *library = dlopen(path, RTLD_NOW | RTLD_DEEPBIND);
	if (!library)
		t_fail(__FILE__, __LINE__, dlerror());
	int (*blocks)(int) = (int (*)(int))dlsym(library, "library_blocks");
	CHECK(blocks);
	EQ(blocks(SIGUSR1), 1);
	EQ(blocks(SIGUSR2), 0);
	EQ(t_setmask(0), BIT(SIGUSR1));
	return 0;
}
