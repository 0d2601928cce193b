// SPDX-License-Identifier: GPL-2.0
// A thread that is frozen in a section thaws in it: what came meanwhile is held back.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/sigfastblock.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#define GROUP "/sys/fs/cgroup/section"

static volatile uint32_t *word;
static volatile int *handled, *go;

static void handler(int sig) { ++*handled; }

static bool put(const char *path, const char *what)
{
	int file = open(path, O_WRONLY);
	bool good = file >= 0 && write(file, what, strlen(what)) == (ssize_t)strlen(what);

	if (file >= 0)
		close(file);
	return good;
}

static bool frozen(bool want)
{
	for (int i = 0; i < 500; i++) {
		char events[200] = "";
		int file = open(GROUP "/cgroup.events", O_RDONLY);

		if (read(file, events, sizeof events - 1) < 0)
			events[0] = 0;
		close(file);
		if (strstr(events, want ? "frozen 1" : "frozen 0"))
			return true;
		usleep(10000);
	}
	return false;
}

static void in_section(bool sleeping)
{
	signal(SIGUSR1, handler);
	syscall(__NR_sigfastblock, SIGFASTBLOCK_SETPTR, word);
	*word += SIGFASTBLOCK_INC;
	while (!*go)
		if (sleeping)
			usleep(1000);
	if (__atomic_fetch_sub(word, SIGFASTBLOCK_INC, __ATOMIC_SEQ_CST) ==
	    (SIGFASTBLOCK_PEND | SIGFASTBLOCK_INC))
		syscall(__NR_sigfastblock, SIGFASTBLOCK_UNBLOCK, NULL);
	_exit(*handled == 1 && *word == 0 ? 0 : 1);
}

static void freeze(bool sleeping)
{
	const char *what = sleeping ? "asleep" : "awake";
	char number[20];
	pid_t child;
	int status;

	*word = *handled = *go = 0;
	child = fork();
	if (!child)
		in_section(sleeping);
	snprintf(number, sizeof number, "%d", child);
	while (!*word)
		usleep(1000);
	put(GROUP "/cgroup.procs", number);
	check(put(GROUP "/cgroup.freeze", "1") && frozen(true), "%s: frozen", what);
	kill(child, SIGUSR1);
	usleep(100000);
	check(frozen(true) && !*handled, "%s: a signal does not thaw it", what);
	put(GROUP "/cgroup.freeze", "0");
	check(frozen(false), "%s: thawed", what);
	for (int i = 0; i < 500 && !(*word & SIGFASTBLOCK_PEND); i++)
		usleep(10000);
	check(!*handled && *word == (SIGFASTBLOCK_PEND | SIGFASTBLOCK_INC), "%s: held back", what);
	*go = 1;
	waitpid(child, &status, 0);
	check(status == 0, "%s: delivered at the end", what);
}

int main(void)
{
	volatile int *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	word = (volatile uint32_t *)page;
	handled = page + 1;
	go = page + 2;
	if (mkdir(GROUP, 0755))
		return 77;
	freeze(true);
	freeze(false);
	rmdir(GROUP);
	return test_status();
}
