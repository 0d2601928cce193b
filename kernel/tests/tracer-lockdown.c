// SPDX-License-Identifier: GPL-2.0
// A kernel that is locked down against reading it: `sigzero stat` says so in a line, and counts a command by
// ptrace. There is no way back before the next boot, so this is the last of the tracer's tests by name.
// It takes a kernel with config/bpf, and target/release/sigzero.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>
#include "test.h"

#define LOCKDOWN "/sys/kernel/security/lockdown"

static char self[4096], sigzero[4096], said[1 << 16];

static int run(char *const *words)
{
	int status, file, said_to = open("/tmp/said", O_RDWR | O_CREAT | O_TRUNC, 0600);
	ssize_t length;
	pid_t child = fork();

	if (!child) {
		dup2(said_to, 2);
		execv(sigzero, words);
		_exit(126);
	}
	close(said_to);
	waitpid(child, &status, 0);
	file = open("/tmp/said", O_RDONLY);
	length = read(file, said, sizeof said - 1);
	said[length > 0 ? length : 0] = 0;
	close(file);
	return status;
}

static void lock(const char *how)
{
	int file = open(LOCKDOWN, O_WRONLY);

	check(write(file, how, strlen(how)) == (ssize_t)strlen(how), "the kernel is locked down: %s", how);
	close(file);
}

int main(int argc, __attribute__((unused)) char **argv)
{
	char *all[] = { "sigzero", "stat", "-a", "--duration", "0", NULL };
	char *queue[] = { "sigzero", "queue", "-a", "--duration", "0", NULL };
	char *command[] = { "sigzero", "stat", "--source", "auto", "--json", "--", self, "ask", NULL };
	int status;

	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		return 1;
	if (argc > 1) {
		sigset_t set;

		for (int i = 0; i < 100; i++)
			sigprocmask(SIG_SETMASK, NULL, &set);
		return 7;
	}
	snprintf(sigzero, sizeof sigzero, "%s/target/release/sigzero", getenv("ROOT") ?: "");
	mount("securityfs", "/sys/kernel/security", "securityfs", 0, NULL);
	if (access(sigzero, X_OK) || access("/sys/kernel/btf/vmlinux", R_OK) || access(LOCKDOWN, W_OK)) {
		printf("skip: it needs target/release/sigzero (make cli) and --config bpf\n");
		return 77;
	}
	lock("integrity");
	check(!run(all), "that does not matter");
	lock("confidentiality");
	status = run(all);
	check(WEXITSTATUS(status) == 125 && strstr(said, "lift the lockdown"), "stat says so: %.200s", said);
	status = run(queue);
	check(!status && strstr(said, "lift the lockdown") && strstr(said, "only the kernel's counters"),
	      "queue too, and shows what the kernel tells everybody: %.200s", said);
	umount("/sys/kernel/security");
	status = run(all);
	check(WEXITSTATUS(status) == 125 && *said && !strchr(said, '\n')[1], "where that cannot be read, one line: %.200s",
	      said);
	status = run(command);
	check(WEXITSTATUS(status) == 7 && strstr(said, "\"source\": \"ptrace\"") && strstr(said, "\"total\": 100"),
	      "a command is counted by ptrace: status %#x, %.300s", status, said);
	return test_status();
}
