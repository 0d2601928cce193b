// SPDX-License-Identifier: MIT
// Waiting for a lock on a file while a signal comes.
#include "lazy_call.h"
#include <fcntl.h>
#include <sys/file.h>

static int fd;
static pid_t owner;
static volatile int *locked;
static struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

// The lock belongs to another process, and goes with it.
static void hold(void (*lock)(int))
{
	*locked = 0;
	fd = open("locked", O_RDWR | O_CREAT, 0600);
	CHECK(fd >= 0);
	owner = fork();
	if (owner == 0) {
		lock(open("locked", O_RDWR));
		*locked = 1;
		for (;;)
			pause();
	}
	AWAIT(*locked);
}

static void lock_flock(int file)
{
	EQ(flock(file, LOCK_EX), 0);
}

static void lock_record(int file)
{
	EQ(fcntl(file, F_SETLKW, &whole), 0);
}

static void hold_flock(void)
{
	hold(lock_flock);
}

static void hold_record(void)
{
	hold(lock_record);
}

static void let_go(void)
{
	kill(owner, SIGKILL);
}

static void finish(void)
{
	kill(owner, SIGKILL);
	t_wait(owner);
	close(fd);
}

static int by_flock(void)
{
	return flock(fd, LOCK_EX);
}

static int by_record(void)
{
	return fcntl(fd, F_SETLKW, &whole);
}

static int by_description(void)
{
	return fcntl(fd, F_OFD_SETLKW, &whole);
}

static int by_lockf(void)
{
	return lockf(fd, F_LOCK, 0);
}

int main(void)
{
	static const struct call calls[] = {
		{"flock", RESTARTS, by_flock, let_go, hold_flock, finish},
		{"F_SETLKW", RESTARTS, by_record, let_go, hold_record, finish},
		{"F_OFD_SETLKW", RESTARTS, by_description, let_go, hold_record, finish},
		{"lockf", RESTARTS, by_lockf, let_go, hold_record, finish},
	};
	t_hot();
	locked = t_share(sizeof *locked);
	CALL_ALL(calls);
	return 0;
}
