// SPDX-License-Identifier: MIT
// Waiting for a socket while a signal comes.
#include "lazy_call.h"
#include <sys/socket.h>
#include <sys/un.h>

static struct sockaddr_un address = {AF_UNIX, "socket"};
static int pair[2], listener, first, connecting, accepted;
static char buffer[1 << 16];
static struct iovec part = {buffer, 10};
static struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

static void open_pair(void)
{
	EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
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

static void fill(void)
{
	EQ(write(pair[1], "xxxxxxxxxx", 10), 10);
}

static void drain(void)
{
	while (recv(pair[1], buffer, sizeof buffer, MSG_DONTWAIT) > 0)
		;
}

static int connect_to(int fd)
{
	return connect(fd, (struct sockaddr *)&address, sizeof address);
}

static void start_listening(void)
{
	unlink(address.sun_path);
	accepted = -1;
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	first = socket(AF_UNIX, SOCK_STREAM, 0);
	connecting = socket(AF_UNIX, SOCK_STREAM, 0);
	EQ(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
	EQ(listen(listener, 0), 0);
}

static void fill_queue(void)
{
	start_listening();
	EQ(connect_to(first), 0);
}

static void stop_listening(void)
{
	close(listener);
	close(first);
	close(connecting);
	if (accepted >= 0)
		close(accepted);
}

static void connect_first(void)
{
	EQ(connect_to(first), 0);
}

static void accept_first(void)
{
	CHECK(accept(listener, NULL, NULL) >= 0);
}

static int by_recv(void)
{
	return (int)recv(pair[0], buffer, 10, 0);
}

static int by_recv_all(void)
{
	return (int)recv(pair[0], buffer, 10, MSG_WAITALL);
}

static int by_recvfrom(void)
{
	return (int)recvfrom(pair[0], buffer, 10, 0, NULL, NULL);
}

static int by_recvmsg(void)
{
	return (int)recvmsg(pair[0], &message, 0);
}

static int by_recvmmsg(void)
{
	struct mmsghdr one = {.msg_hdr = message};
	return recvmmsg(pair[0], &one, 1, 0, NULL);
}

static int by_send(void)
{
	return (int)send(pair[0], buffer, 10, 0);
}

static int by_sendto(void)
{
	return (int)sendto(pair[0], buffer, 10, 0, NULL, 0);
}

static int by_sendmsg(void)
{
	return (int)sendmsg(pair[0], &message, 0);
}

static int by_sendmmsg(void)
{
	struct mmsghdr one = {.msg_hdr = message};
	return sendmmsg(pair[0], &one, 1, 0);
}

static int by_accept(void)
{
	return accepted = accept(listener, NULL, NULL);
}

static int by_accept4(void)
{
	return accepted = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
}

static int by_connect(void)
{
	return connect_to(connecting);
}

int main(void)
{
	static const struct call calls[] = {
		{"recv", RESTARTS, by_recv, fill, open_pair, close_pair},
		{"recv all", RESTARTS, by_recv_all, fill, open_pair, close_pair},
		{"recvfrom", RESTARTS, by_recvfrom, fill, open_pair, close_pair},
		{"recvmsg", RESTARTS, by_recvmsg, fill, open_pair, close_pair},
		{"recvmmsg", RESTARTS, by_recvmmsg, fill, open_pair, close_pair},
		{"send", RESTARTS, by_send, drain, open_full, close_pair},
		{"sendto", RESTARTS, by_sendto, drain, open_full, close_pair},
		{"sendmsg", RESTARTS, by_sendmsg, drain, open_full, close_pair},
		{"sendmmsg", RESTARTS, by_sendmmsg, drain, open_full, close_pair},
		{"accept", RESTARTS, by_accept, connect_first, start_listening, stop_listening},
		{"accept4", RESTARTS, by_accept4, connect_first, start_listening, stop_listening},
		{"connect", RESTARTS, by_connect, accept_first, fill_queue, stop_listening},
	};
	t_hot();
	CALL_ALL(calls);
	return 0;
}
