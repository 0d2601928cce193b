// SPDX-License-Identifier: MIT
// A plugin brings sigzero in by dlopen, behind libc: its sections hold all the same, and the
// program's own calls are not disturbed.
#include <dlfcn.h>

#include "t.h"

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void body(void)
{
	raise(SIGUSR1);
	EQ(runs, 0);
}

int main(int argc, char **argv)
{
	char path[600];

	(void)argc;
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	setenv("SIGZERO_QUIET", "1", 1);
	snprintf(path, sizeof path, "%.*s/libsectionuser.so", (int)(strrchr(argv[0], '/') - argv[0]),
	         argv[0]);
	void *plugin = dlopen(path, RTLD_NOW);
	if (!plugin)
		t_fail(__FILE__, __LINE__, dlerror());
	void (*section)(void (*)(void)) = (void (*)(void (*)(void)))dlsym(plugin, "plugin_section");
	for (int i = 0; i < 60; i++) {
		t_setmask(i % 2 ? BIT(SIGHUP) : 0);
		section(body);
		EQ(runs, 1);
		runs = 0;
		MASK(i % 2 ? BIT(SIGHUP) : 0);
	}
	return 0;
}
