/* SPDX-License-Identifier: MIT */
/*
 * What a program installed, as immutable records that are never freed. The number of the
 * record is also the number of the entry (x86_64/handler.S) that the kernel is given in
 * place of the handler, so that an arriving signal brings its own disposition with it: the
 * one in force when the kernel delivered it, which the table may no longer hold.
 */
#pragma once

#define SZ_RECORDS 4096
#define SZ_DEFAULT_RECORD SZ_RECORDS     /* the default action; has no entry */
#define SZ_GUARD_RECORD (SZ_RECORDS + 1) /* from here on guards: what they stand for changes */
#define SZ_GUARDS 4                      /* a signal */

#ifndef __ASSEMBLER__
#include "kernel.h"

#define SZ_NO_RECORD (-1)

struct sz_handler_record {
	uint32_t state; // private to handler_record.c
	uint32_t flags;
	uintptr_t handler;
	uintptr_t restorer;
	sz_set mask;
};

extern __attribute__((visibility("hidden"))) struct sz_handler_record sz_handler_records[SZ_RECORDS + 1];

// The record with this content, made if need be; SZ_NO_RECORD when there is no room.
// Lock-free and async-signal-safe.
int sz_record_find(const struct sz_kernel_action *act);

extern const char sz_entries[] __attribute__((visibility("hidden")));
#define SZ_ENTRY_SIZE 16

static inline uintptr_t sz_record_entry(int record)
{
	return (uintptr_t)sz_entries + (uintptr_t)record * SZ_ENTRY_SIZE;
}

// The record whose entry this is, or SZ_NO_RECORD for anything else.
static inline int sz_record_of_entry(uintptr_t handler)
{
	uintptr_t distance = handler - (uintptr_t)sz_entries;

	if (distance >= (uintptr_t)SZ_RECORDS * SZ_ENTRY_SIZE)
		return SZ_NO_RECORD;
	return (int)(distance / SZ_ENTRY_SIZE);
}

static inline void sz_record_action(int record, struct sz_kernel_action *act)
{
	act->handler = sz_handler_records[record].handler;
	act->flags = sz_handler_records[record].flags;
	act->restorer = sz_handler_records[record].restorer;
	act->mask = sz_handler_records[record].mask;
}
#endif
