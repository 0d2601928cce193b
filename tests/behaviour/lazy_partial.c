// SPDX-License-Identifier: MIT
// A call that has moved a part of what was asked for: a blocked signal must not end it there.
#include "lazy.h"
#include <fcntl.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <termios.h>

#define MUCH (1 << 20)
static int ends[2], file;
static char buffer[MUCH];
static volatile int *sent;
static volatile int runs;

static void count(int sig)
{
	(void)sig;
	runs++;
}

static void take_all(void)
{
	static char taken[65536];
	ssize_t n, sum = 0;
	while (sum < MUCH && (n = read(ends[0], taken, sizeof taken)) > 0)
		sum += n;
}

static void give_rest(void)
{
	EQ(write(ends[1], buffer, 50), 50);
}

static void (*release)(void);

static void helper(pid_t us)
{
	AWAIT(t_is_asleep(us));
	kill(us, SIGUSR1);
	AWAIT(t_pending_of(us) & BIT(SIGUSR1));
	AWAIT(*sent || t_is_asleep(us));
	release();
	_exit(0);
}

static long move(long (*call)(void), void (*then)(void))
{
	release = then;
	*sent = 0;
	runs = 0;
	t_stranger(helper);
	t_setmask(BIT(SIGUSR1));
	long moved = call();
	*sent = 1;
	EQ(runs, 0);
	t_setmask(0);
	EQ(runs, 1);
	return moved;
}

static void close_both(void)
{
	close(ends[0]);
	close(ends[1]);
}

static long by_write(void)
{
	return write(ends[1], buffer, MUCH);
}

static long by_writev(void)
{
	struct iovec parts[2] = {{buffer, MUCH / 2}, {buffer, MUCH / 2}};
	return writev(ends[1], parts, 2);
}

static void to_pipe(void)
{
	static long (*const calls[])(void) = {by_write, by_writev};
	for (int i = 0; i < 2; i++) {
		EQ(pipe(ends), 0);
		EQ(move(calls[i], take_all), MUCH);
		close_both();
	}
}

static long by_send(void)
{
	return send(ends[1], buffer, MUCH, 0);
}

static long by_sendmsg(void)
{
	struct iovec part = {buffer, MUCH};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	return sendmsg(ends[1], &message, 0);
}

static long by_sendfile(void)
{
	off_t at = 0;
	return sendfile(ends[1], file, &at, MUCH);
}

static long by_recv(void)
{
	return recv(ends[0], buffer, 60, MSG_WAITALL);
}

static long by_recvmsg(void)
{
	struct iovec part = {buffer, 60};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	return recvmsg(ends[0], &message, MSG_WAITALL);
}

static void on_stream(void)
{
	static long (*const calls[])(void) = {by_send, by_sendmsg, by_sendfile, by_recv,
	                                            by_recvmsg};
	for (int i = 0; i < 5; i++) {
		int sends = i < 3;
		EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
		if (!sends)
			EQ(write(ends[1], buffer, 10), 10);
		EQ(move(calls[i], sends ? take_all : give_rest), sends ? MUCH : 60);
		close_both();
	}
}

static long by_recvmmsg(void)
{
	struct iovec part = {buffer, 60};
	struct mmsghdr messages[2] = {{.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}},
	                              {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}}};
	return recvmmsg(ends[0], messages, 2, 0, NULL);
}

static void of_messages(void)
{
	EQ(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
	EQ(write(ends[1], buffer, 10), 10);
	EQ(move(by_recvmmsg, give_rest), 2);
	close_both();
}

static long by_read(void)
{
	return read(ends[0], buffer, 60);
}

static void from_terminal(void)
{
	struct termios attributes;
	ends[1] = posix_openpt(O_RDWR | O_NOCTTY);
	EQ(grantpt(ends[1]), 0);
	EQ(unlockpt(ends[1]), 0);
	ends[0] = open(ptsname(ends[1]), O_RDWR | O_NOCTTY);
	CHECK(ends[0] >= 0);
	EQ(tcgetattr(ends[0], &attributes), 0);
	cfmakeraw(&attributes);
	attributes.c_cc[VMIN] = 60;
	attributes.c_cc[VTIME] = 0;
	EQ(tcsetattr(ends[0], TCSANOW, &attributes), 0);
	EQ(write(ends[1], buffer, 10), 10);
	EQ(move(by_read, give_rest), 60);
	close_both();
}

// These never sleep, so a timer has to hit them.
static void of_devices(void)
{
	enum { SIZE = 64 << 20 };
	static const char *const devices[] = {"/dev/zero", "/dev/urandom"};
	struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
	char *to = t_share(SIZE);

	t_handle(SIGALRM, count, SA_RESTART, 0);
	EQ(setitimer(ITIMER_REAL, &often, NULL), 0);
	for (int i = 0; i < 2; i++) {
		int fd = open(devices[i], O_RDONLY);
		CHECK(fd >= 0);
		for (int at_once = 0; at_once < 2; at_once++) {
			size_t size = SIZE / (i ? 8 : 1);
			t_setmask(BIT(SIGALRM));
			EQ(at_once ? pread(fd, to, size, 0) : read(fd, to, size), size);
			t_setmask(0);
		}
		close(fd);
	}
	t_setmask(BIT(SIGALRM));
	EQ(getrandom(to, SIZE / 8, 0), SIZE / 8);
	t_setmask(0);
	EQ(setitimer(ITIMER_REAL, &never, NULL), 0);
}

int main(void)
{
	t_hot();
	sent = t_share(sizeof *sent);
	t_handle(SIGUSR1, count, SA_RESTART, 0);
	file = (int)t_syscall(SYS_memfd_create, (long)"much", 0, 0, 0);
	EQ(write(file, buffer, MUCH), MUCH);
	to_pipe();
	on_stream();
	of_messages();
	from_terminal();
	of_devices();
	return 0;
}
