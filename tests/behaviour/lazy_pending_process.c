// SPDX-License-Identifier: MIT
// SIGPIPE and SIGXFSZ that kill(2) sends to the own process are pending for the process, those of a
// write for the thread that wrote.
#include "lazy.h"

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void by_kill(int sig)
{
	EQ(kill(getpid(), sig), 0);
}

static void by_syscall(int sig)
{
	EQ(syscall(SYS_kill, getpid(), sig), 0);
}

static void by_group(int sig)
{
	EQ(killpg(0, sig), 0);
}

static void by_raise(int sig)
{
	EQ(raise(sig), 0);
}

static void by_write(int sig)
{
	int ends[2];
	(void)sig;
	EQ(pipe(ends), 0);
	close(ends[0]);
	EQ(write(ends[1], "x", 1), -1);
	EQ(errno, EPIPE);
	close(ends[1]);
}

static void check(int sig, void (*send)(int), const char *where)
{
	runs = 0;
	t_handle(sig, handler, 0, 0);
	t_setmask(BIT(sig));
	send(sig);
	EQ(t_status("SigPnd") & BIT(sig), strcmp(where, "SigPnd") == 0 ? BIT(sig) : 0);
	EQ(t_status("ShdPnd") & BIT(sig), strcmp(where, "ShdPnd") == 0 ? BIT(sig) : 0);
	EQ(runs, 0);
	t_setmask(0);
	EQ(runs, 1);
}

// A group of our own, so that killpg reaches nobody else.
static void all(void)
{
	EQ(setpgid(0, 0), 0);
	check(SIGPIPE, by_write, "SigPnd");
	check(SIGPIPE, by_raise, "SigPnd");
	check(SIGPIPE, by_kill, "ShdPnd");
	check(SIGXFSZ, by_raise, "SigPnd");
	check(SIGXFSZ, by_group, "ShdPnd");
	check(SIGXFSZ, by_kill, "ShdPnd");
	check(SIGXFSZ, by_syscall, "ShdPnd");
}

static void by_number_first(void)
{
	check(SIGPIPE, by_syscall, "ShdPnd");
}

int main(void)
{
	t_hot();
	EQ(killpg(-1, 0), -1);
	EQ(errno, EINVAL);
	EQ(kill(getpid(), 65), -1);
	EQ(errno, EINVAL);
	EQ(kill(getpid(), 0), 0);
	EQ(t_child(by_number_first), 0);
	EQ(t_child(all), 0);
	return 0;
}
