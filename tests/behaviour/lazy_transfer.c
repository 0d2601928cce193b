// SPDX-License-Identifier: MIT
// A long transfer is not cut short by a signal that comes while it is blocked.
#include "lazy.h"
#include <fcntl.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#define MUCH (4 << 20)
static int ends[2], pair[2], zero, file, other;
static char *buffer;
static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

// The other end takes or gives a little at a time, and signals in between.
static pid_t partner(pid_t us, int fd, int gives)
{
	pid_t pid = fork();
	if (pid)
		return pid;
	for (long done = 0; done < MUCH;) {
		long n = gives ? write(fd, buffer, 65536) : read(fd, buffer, 65536);
		if (n <= 0)
			break;
		done += n;
		kill(us, SIGUSR1);
		if (done % (1 << 20) == 0)
			t_pause_ms(1);
	}
	_exit(0);
}

static long by_write(void)
{
	return write(ends[1], buffer, MUCH);
}

static long by_writev(void)
{
	struct iovec parts[2] = {{buffer, MUCH / 2}, {buffer + MUCH / 2, MUCH / 2}};
	return writev(ends[1], parts, 2);
}

static long by_send(void)
{
	return send(pair[0], buffer, MUCH, 0);
}

static long by_sendmsg(void)
{
	struct iovec part = {buffer, MUCH};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	return sendmsg(pair[0], &message, 0);
}

static long by_write_to_socket(void)
{
	return write(pair[0], buffer, MUCH);
}

static long by_recv(void)
{
	return recv(pair[0], buffer, MUCH, MSG_WAITALL);
}

static long by_sendfile(void)
{
	off_t from = 0;
	return sendfile(pair[0], file, &from, MUCH);
}

static long by_read_of_zero(void)
{
	return read(zero, buffer, MUCH);
}

static long by_getrandom(void)
{
	return getrandom(buffer, MUCH / 4, 0) * 4;
}

static long by_file_read(void)
{
	return pread(file, buffer, MUCH, 0);
}

static long by_file_write(void)
{
	return pwrite(other, buffer, MUCH, 0);
}

static long by_sendfile_to_file(void)
{
	off_t from = 0;
	lseek(other, 0, SEEK_SET);
	return sendfile(other, file, &from, MUCH);
}

static long by_copy(void)
{
	off_t from = 0, to = 0;
	return copy_file_range(file, &from, other, &to, MUCH, 0);
}

static long by_fwrite(void)
{
	FILE *stream = fdopen(dup(ends[1]), "w");
	long n = (long)fwrite(buffer, 1, MUCH, stream);
	if (fflush(stream) || ferror(stream))
		n = -1;
	fclose(stream);
	return n;
}

static const struct {
	const char *name;
	long (*run)(void);
	int *partner, gives;
} ways[] = {
	{"write", by_write, &ends[0], 0},
	{"writev", by_writev, &ends[0], 0},
	{"fwrite", by_fwrite, &ends[0], 0},
	{"sendfile", by_sendfile, &pair[1], 0},
	{"send", by_send, &pair[1], 0},
	{"sendmsg", by_sendmsg, &pair[1], 0},
	{"write to a socket", by_write_to_socket, &pair[1], 0},
	{"recv", by_recv, &pair[1], 1},
	{"read of zeroes", by_read_of_zero, NULL, 0},
	{"getrandom", by_getrandom, NULL, 0},
	{"read of a file", by_file_read, NULL, 0},
	{"write to a file", by_file_write, NULL, 0},
	{"sendfile to a file", by_sendfile_to_file, NULL, 0},
	{"copy_file_range", by_copy, NULL, 0},
};

static void transfer(int i)
{
	static const struct itimerval often = {{0, 200}, {0, 200}}, off;
	pid_t pid = ways[i].partner ? partner(getpid(), *ways[i].partner, ways[i].gives) : 0;
	if (!pid)
		EQ(setitimer(ITIMER_REAL, &often, NULL), 0);
	t_setmask(BIT(SIGUSR1) | BIT(SIGALRM));
	errno = 0;
	long n = ways[i].run();
	if (n != MUCH)
		t_equal(n, MUCH, ways[i].name, __FILE__, __LINE__);
	EQ(setitimer(ITIMER_REAL, &off, NULL), 0);
	t_setmask(0);
	if (pid)
		EQ(t_wait(pid), 0);
}

int main(void)
{
	t_hot();
	buffer = t_share(MUCH);
	EQ(pipe(ends), 0);
	EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	zero = open("/dev/zero", O_RDONLY);
	file = open("file", O_RDWR | O_CREAT, 0600);
	other = open("other", O_RDWR | O_CREAT, 0600);
	CHECK(zero >= 0 && file >= 0 && other >= 0);
	EQ(ftruncate(file, MUCH), 0);
	for (int flags = 0; flags < 2; flags++) {
		t_handle(SIGUSR1, handler, flags ? SA_RESTART : 0, 0);
		t_handle(SIGALRM, handler, flags ? SA_RESTART : 0, 0);
		for (int i = 0; i < (int)(sizeof ways / sizeof *ways); i++)
			for (int turn = 0; turn < 5; turn++)
				transfer(i);
	}
	return 0;
}
