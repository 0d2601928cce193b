// SPDX-License-Identifier: MIT
// What the programs about lazy blocking share: going hot, and helpers in other processes that
// act when this one sleeps.
#pragma once
#include "t.h"
#include <sys/mman.h>
#include <time.h>

#define FATAL                                                                                      \
	(BIT(SIGHUP) | BIT(SIGINT) | BIT(SIGQUIT) | BIT(SIGUSR1) | BIT(SIGUSR2) | BIT(SIGPIPE) |   \
	 BIT(SIGALRM) | BIT(SIGTERM) | BIT(SIGVTALRM) | BIT(SIGPROF) | BIT(SIGIO))

// Blocks and opens so often that a runtime which goes over to blocking lazily has done so.
T_UNUSED static void t_warm(void)
{
	for (int i = 0; i < 200; i++) {
		t_setmask(FATAL);
		t_setmask(0);
	}
}

// What a new thread does first goes to the kernel, and what it inherits is blocked for real.
T_UNUSED static void t_settle(void)
{
	uint64_t mask = t_view();
	t_setmask(0);
	t_setmask(mask);
	t_setmask(0);
	t_setmask(mask);
}

T_UNUSED static void t_hot(void)
{
	t_start();
	t_warm();
}

// Memory that forked children share with us.
T_UNUSED static void *t_share(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		t_fail(__FILE__, __LINE__, "mmap");
	return memory;
}

T_UNUSED static void t_pause_ms(int ms)
{
	struct timespec left = {ms / 1000, ms % 1000 * 1000000L};
	while (t_syscall(SYS_nanosleep, (long)&left, (long)&left, 0, 0) == -EINTR)
		;
}

T_UNUSED static long long t_now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

#define T_PATIENCE 20000 // milliseconds until a test gives up; the machine may be busy

#define AWAIT(cond)                                                                                \
	do {                                                                                       \
		long long end_ = t_now_ms() + T_PATIENCE;                                          \
		while (!(cond)) {                                                                  \
			if (t_now_ms() > end_)                                                     \
				t_fail(__FILE__, __LINE__, "never: " #cond);                       \
			t_pause_ms(1);                                                             \
		}                                                                                  \
	} while (0)

T_UNUSED static char t_state(pid_t tid)
{
	char path[64], line[512], *end;
	snprintf(path, sizeof path, "/proc/%d/stat", tid);
	FILE *f = fopen(path, "r");
	if (!f)
		return 0;
	if (!fgets(line, sizeof line, f))
		line[0] = 0;
	fclose(f);
	end = strrchr(line, ')');
	return end ? end[2] : 0;
}

// Asleep in several looks in a row: it is in the call that waits, not on its way there.
T_UNUSED static int t_is_asleep(pid_t tid)
{
	for (int i = 0; i < 4; i++) {
		if (t_state(tid) != 'S')
			return 0;
		t_pause_ms(1);
	}
	return 1;
}

T_UNUSED static uint64_t t_pending_of(pid_t pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/status", pid);
	return t_status_in(path, "SigPnd") | t_status_in(path, "ShdPnd");
}

// Runs `body` in a process that is not our child, so that waits for children do not see it.
T_UNUSED static void t_stranger(void (*body)(pid_t us))
{
	pid_t us = getpid(), pid = fork();
	if (pid == 0) {
		if (fork() == 0)
			body(us);
		_exit(0);
	}
	if (t_wait(pid))
		t_fail(__FILE__, __LINE__, "fork");
}

// Sends these to a stopped process, so that it meets all of them at one moment.
T_UNUSED static void t_send_together(pid_t pid, const int *signals, int count)
{
	kill(pid, SIGSTOP);
	AWAIT(t_state(pid) == 'T');
	for (int i = 0; i < count; i++)
		kill(pid, signals[i]);
	kill(pid, SIGCONT);
}
