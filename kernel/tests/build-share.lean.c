// SPDX-License-Identifier: GPL-2.0
// Small builds in the guest, make -j2: 21 small programs by plain rules, of whose sigqueues at least
// 70 of 100 must come from the cache; and three libraries by rules that run many short shells. A
// shell's first child costs a miss, so that what these give depends on how many each one has.
#define _GNU_SOURCE
#include "build.h"

int main(void)
{
	static const struct row {
		const char *directory;
		long least;
	} rows[] = {
		{ "testing/selftests/timers", 700 },
		{ "lib/subcmd", 0 },
		{ "lib/api", 0 },
		{ "lib/symbol", 0 },
	};
	int bad = 0;

	build_prepare();
	for (unsigned int i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *directory = rows[i].directory;
		char command[256], name[64];

		snprintf(name, sizeof name, "tools/%s", directory);
		snprintf(command, sizeof command,
			 "mkdir -p /tmp/out/%s && exec make -j2 -C /tree/tools/%s OUTPUT=/tmp/out/%s%s",
			 directory, directory, directory, strncmp(directory, "lib/", 4) ? "" : "/");
		bad |= build(name, rows[i].least, command);
	}
	printf("# all builds: %ld of %ld from the cache\n", build_cache, build_cache + build_slab);
	return bad || sigqueue_settled();
}
