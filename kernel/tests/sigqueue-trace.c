// SPDX-License-Identifier: GPL-2.0
// The tracepoint signal:sigqueue_alloc names the signal, its target and the source.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include "sigqueue.h"

#define TRACING "/sys/kernel/tracing/"

static void put(const char *path, const char *what)
{
	int file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	must(file >= 0 && write(file, what, strlen(what)) == (ssize_t)strlen(what), "%s", path);
	close(file);
}

static void ignore(int signal)
{
	(void)signal;
}

int main(void)
{
	struct sigqueue_counts c;
	int slab = 0, cache = 0, other = 0, good;
	char line[512], mine[64];
	FILE *trace;
	pid_t child;

	sigqueue_read(&c);
	if (access(TRACING "events/signal", F_OK)) {
		printf("skip: no tracepoints in this kernel\n");
		return 77;
	}
	signal(SIGUSR2, ignore);
	put(TRACING "trace", "");
	put(TRACING "events/signal/sigqueue_alloc/enable", "1");
	child = fork();
	if (!child) {
		for (int i = 0; i < 10; i++)
			raise(SIGUSR2);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	put(TRACING "events/signal/sigqueue_alloc/enable", "0");
	trace = fopen(TRACING "trace", "re");
	snprintf(mine, sizeof mine, "sig=%d comm=sigqueue-trace pid=%d grp=0 from=", SIGUSR2, child);
	while (fgets(line, sizeof line, trace)) {
		const char *from = strstr(line, mine);

		if (from && !strncmp(from + strlen(mine), "slab", 4))
			slab++;
		else if (from && !strncmp(from + strlen(mine), "cache", 5))
			cache++;
		else if (strstr(line, "sigqueue_alloc:"))
			other++;
	}
	fclose(trace);
	good = slab == 1 && cache == 9 && other == 0;
	if (!good)
		printf("%d slab, %d cache, %d others\n", slab, cache, other);
	printf("%sok 10 signals, the first from the slab, and no event else\n", good ? "" : "not ");
	return !good;
}
