// SPDX-License-Identifier: MIT
// What went wrong with a section, in one line that says which thread, both words and what to do.
// Each kind once a thread: a word that is wrong stays so, and signals may come by the thousand.
#include <pthread.h>

#include "mode.h"
#include "report_line.h"
#include "section.h"

static __thread uint32_t reported;

static const char *const problems[] = {
	[SZ_SECTION_BELOW_ZERO] = "left more sections than it entered",
	[SZ_SECTION_OVERWRITTEN] = "something wrote over the words of its section",
	[SZ_SECTION_REGISTERED_BELOW_ZERO] =
		"the count in the word given to sigfastblock is below 0",
	[SZ_SECTION_ENDED] = "ended inside a section",
};

static const char *const remedies[] = {
	[SZ_SECTION_BELOW_ZERO] =
		"signals go through; look for a sigzero_unblock without its sigzero_block",
	[SZ_SECTION_OVERWRITTEN] =
		"signals go through; in a debugger set a watchpoint on sigzero_self.word",
	[SZ_SECTION_REGISTERED_BELOW_ZERO] =
		"signals go through; look for a subtraction without its addition",
	[SZ_SECTION_ENDED] =
		"look for a return, longjmp or exit between sigzero_block and sigzero_unblock",
};

static void words(struct sz_line *line)
{
	sz_line_text(line, " (word 0x");
	sz_line_hex(line, SZ_READ(sigzero_self.word));
	sz_line_text(line, ", copy 0x");
	sz_line_hex(line, SZ_READ(sigzero_self.copy));
	if (sz_registered) {
		sz_line_text(line, ", registered word at 0x");
		sz_line_hex(line, (uintptr_t)sz_registered);
	}
	sz_line_text(line, "): ");
}

void sz_section_report(enum sz_section_state state)
{
	struct sz_line line;

	if (state <= SZ_SECTION_HOLDS || reported & 1u << state)
		return;
	reported |= 1u << state;
	sz_line_start(&line, "thread ");
	sz_line_number(&line, (uint64_t)sz_syscall4(SYS_gettid, 0, 0, 0, 0), 10);
	sz_line_text(&line, ": ");
	sz_line_text(&line, problems[state]);
	words(&line);
	sz_line_text(&line, remedies[state]);
	line.text[line.length] = 0;
	sz_say(line.text);
}

// The end of a thread is seen if it ever took the slow path, that of the process if it ends by
// exit or by returning from main.
static pthread_key_t key;
static bool key_made;

static void thread_ends(void *unused)
{
	(void)unused;
	if (sz_section_count(SZ_READ(sigzero_self.word)))
		sz_section_report(SZ_SECTION_ENDED);
}

__attribute__((constructor(102))) static void make_key(void)
{
	key_made = pthread_key_create(&key, thread_ends) == 0;
}

__attribute__((destructor)) static void process_ends(void)
{
	thread_ends(NULL);
}

// glibc allocates no memory for the first keys of a process, and ours is one of these; so this
// is async-signal-safe.
#define KEYS_WITHOUT_ALLOCATION 32

void sz_section_watch_end(void)
{
	if (key_made && key < KEYS_WITHOUT_ALLOCATION)
		pthread_setspecific(key, &key);
}
