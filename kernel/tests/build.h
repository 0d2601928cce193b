/* SPDX-License-Identifier: GPL-2.0 */
/* A build in the guest, and from where its sigqueues came. */
#pragma once
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "sigqueue.h"

static long build_cache, build_slab;

static void build_prepare(void)
{
	setenv("PATH", "/usr/bin:/bin", 1);
	must(!symlink("/usr/bin/sh", "/bin/sh") || errno == EEXIST, "symlink");
}

/* Runs the command, what it prints only if it fails. LEAST thousandths have to come from the cache. */
static int build(const char *name, long least, const char *command)
{
	struct sigqueue_counts first, c;
	double start = seconds();
	long share;
	int status;
	pid_t child;

	sigqueue_read(&first);
	child = fork();
	if (!child) {
		int log = open("/tmp/build.log", O_WRONLY | O_CREAT | O_TRUNC, 0644);

		dup2(log, 1);
		dup2(log, 2);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	waitpid(child, &status, 0);
	if (status)
		must(system("tail -40 /tmp/build.log") == 0, "tail");
	sigqueue_read(&c);
	build_slab += c.slab -= first.slab;
	build_cache += c.cache -= first.cache;
	share = c.cache * 1000 / (c.cache + c.slab ?: 1);
	printf("# in %.1f s, %ld sigqueues: %ld from the cache, %ld from the slab\n", seconds() - start,
	       c.cache + c.slab, c.cache, c.slab);
	status |= share < least;
	printf("%sok build %s: %ld.%ld %% from the cache\n", status ? "not " : "", name, share / 10, share % 10);
	fflush(stdout);
	return !!status;
}
