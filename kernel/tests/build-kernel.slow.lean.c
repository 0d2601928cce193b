// SPDX-License-Identifier: GPL-2.0
// The figure that the cache was first proposed with is of a kernel build. Here a part of one, in the
// guest, by the same rules: make tinyconfig, and make -j2 of the folder kernel/time with all that this
// needs before. Nearly every rule is a shell with few children, so what comes from the cache is shown
// only; the build has to work, and nothing may be lost.
#define _GNU_SOURCE
#include "build.h"

int main(void)
{
	int bad;

	build_prepare();
	bad = build("kernel: tinyconfig", 0, "mkdir /tmp/out && exec make -j2 -C /tree O=/tmp/out tinyconfig");
	bad |= build("kernel: kernel/time", 0, "exec make -j2 -C /tree O=/tmp/out kernel/time/");
	printf("# both: %ld of %ld from the cache\n", build_cache, build_cache + build_slab);
	return bad || sigqueue_settled();
}
