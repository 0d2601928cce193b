// SPDX-License-Identifier: MIT
// Waiting for a pipe to fill or to drain while a signal comes.
#include "lazy_call.h"
#include <fcntl.h>
#include <sys/uio.h>

#define MUCH (1 << 20)
static int ends[2], other[2];
static char buffer[MUCH];
static FILE *stream;

static void open_empty(void)
{
	EQ(pipe(ends), 0);
	EQ(pipe(other), 0);
}

static void open_full(void)
{
	open_empty();
	EQ(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	while (write(ends[1], buffer, 4096) > 0)
		;
	EQ(fcntl(ends[1], F_SETFL, 0), 0);
}

static void close_both(void)
{
	if (stream)
		fclose(stream);
	else
		close(ends[0]);
	stream = NULL;
	close(ends[1]);
	close(other[0]);
	close(other[1]);
}

static void fill(void)
{
	EQ(write(ends[1], "x\n", 2), 2);
}

static void drain(void)
{
	EQ(read(ends[0], buffer, 65536), 65536);
}

static int by_read(void)
{
	return (int)read(ends[0], buffer, 10);
}

static int by_readv(void)
{
	struct iovec part = {buffer, 10};
	return (int)readv(ends[0], &part, 1);
}

static int by_write(void)
{
	return (int)write(ends[1], buffer, 10);
}

static int by_writev(void)
{
	struct iovec part = {buffer, 10};
	return (int)writev(ends[1], &part, 1);
}

static int by_splice(void)
{
	return (int)splice(ends[0], NULL, other[1], NULL, 10, 0);
}

static int by_tee(void)
{
	return (int)tee(ends[0], other[1], 10, 0);
}

static int by_fgets(void)
{
	stream = fdopen(ends[0], "r");
	return fgets(buffer, 10, stream) ? 1 : -1;
}

int main(void)
{
	static const struct call calls[] = {
		{"read", RESTARTS, by_read, fill, open_empty, close_both},
		{"readv", RESTARTS, by_readv, fill, open_empty, close_both},
		{"write", RESTARTS, by_write, drain, open_full, close_both},
		{"writev", RESTARTS, by_writev, drain, open_full, close_both},
		{"splice", RESTARTS, by_splice, fill, open_empty, close_both},
		{"tee", RESTARTS, by_tee, fill, open_empty, close_both},
		{"fgets", RESTARTS, by_fgets, fill, open_empty, close_both},
	};
	t_hot();
	CALL_ALL(calls);
	return 0;
}
