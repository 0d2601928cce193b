// SPDX-License-Identifier: GPL-2.0
// The first process: runs every program in /tests, one after the other, and leaves the emulator
// with a status. Tells kernel/check what it does in lines that begin with "#!".
//   sigzero.run=NAME,NAME   on the kernel's command line: only these
//   sigzero.seconds=N       kills a test that takes longer (300)
//   sigzero.clock=any       goes on with a clock that is coarser than a microsecond
//   anything else           NAME=VALUE words that begin with a capital go to the tests' environment
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static char only[4096];
static int limit = 300;
static int any_clock;

enum { COARSE = 97 };

static void filesystem(const char *type, const char *where)
{
	mkdir(where, 0755);
	if (mount(type, where, type, 0, NULL) && errno != EBUSY)
		printf("#! mount %s: %s\n", type, strerror(errno));
}

// The file's text, at most SIZE - 1 bytes of it.
static char *text(const char *path, char *buffer, size_t size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t more;

	if (file >= 0) {
		while ((more = read(file, buffer + length, size - 1 - length)) > 0)
			length += more;
		close(file);
	}
	buffer[length] = 0;
	return buffer;
}

static void put(const char *path, const char *what)
{
	int file = open(path, O_WRONLY | O_CLOEXEC);

	if (file >= 0) {
		if (write(file, what, strlen(what)) < 0)
			printf("#! %s: %s\n", path, strerror(errno));
		close(file);
	}
}

// Way out of the emulator.
static bool may_leave;

static void door(bool open)
{
	if (open != may_leave && ioperm(0xf4, 1, open) == 0)
		may_leave = open;
}

static void leave(int status)
{
	printf("#! leave %d\n", status);
	fflush(stdout);
	tcdrain(1);
	usleep(50000);
	door(true);
	if (may_leave)
		outb(status, 0xf4);
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

static void arguments(void)
{
	static char line[4096];

	for (char *word = strtok(text("/proc/cmdline", line, sizeof line), " \n"); word;
	     word = strtok(NULL, " \n")) {
		if (!strncmp(word, "sigzero.run=", 12))
			snprintf(only, sizeof only, ",%s,", word + 12);
		else if (!strncmp(word, "sigzero.seconds=", 16))
			limit = atoi(word + 16);
		else if (!strcmp(word, "sigzero.clock=any"))
			any_clock = 1;
		else if (*word >= 'A' && *word <= 'Z' && strchr(word, '='))
			putenv(word);
	}
}

static int wanted(const struct dirent *entry)
{
	char name[300];

	snprintf(name, sizeof name, ",%s,", entry->d_name);
	return entry->d_name[0] != '.' && (!only[0] || strstr(only, name));
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

// Orphans that a test left behind end with it: they are all in its session, or are killed when
// they are reaped by nobody but us.
static int run(const char *name)
{
	double start = now();
	int status = 0, late = 0;
	pid_t child;

	printf("#! run %s\n", name);
	fflush(stdout);
	child = fork();
	if (!child) {
		char path[300];

		door(false);
		setsid();
		snprintf(path, sizeof path, "/tests/%s", name);
		execl(path, name, (char *)NULL);
		printf("#! exec %s: %s\n", path, strerror(errno));
		fflush(stdout);
		_exit(127);
	}
	for (;;) {
		pid_t done = waitpid(-1, &status, WNOHANG);

		if (done == child)
			break;
		if (done > 0)
			continue;
		if (now() - start > limit && !late++) {
			printf("#! late %s\n", name);
			kill(-1, SIGKILL);
		}
		usleep(5000);
	}
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	printf("#! end %s %d %.1f\n", name,
	       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), now() - start);
	fflush(stdout);
	return status != 0;
}

// On a busy host the kernel may fail to calibrate its timer and tick every 4 ms for good. It takes
// a moment until it trusts the finer one. Whoever boots us tries again then.
static void fine_clock(void)
{
	struct timespec resolution = { 0 };

	for (int i = 0; i < 300; i++) {
		clock_getres(CLOCK_MONOTONIC, &resolution);
		if (any_clock || resolution.tv_nsec < 1000)
			return;
		usleep(10000);
	}
	printf("#! coarse clock\n");
	leave(COARSE);
}

// The first scan may miss what was freed just now, and report what is on its way: the second counts.
static void leaks(void)
{
	static char report[65536];
	const char *path = "/sys/kernel/debug/kmemleak";

	if (access(path, W_OK))
		return;
	put(path, "scan");
	sleep(6);
	put(path, "scan");
	text(path, report, sizeof report);
	for (char *line = strtok(report, "\n"); line; line = strtok(NULL, "\n"))
		printf("#! leak %s\n", line);
}

int main(void)
{
	struct rlimit core = { RLIM_INFINITY, RLIM_INFINITY };
	struct dirent **tests;
	struct utsname name;
	char tainted[32];
	int count, bad = 0, line;

	filesystem("devtmpfs", "/dev");
	line = open("/dev/ttyS1", O_RDWR | O_NOCTTY);
	if (line >= 0) {
		struct termios raw;

		tcgetattr(line, &raw);
		cfmakeraw(&raw);
		cfsetspeed(&raw, B115200);
		tcsetattr(line, TCSANOW, &raw);
		dup2(line, 0);
		dup2(line, 1);
		dup2(line, 2);
	}
	filesystem("proc", "/proc");
	filesystem("sysfs", "/sys");
	filesystem("tmpfs", "/tmp");
	filesystem("tmpfs", "/dev/shm");
	filesystem("devpts", "/dev/pts");
	filesystem("debugfs", "/sys/kernel/debug");
	filesystem("tracefs", "/sys/kernel/tracing");
	filesystem("cgroup2", "/sys/fs/cgroup");
	// A test may lock the kernel down, and then nobody is let near a port any more.
	if (!access("/sys/kernel/security", F_OK))
		door(true);
	setrlimit(RLIMIT_CORE, &core);
	put("/proc/sys/kernel/core_pattern", "core"); // as elsewhere; tests run in /tmp
	setenv("PATH", "/usr/bin:/bin", 1);
	arguments();

	fine_clock();
	uname(&name);
	printf("#! kernel %s, %ld processors\n", name.release, sysconf(_SC_NPROCESSORS_ONLN));
	if (chdir("/tmp"))
		leave(98);
	count = scandir("/tests", &tests, wanted, alphasort);
	for (int i = 0; i < count; i++)
		bad += run(tests[i]->d_name);
	leaks();
	printf("#! tainted %s\n", strtok(text("/proc/sys/kernel/tainted", tainted, sizeof tainted), "\n"));
	leave(bad ? 1 : 0);
}
