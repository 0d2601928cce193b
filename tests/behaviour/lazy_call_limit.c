// SPDX-License-Identifier: MIT
// A socket with a time limit is never waited for again after a signal, but a blocked one does
// not disturb it.
#include "lazy_call.h"
#include <sys/socket.h>
#include <sys/un.h>

static struct sockaddr_un address = {AF_UNIX, "socket"};
static int pair[2], listener, client;
static char buffer[1 << 16];

static int by_libc(int fd, int option, struct timeval *most)
{
	return setsockopt(fd, SOL_SOCKET, option, most, sizeof *most);
}

static int by_number(int fd, int option, struct timeval *most)
{
	return (int)syscall(SYS_setsockopt, fd, SOL_SOCKET, option, most, sizeof *most);
}

// SO_RCVTIMEO_NEW and SO_SNDTIMEO_NEW, of asm-generic/socket.h
static int by_newer_option(int fd, int option, struct timeval *most)
{
	return by_libc(fd, option == SO_RCVTIMEO ? 66 : 67, most);
}

static int (*set_limit)(int fd, int option, struct timeval *most);

static void limit(int fd)
{
	struct timeval most = {60, 0};
	EQ(set_limit(fd, SO_RCVTIMEO, &most), 0);
	EQ(set_limit(fd, SO_SNDTIMEO, &most), 0);
}

static void open_pair(void)
{
	EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	limit(pair[0]);
}

static void open_full(void)
{
	open_pair();
	while (send(pair[0], buffer, sizeof buffer, MSG_DONTWAIT) > 0)
		;
}

static void close_pair(void)
{
	close(pair[0]);
	close(pair[1]);
}

static void start_listening(void)
{
	unlink(address.sun_path);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	client = socket(AF_UNIX, SOCK_STREAM, 0);
	EQ(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
	EQ(listen(listener, 1), 0);
	limit(listener);
}

static void stop_listening(void)
{
	close(listener);
	close(client);
}

static void fill(void)
{
	EQ(write(pair[1], "xxxxxxxxxx", 10), 10);
}

static void drain(void)
{
	while (recv(pair[1], buffer, sizeof buffer, MSG_DONTWAIT) > 0)
		;
}

static void come(void)
{
	EQ(connect(client, (struct sockaddr *)&address, sizeof address), 0);
}

static int by_recv(void)
{
	return (int)recv(pair[0], buffer, 10, 0);
}

static int by_read(void)
{
	return (int)read(pair[0], buffer, 10);
}

static int by_send(void)
{
	return (int)send(pair[0], buffer, 10, 0);
}

static int by_accept(void)
{
	int fd = accept(listener, NULL, NULL), err = errno;
	if (fd >= 0)
		close(fd);
	errno = err;
	return fd;
}

static void all(void)
{
	static const struct call calls[] = {
		{"recv", ENDS, by_recv, fill, open_pair, close_pair},
		{"read", ENDS, by_read, fill, open_pair, close_pair},
		{"send", ENDS, by_send, drain, open_full, close_pair},
		{"accept", ENDS, by_accept, come, start_listening, stop_listening},
	};
	CALL_ALL(calls);
}

int main(void)
{
	t_hot();
	set_limit = by_number;
	EQ(t_child(all), 0);
	set_limit = by_newer_option;
	EQ(t_child(all), 0);
	set_limit = by_libc;
	all();
	return 0;
}
