// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "watch.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <time.h>
#include <unistd.h>

#include "forecast.h"
#include "mask.h"
#include "report_line.h"
#include "watch_format.h"

#define SITES 1024u
#define FUNCTIONS_OFFSET 4096u
#define FUNCTIONS_SIZE 4096u
#define MAPS_OFFSET (FUNCTIONS_OFFSET + FUNCTIONS_SIZE)
#define MAPS_CAPACITY (48u << 10)
#define SITES_OFFSET (MAPS_OFFSET + MAPS_CAPACITY)
#define FILE_SIZE (SITES_OFFSET + SITES * (unsigned)sizeof(struct sz_watch_site))

static const char function_names[] =
#define F(id, name) name "\0"
	SZ_FUNCTIONS(F)
#undef F
	;
_Static_assert(sizeof function_names < FUNCTIONS_SIZE, "names fit");

enum { UNOPENED, OPENING, OPEN, CLOSED };

// Where children are followed, this lies on a page that the kernel empties in a forked
// child, whoever forks and however: the child then opens a file of its own. Otherwise a
// child that runs the same program is part of it, and counts into the same file.
static uint32_t *state;
static uint32_t shared_state;

static char *counters; // the mapped file
static char directory[256];
static bool follow_children;
static int maps_lock;
static bool alone = true; // no child of ours can be counting into our file

static void about_to_fork(void)
{
	alone = false;
}

static struct sz_watch_header *header(void)
{
	return (struct sz_watch_header *)counters;
}

static struct sz_watch_site *sites(void)
{
	return (struct sz_watch_site *)(counters + SITES_OFFSET);
}

static void fill_header(char *map)
{
	struct sz_watch_header *h = (struct sz_watch_header *)map;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	h->version = SZ_WATCH_VERSION;
	h->pid = (uint32_t)sz_syscall4(SYS_getpid, 0, 0, 0, 0);
	h->ppid = (uint32_t)sz_syscall4(SYS_getppid, 0, 0, 0, 0);
	h->site_size = sizeof(struct sz_watch_site);
	h->sites_offset = SITES_OFFSET;
	h->sites_capacity = SITES;
	h->functions_offset = FUNCTIONS_OFFSET;
	h->functions_size = FUNCTIONS_SIZE;
	h->maps_offset = MAPS_OFFSET;
	h->maps_capacity = MAPS_CAPACITY;
	h->start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	sz_syscall4(SYS_readlink, (long)"/proc/self/exe", (long)h->exe, sizeof h->exe - 1, 0);
	memcpy(map + FUNCTIONS_OFFSET, function_names, sizeof function_names);
	__atomic_store_n(&h->magic, SZ_WATCH_MAGIC, __ATOMIC_RELEASE);
}

static char *create_file(void)
{
	struct rlimit limit;
	struct sz_line path;
	struct timespec now;
	char *map;
	long fd;

	clock_gettime(CLOCK_MONOTONIC, &now);
	sz_line_start(&path, directory);
	sz_line_text(&path, "/");
	sz_line_number(&path, (uint64_t)sz_syscall4(SYS_getpid, 0, 0, 0, 0), 10);
	sz_line_text(&path, ".");
	sz_line_number(&path, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec, 10);
	path.text[path.length] = 0;
	// Beyond the limit the kernel would send SIGXFSZ, in the program's name.
	if (sz_syscall4(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit) < 0 ||
	    limit.rlim_cur < FILE_SIZE)
		return NULL;
	fd = sz_syscall4(SYS_openat, AT_FDCWD, (long)path.text,
	                 O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return NULL;
	// With its room reserved, a full file system cannot kill the program later.
	map = NULL;
	if (sz_syscall4(SYS_fallocate, fd, 0, 0, FILE_SIZE) == 0) {
		long address = sz_syscall6(SYS_mmap, 0, FILE_SIZE, PROT_READ | PROT_WRITE,
		                           MAP_SHARED, fd, 0);
		if (address > 0 || address < -4095)
			map = (char *)address;
	}
	sz_syscall4(SYS_close, fd, 0, 0, 0);
	if (map && follow_children)
		sz_syscall4(SYS_madvise, (long)map, FILE_SIZE, MADV_DONTFORK, 0);
	return map;
}

static void open_file(void)
{
	uint32_t unopened = UNOPENED;
	char *map;

	if (!__atomic_compare_exchange_n(state, &unopened, OPENING, false, __ATOMIC_ACQ_REL,
	                                 __ATOMIC_RELAXED))
		return;
	maps_lock = 0;
	map = create_file();
	if (map) {
		fill_header(map);
		counters = map;
	}
	__atomic_store_n(state, map ? OPEN : CLOSED, __ATOMIC_RELEASE);
	// Who outlives `stat` finds its directory gone, and need not hear of it.
	if (!map && sz_syscall4(SYS_access, (long)directory, F_OK, 0, 0) == 0)
		sz_say("not counted: no room for a counter file in SIGZERO_OUT");
}

void sz_watch_start(const char *out, bool follow)
{
	if (!out || !*out || strlen(out) >= sizeof directory) {
		sz_say("not counted: SIGZERO_OUT names no directory for the counter files");
		return;
	}
	strcpy(directory, out);
	follow_children = follow;
	if (follow) {
		void *page = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE,
		                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page == MAP_FAILED || madvise(page, sizeof *state, MADV_WIPEONFORK) < 0)
			return;
		state = page;
	} else {
		state = &shared_state;
	}
	pthread_atfork(about_to_fork, NULL, NULL);
	open_file();
}

static bool counting(void)
{
	if (!state)
		return false;
	if (__builtin_expect(__atomic_load_n(state, __ATOMIC_ACQUIRE) == OPEN, 1))
		return true;
	open_file();
	return __atomic_load_n(state, __ATOMIC_ACQUIRE) == OPEN;
}

// Adds the executable lines of /proc/self/maps that are not there yet. One at a time; who
// finds it taken leaves it to the other, whose look at the maps may come too late for one
// caller in a library that is just being loaded.
static void add_maps(void)
{
	static char buffer[16384];
	struct sz_watch_header *h = header();
	char *maps = counters + MAPS_OFFSET;
	size_t kept = 0;
	long fd, n;

	if (__atomic_exchange_n(&maps_lock, 1, __ATOMIC_ACQUIRE))
		return;
	fd = sz_syscall4(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	while (fd >= 0 && (n = sz_syscall4(SYS_read, fd, (long)(buffer + kept),
	                                   (long)(sizeof buffer - 1 - kept), 0)) > 0) {
		char *line = buffer, *end;

		buffer[kept + (size_t)n] = 0;
		for (; (end = strchr(line, '\n')); line = end + 1) {
			size_t length = (size_t)(end + 1 - line);
			char *permissions = memchr(line, ' ', length);

			if (!permissions || permissions[3] != 'x')
				continue;
			if (memmem(maps, h->maps_used, line, length))
				continue;
			if (h->maps_used + length > MAPS_CAPACITY)
				continue;
			memcpy(maps + h->maps_used, line, length);
			__atomic_store_n(&h->maps_used, h->maps_used + (uint32_t)length,
			                 __ATOMIC_RELEASE);
		}
		kept = strlen(line);
		if (kept >= sizeof buffer - 1)
			break;
		memmove(buffer, line, kept);
	}
	if (fd >= 0)
		sz_syscall4(SYS_close, fd, 0, 0, 0);
	__atomic_store_n(&maps_lock, 0, __ATOMIC_RELEASE);
}

// A slot is claimed through its function number (shifted by one), then published through
// its caller. A slot that is half claimed is passed by: the reader adds up doubles.
static struct sz_watch_site *site(enum sz_function fn, void *caller)
{
	uint64_t hash = ((uint64_t)caller ^ (uint64_t)fn << 48) * 0x9e3779b97f4a7c15ul;

	if (!counting())
		return NULL;
	if (sz_thread.vfork_child)
		__atomic_fetch_add(&header()->vfork_calls, 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < SITES; i++) {
		struct sz_watch_site *s = &sites()[(hash >> 40) + i & SITES - 1];
		uint64_t found = __atomic_load_n(&s->caller, __ATOMIC_ACQUIRE);

		if (found == (uint64_t)caller && s->function == fn)
			return s;
		if (found == 0) {
			uint64_t unclaimed = 0;

			if (!__atomic_compare_exchange_n(&s->claimed, &unclaimed, 1, false,
			                                 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
				continue;
			s->function = fn;
			__atomic_store_n(&s->caller, (uint64_t)caller, __ATOMIC_RELEASE);
			add_maps();
			return s;
		}
	}
	__atomic_fetch_add(&header()->lost, 1, __ATOMIC_RELAXED);
	return NULL;
}

// One instruction, so that no handler comes in between; a locked one where somebody else
// may count into the same file: another thread, or a child that we forked.
static inline void add(uint64_t *counter)
{
	if (__libc_single_threaded && alone)
		__asm__ volatile("addq $1, %0" : "+m"(*counter));
	else
		__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}
#define ADD(counter) add(&(counter))

void sz_watch_mask(enum sz_function fn, void *caller, long result, int how, const sz_set *set,
                   sz_set before)
{
	struct sz_watch_site *s = site(fn, caller);
	bool seen = sz_thread.seen, lazy = false;
	sz_set after = set ? sz_mask_applied(how, before, *set) : before;

	sz_thread.seen = 1;
	if (result >= 0)
		lazy = fn == SZ_FN_SIGZERO_BLOCK || fn == SZ_FN_SIGZERO_UNBLOCK
		               ? sz_forecast_section(fn == SZ_FN_SIGZERO_BLOCK)
		               : sz_forecast_mask(before, after, !seen);
	if (!s)
		return;
	ADD(s->calls);
	ADD(s->mask);
	if (result < 0) {
		ADD(s->mask_failed);
		return;
	}
	if (!set)
		ADD(s->mask_query);
	else if (after == before)
		ADD(s->mask_same);
	else if ((before & ~after) == 0)
		ADD(s->mask_block);
	else if (after & ~before)
		ADD(s->mask_replace);
	else if (how == SIG_SETMASK)
		ADD(s->mask_restore);
	else
		ADD(s->mask_unblock);
	if (seen && after == before)
		ADD(s->removable_mask);
	if (lazy)
		ADD(s->lazy_mask);
}

void sz_watch_action(enum sz_function fn, void *caller, long result, int sig,
                     const struct sz_kernel_action *act, bool same, bool known)
{
	struct sz_watch_site *s = site(fn, caller);
	bool lazy = result >= 0 && sz_forecast_action(sig, act, known);

	if (!s)
		return;
	ADD(s->calls);
	ADD(s->action);
	if (result < 0)
		ADD(s->action_failed);
	else if (!act)
		ADD(s->action_query);
	else if (same)
		ADD(s->action_same);
	else
		ADD(s->action_set);
	if (known && result == 0)
		ADD(s->removable_action);
	if (lazy)
		ADD(s->lazy_action);
}

void sz_watch_added(unsigned masks, unsigned actions)
{
	if (!counting())
		return;
	__atomic_fetch_add(&header()->lazy_added_mask, masks, __ATOMIC_RELAXED);
	__atomic_fetch_add(&header()->lazy_added_action, actions, __ATOMIC_RELAXED);
}

void sz_watch_count_other(enum sz_function fn, void *caller)
{
	struct sz_watch_site *s = site(fn, caller);

	if (s) {
		ADD(s->calls);
		ADD(s->other);
	}
}

void sz_watch_count_opaque(enum sz_function fn, void *caller)
{
	struct sz_watch_site *s = site(fn, caller);

	if (s) {
		s->opaque = 1;
		ADD(s->calls);
	}
}

void sz_watch_note(const char *text)
{
	if (sz_mode == SZ_WATCH && counting())
		strncpy(header()->note, text, sizeof header()->note - 1);
}
