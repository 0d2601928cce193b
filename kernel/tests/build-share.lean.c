// SPDX-License-Identifier: GPL-2.0
// Real builds in the guest, make -j2: 21 small programs by plain rules, of whose sigqueues at least
// 70 of 100 must come from the cache; and three libraries by rules that run many short shells. A
// shell's first child costs a miss, so that what these give depends on how many each one has.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "sigqueue.h"

static int build(const char *directory)
{
	char command[256];
	int status;
	pid_t child = fork();

	if (!child) {
		int log = open("/tmp/build.log", O_WRONLY | O_CREAT | O_TRUNC, 0644);

		dup2(log, 1);
		dup2(log, 2);
		snprintf(command, sizeof command,
			 "mkdir -p /tmp/out/%s && exec make -j2 -C /tree/tools/%s OUTPUT=/tmp/out/%s%s",
			 directory, directory, directory, strncmp(directory, "lib/", 4) ? "" : "/");
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	waitpid(child, &status, 0);
	if (status)
		must(system("cat /tmp/build.log") == 0, "cat");
	return status;
}

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
	long slab = 0, cache = 0;
	int bad = 0;

	setenv("PATH", "/usr/bin:/bin", 1);
	must(!symlink("/usr/bin/sh", "/bin/sh") || errno == EEXIST, "symlink");
	for (unsigned int i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sigqueue_counts first, c;
		double start = seconds();
		long share;
		int status;

		sigqueue_read(&first);
		status = build(rows[i].directory);
		sigqueue_read(&c);
		slab += c.slab -= first.slab;
		cache += c.cache -= first.cache;
		share = c.cache * 1000 / (c.cache + c.slab ?: 1);
		printf("# in %.1f s, %ld sigqueues: %ld from the cache, %ld from the slab\n", seconds() - start,
		       c.cache + c.slab, c.cache, c.slab);
		status |= share < rows[i].least;
		printf("%sok build tools/%s: %ld.%ld %% from the cache\n", status ? "not " : "", rows[i].directory,
		       share / 10, share % 10);
		bad |= status;
	}
	printf("# all builds: %ld of %ld from the cache\n", cache, cache + slab);
	return bad || sigqueue_settled();
}
