// SPDX-License-Identifier: MIT
// The auxiliary vector lies right behind the environment, and some programs walk to it from
// there: it is still found after an even or odd number of our variables has gone.
#include "t.h"
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

extern char **environ;

static int find(struct dl_phdr_info *info, size_t size, void *path)
{
	(void)size;
	if (!strstr(info->dlpi_name, "libsigzero"))
		return 0;
	snprintf(path, 4096, "%s", info->dlpi_name);
	return 1;
}

static void walk(char **from)
{
	unsigned long page = 0, entries = 0;
	for (; *from; from++)
		if (!getenv("SIGZERO_FOLLOW")) {
			CHECK(strncmp(*from, "SIGZERO_", 8) != 0);
			CHECK(strncmp(*from, "LD_PRELOAD=", 11) != 0);
		}
	for (ElfW(auxv_t) *entry = (void *)(from + 1); entry->a_type != AT_NULL; entry++) {
		if (entry->a_type == AT_PAGESZ)
			page = entry->a_un.a_val;
		if (++entries == 1000)
			t_fail(__FILE__, __LINE__, "the auxiliary vector has no end");
	}
	EQ(page, sysconf(_SC_PAGESIZE));
	EQ(getauxval(AT_PAGESZ), page);
	CHECK(entries > 10);
}

static void run_with(char *program, char *preload, int ours, int others)
{
	char *all_ours[] = {preload, "SIGZERO_MODE=shadow", "SIGZERO_QUIET=1", "SIGZERO_OUT=."};
	char *again[] = {program, "again", NULL}, *variables[8], **to = variables;
	for (int i = 0; i < ours; i++)
		*to++ = all_ours[i];
	for (int i = 0; i < others; i++)
		*to++ = i ? "B=2" : "A=1";
	*to = NULL;
	pid_t pid = fork();
	if (pid == 0) {
		execve(program, again, variables);
		_exit(99);
	}
	EQ(t_wait(pid), 0);
}

int main(int argc, char **argv)
{
	char path[4096], preload[4200];
	walk(environ);
	walk(argv + argc + 1);
	if (argc > 1 || !dl_iterate_phdr(find, path))
		return 0;
	snprintf(preload, sizeof preload, "LD_PRELOAD=%s", path);
	for (int ours = 1; ours <= 4; ours++)
		for (int others = 0; others <= 2; others++)
			run_with(argv[0], preload, ours, others);
	return 0;
}
