// SPDX-License-Identifier: MIT
// Calls on regular files and others that no signal ever ends, in a tight loop under a storm of
// signals whose handlers have no SA_RESTART: none of them fails.
#include "lazy.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>

static volatile int runs;
static int file, directory;
static char buffer[64];

static void handler(int sig)
{
	(void)sig;
	runs++;
}

#define NO_ERROR(call)                                                                             \
	do {                                                                                       \
		errno = 0;                                                                         \
		if ((call) < 0)                                                                    \
			t_equal(errno, 0, #call, __FILE__, __LINE__);                              \
	} while (0)

static void turn(void)
{
	struct iovec part = {buffer, sizeof buffer};
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct stat state;
	int waiting, other;
	NO_ERROR(lseek(file, 0, SEEK_SET));
	NO_ERROR(write(file, buffer, sizeof buffer));
	NO_ERROR(lseek(file, 0, SEEK_SET));
	NO_ERROR(read(file, buffer, sizeof buffer));
	NO_ERROR(pread(file, buffer, sizeof buffer, 0));
	NO_ERROR(pwritev(file, &part, 1, 0));
	NO_ERROR(preadv(file, &part, 1, 0));
	NO_ERROR(flock(file, LOCK_EX));
	NO_ERROR(flock(file, LOCK_UN));
	NO_ERROR(fcntl(file, F_SETLKW, &whole));
	NO_ERROR(fcntl(file, F_GETFD));
	NO_ERROR(ioctl(file, FIONREAD, &waiting));
	NO_ERROR(fstat(file, &state));
	NO_ERROR(other = open("file", O_RDONLY));
	NO_ERROR(close(other));
}

// Directories are read by the file calls too.
static void list(void)
{
	DIR *stream = opendir(".");
	CHECK(stream != NULL);
	errno = 0;
	while (readdir(stream))
		EQ(errno, 0);
	EQ(errno, 0);
	EQ(closedir(stream), 0);
}

int main(void)
{
	struct itimerval often = {{0, 50}, {0, 50}}, off = {{0, 0}, {0, 0}};
	t_hot();
	file = open("file", O_RDWR | O_CREAT, 0600);
	directory = open(".", O_RDONLY | O_DIRECTORY);
	CHECK(file >= 0 && directory >= 0);
	t_handle(SIGALRM, handler, 0, 0);
	// Once blocked and opened, the runtime has had its chance to take the handler over.
	t_setmask(BIT(SIGALRM));
	t_setmask(0);
	EQ(setitimer(ITIMER_REAL, &often, NULL), 0);
	long long end = t_now_ms() + 700;
	for (int i = 0; t_now_ms() < end || runs < 500; i++) {
		for (int j = 0; j < 20; j++)
			turn();
		list();
	}
	EQ(setitimer(ITIMER_REAL, &off, NULL), 0);
	return 0;
}
