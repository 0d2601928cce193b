// SPDX-License-Identifier: MIT
// Waiting in open for the other end of a named pipe while a signal comes.
#include "lazy_call.h"
#include <fcntl.h>
#include <sys/stat.h>

static int fd;
static FILE *stream;

static void make(void)
{
	fd = -1;
	unlink("fifo");
	EQ(mkfifo("fifo", 0600), 0);
}

static void close_it(void)
{
	if (stream)
		fclose(stream);
	else if (fd >= 0)
		close(fd);
	stream = NULL;
}

static void other_end(void)
{
	CHECK(open("fifo", O_RDWR | O_NONBLOCK) >= 0);
}

static int by_open(void)
{
	return fd = open("fifo", O_RDONLY);
}

static int by_openat(void)
{
	return fd = openat(AT_FDCWD, "fifo", O_WRONLY);
}

static int by_creat(void)
{
	return fd = creat("fifo", 0600);
}

static int by_fopen(void)
{
	stream = fopen("fifo", "r");
	return stream ? 0 : -1;
}

int main(void)
{
	static const struct call calls[] = {
		{"open", RESTARTS, by_open, other_end, make, close_it},
		{"openat", RESTARTS, by_openat, other_end, make, close_it},
		{"creat", RESTARTS, by_creat, other_end, make, close_it},
		{"fopen", RESTARTS, by_fopen, other_end, make, close_it},
	};
	t_hot();
	CALL_ALL(calls);
	return 0;
}
