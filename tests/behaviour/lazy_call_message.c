// SPDX-License-Identifier: MIT
// Waiting for System V messages and semaphores, never restarted, and for POSIX messages, which
// are, while a signal comes.
#include "lazy_call.h"
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

static struct {
	long type;
	char text[4096];
} message = {1, ""};
static int queue, semaphores;
static mqd_t posix_queue;
static char name[64], text[64];

static void new_queue(void)
{
	queue = msgget(IPC_PRIVATE, 0600);
	CHECK(queue >= 0);
}

static void full_queue(void)
{
	new_queue();
	while (msgsnd(queue, &message, sizeof message.text, IPC_NOWAIT) == 0)
		;
}

static void end_queue(void)
{
	msgctl(queue, IPC_RMID, NULL);
}

static void put(void)
{
	EQ(msgsnd(queue, &message, 1, 0), 0);
}

static void take(void)
{
	CHECK(msgrcv(queue, &message, sizeof message.text, 0, 0) >= 0);
}

static void new_semaphores(void)
{
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	CHECK(semaphores >= 0);
}

static void end_semaphores(void)
{
	semctl(semaphores, 0, IPC_RMID);
}

static void raise_semaphore(void)
{
	struct sembuf up = {0, 1, 0};
	EQ(semop(semaphores, &up, 1), 0);
}

static void new_posix_queue(void)
{
	struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = sizeof text};
	snprintf(name, sizeof name, "/sigzero-test-%d", getpid());
	mq_unlink(name);
	posix_queue = mq_open(name, O_RDWR | O_CREAT, 0600, &attr);
	CHECK(posix_queue != (mqd_t)-1);
	mq_unlink(name);
}

static void full_posix_queue(void)
{
	new_posix_queue();
	EQ(mq_send(posix_queue, "x", 1, 0), 0);
}

static void end_posix_queue(void)
{
	mq_close(posix_queue);
}

static void put_posix(void)
{
	EQ(mq_send(posix_queue, "x", 1, 0), 0);
}

static void take_posix(void)
{
	EQ(mq_receive(posix_queue, text, sizeof text, NULL), 1);
}

static int by_msgrcv(void)
{
	return (int)msgrcv(queue, &message, sizeof message.text, 0, 0);
}

static int by_msgsnd(void)
{
	return msgsnd(queue, &message, sizeof message.text, 0);
}

static int by_semop(void)
{
	struct sembuf down = {0, -1, 0};
	return semop(semaphores, &down, 1);
}

static int by_semtimedop(void)
{
	struct sembuf down = {0, -1, 0};
	struct timespec limit = {60, 0};
	return semtimedop(semaphores, &down, 1, &limit);
}

static int by_mq_receive(void)
{
	return (int)mq_receive(posix_queue, text, sizeof text, NULL);
}

static int by_mq_timedreceive(void)
{
	struct timespec limit = {.tv_sec = time(NULL) + 60};
	return (int)mq_timedreceive(posix_queue, text, sizeof text, NULL, &limit);
}

static int by_mq_send(void)
{
	return mq_send(posix_queue, "x", 1, 0);
}

int main(void)
{
	static const struct call calls[] = {
		{"msgrcv", ENDS, by_msgrcv, put, new_queue, end_queue},
		{"msgsnd", ENDS, by_msgsnd, take, full_queue, end_queue},
		{"semop", ENDS, by_semop, raise_semaphore, new_semaphores, end_semaphores},
		{"semtimedop", ENDS, by_semtimedop, raise_semaphore, new_semaphores,
	         end_semaphores},
		{"mq_receive", RESTARTS, by_mq_receive, put_posix, new_posix_queue,
	         end_posix_queue},
		{"mq_timedreceive", RESTARTS, by_mq_timedreceive, put_posix, new_posix_queue,
	         end_posix_queue},
		{"mq_send", RESTARTS, by_mq_send, take_posix, full_posix_queue, end_posix_queue},
	};
	t_hot();
	CALL_ALL(calls);
	return 0;
}
