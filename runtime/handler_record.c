// SPDX-License-Identifier: MIT
// A hash table with open addressing. A slot goes from empty to writing to ready, once. Who
// meets a slot that is being written walks on: the writer may be the very code that this
// handler interrupted, so waiting for it could be for ever. The price is that the same
// content may stand twice, which costs a system call that could have been spared.
#include "handler_record.h"

#include <stdbool.h>

#include "written.h"

enum { EMPTY, WRITING, READY };

SZ_WRITTEN_FIRST struct sz_handler_record sz_handler_records[SZ_RECORDS + 1];

// First among the last records, then among those before them, then anywhere: a page that is
// written after a fork is copied. Most programs have few records; what resets all signals in a
// child before it execs, as many do, makes thirty.
#define NEAR 32
#define NEXT 128
#define PROBES 128

static bool same(const struct sz_handler_record *r, const struct sz_kernel_action *act)
{
	return r->handler == act->handler && r->mask == act->mask &&
	       r->flags == (uint32_t)act->flags && r->restorer == act->restorer;
}

static unsigned slot_of(uint64_t hash, unsigned probe)
{
	if (probe < NEAR)
		return SZ_RECORDS - NEAR + ((hash >> 59) + probe) % NEAR;
	if (probe < PROBES / 2)
		return SZ_RECORDS - NEAR - NEXT + ((hash >> 57) + probe) % NEXT;
	return ((hash >> 52) + probe) % SZ_RECORDS;
}

int sz_record_find(const struct sz_kernel_action *act)
{
	uint64_t hash = (act->handler ^ act->mask * 31 ^ (uint32_t)act->flags * 127ul) *
	                0x9e3779b97f4a7c15ul;

	for (unsigned i = 0; i < PROBES; i++) {
		unsigned slot = slot_of(hash, i);
		struct sz_handler_record *r = &sz_handler_records[slot];
		uint32_t state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);

		if (state == EMPTY &&
		    __atomic_compare_exchange_n(&r->state, &state, WRITING, false,
		                                __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
			r->handler = act->handler;
			r->flags = (uint32_t)act->flags;
			r->restorer = act->restorer;
			r->mask = act->mask;
			__atomic_store_n(&r->state, READY, __ATOMIC_RELEASE);
			return (int)slot;
		}
		if (state == READY && same(r, act))
			return (int)slot;
	}
	return SZ_NO_RECORD;
}
_Static_assert(SZ_RECORDS == 1 << 12 && NEAR == 1 << 5, "slot of hash");
_Static_assert(NEAR * sizeof(struct sz_handler_record) == 1024, "written.ld");
