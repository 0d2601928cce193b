// SPDX-License-Identifier: MIT
// Waiting for a message while something lies in the socket's error queue: poll(2) has an answer
// then, and the call waits all the same.
#include "lazy_call.h"
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

static int ours = -1, theirs;
static struct sockaddr_in here, there;
static char byte;

static int bound(struct sockaddr_in *address)
{
	socklen_t size = sizeof *address;
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	*address = (struct sockaddr_in){.sin_family = AF_INET,
	                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (fd < 0 || bind(fd, (struct sockaddr *)address, size))
		return -1;
	EQ(getsockname(fd, (struct sockaddr *)address, &size), 0);
	return fd;
}

static int prepared(void)
{
	unsigned stamps = SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
	struct pollfd look = {.events = POLLIN};
	ours = bound(&here);
	theirs = bound(&there);
	look.fd = ours;
	if (ours < 0 || theirs < 0 ||
	    setsockopt(ours, SOL_SOCKET, SO_TIMESTAMPING, &stamps, sizeof stamps) ||
	    sendto(ours, "x", 1, 0, (struct sockaddr *)&there, sizeof there) != 1)
		return 0;
	return poll(&look, 1, 1000) == 1 && look.revents == POLLERR;
}

static void fill(void)
{
	EQ(sendto(theirs, "x", 1, 0, (struct sockaddr *)&here, sizeof here), 1);
}

static int by_recv(void)
{
	return (int)recv(ours, &byte, 1, 0);
}

static int by_read(void)
{
	return (int)read(ours, &byte, 1);
}

int main(void)
{
	static const struct call calls[] = {
		{"recv", RESTARTS, by_recv, fill, NULL, NULL},
		{"read", RESTARTS, by_read, fill, NULL, NULL},
	};
	if (!prepared())
		return T_SKIP;
	t_hot();
	CALL_ALL(calls);
	return 0;
}
