// SPDX-License-Identifier: MIT
// Waits that are reached by other names than most use.
#include "lazy_call.h"
#include <aio.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/select.h>

int __poll(struct pollfd *, nfds_t, int);
int __select(int, fd_set *, fd_set *, fd_set *, struct timeval *);
int __nanosleep(const struct timespec *, struct timespec *);

static int ends[2], file;
static char byte;
static struct aiocb request;

static void open_empty(void)
{
	EQ(pipe(ends), 0);
}

static void fill(void)
{
	EQ(write(ends[1], "x", 1), 1);
}

static int by_poll(void)
{
	struct pollfd one = {ends[0], POLLIN, 0};
	return __poll(&one, 1, -1);
}

static int by_select(void)
{
	fd_set in;
	FD_ZERO(&in);
	FD_SET(ends[0], &in);
	return __select(ends[0] + 1, &in, NULL, NULL, NULL);
}

static int by_nanosleep(void)
{
	struct timespec time = {1, 500000000};
	return __nanosleep(&time, NULL);
}

static void begin(void)
{
	EQ(pipe(ends), 0);
	request = (struct aiocb){.aio_fildes = ends[0], .aio_buf = &byte, .aio_nbytes = 1};
	EQ(aio_read(&request), 0);
}

static void end(void)
{
	if (aio_error(&request) == EINPROGRESS)
		fill();
	AWAIT(aio_error(&request) != EINPROGRESS);
	EQ(aio_return(&request), 1);
	close(ends[0]);
	close(ends[1]);
}

static int by_aio_suspend(void)
{
	const struct aiocb *const list[] = {&request};
	struct timespec time = {T_PATIENCE / 1000, 0};
	return aio_suspend(list, 1, &time);
}

static void open_full(void)
{
	static char page[4096];
	EQ(pipe(ends), 0);
	EQ(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	while (write(ends[1], page, sizeof page) > 0)
		;
	EQ(fcntl(ends[1], F_SETFL, 0), 0);
}

static void drain(void)
{
	static char much[65536];
	EQ(read(ends[0], much, sizeof much), (long)sizeof much);
}

static void close_both(void)
{
	close(ends[0]);
	close(ends[1]);
}

static int from_file(void)
{
	off64_t at = 0;
	return (int)splice(file, &at, ends[1], NULL, 1, 0);
}

int main(void)
{
	static const struct call calls[] = {
		{"__poll", ENDS, by_poll, fill, open_empty, close_both},
		{"__select", ENDS, by_select, fill, open_empty, close_both},
		{"__nanosleep", ENDS, by_nanosleep, NULL, NULL, NULL},
		{"aio_suspend", ENDS, by_aio_suspend, fill, begin, end},
		{"splice from a file", RESTARTS, from_file, drain, open_full, close_both},
	};

	t_hot();
	file = (int)t_syscall(SYS_memfd_create, (long)"file", 0, 0, 0);
	EQ(write(file, "x", 1), 1);
	CALL_ALL(calls);
	return 0;
}
