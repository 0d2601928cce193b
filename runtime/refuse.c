// SPDX-License-Identifier: MIT
// Processes in which somebody else looks after signals behind libc's back, so that no
// memory of ours could be trusted: Go, Valgrind, sanitizers that defer signals.
#define _GNU_SOURCE
#include "refuse.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

extern void __tsan_init(void) __attribute__((weak, visibility("default")));

// Valgrind's client request 0x1001, RUNNING_ON_VALGRIND: rotations that do nothing on a
// processor, and a marker that only Valgrind knows (valgrind.h, "client requests").
static bool under_valgrind(void)
{
	volatile uint64_t request[6] = {0x1001};
	uint64_t result = 0;

	__asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
	                 "xchgq %%rbx, %%rbx"
	                 : "+d"(result)
	                 : "a"(request)
	                 : "cc", "memory", "rdi");
	return result != 0;
}

static bool note_says_go(const char *notes, size_t size)
{
	while (size >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)notes;
		size_t length = sizeof *note + ((note->n_namesz + 3u) & ~3u) +
		                ((note->n_descsz + 3u) & ~3u);

		if (note->n_namesz == 4 && memcmp(notes + sizeof *note, "Go\0", 4) == 0)
			return true;
		if (length > size)
			return false;
		notes += length;
		size -= length;
	}
	return false;
}

static bool written_in_go(void)
{
	const ElfW(Phdr) *headers = (const void *)getauxval(AT_PHDR);
	size_t count = getauxval(AT_PHNUM);
	uintptr_t bias = 0;

	for (size_t i = 0; i < count; i++)
		if (headers[i].p_type == PT_PHDR)
			bias = (uintptr_t)headers - headers[i].p_vaddr;
	for (size_t i = 0; i < count; i++)
		if (headers[i].p_type == PT_NOTE &&
		    note_says_go((const char *)(bias + headers[i].p_vaddr), headers[i].p_memsz))
			return true;
	return false;
}

static bool lies_in(const struct dl_phdr_info *object, uintptr_t address)
{
	for (size_t i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_LOAD &&
		    address - object->dlpi_addr - object->dlpi_phdr[i].p_vaddr <
		            object->dlpi_phdr[i].p_memsz)
			return true;
	return false;
}

// 1 for ourselves, 2 for libc: who comes first ends the search.
static int first_of_us_and_libc(struct dl_phdr_info *object, size_t size, void *libc)
{
	(void)size;
	if (lies_in(object, (uintptr_t)&sz_refuse))
		return 1;
	return lies_in(object, (uintptr_t)libc) ? 2 : 0;
}

// Brought in by dlopen, or linked behind libc: then the program's calls go past us.
static bool behind_libc(void)
{
	return dl_iterate_phdr(first_of_us_and_libc, dlsym(RTLD_DEFAULT, "gnu_get_libc_version")) == 2;
}

const char *sz_refuse(void)
{
	if (getauxval(AT_SECURE))
		return "a set-user-ID or otherwise privileged program";
	if (under_valgrind())
		return "it runs under Valgrind, which handles signals itself";
	if (written_in_go())
		return "a Go program, whose runtime handles signals without libc";
	if (behind_libc())
		return "it was loaded behind libc, by dlopen or by the order of linking";
	if (__tsan_init)
		return "ThreadSanitizer is in it, which defers signals itself";
	return NULL;
}
