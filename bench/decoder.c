// SPDX-License-Identifier: MIT
// Decodes many small messages, one in sixteen of them broken, with errors reported in
// three ways. The three must agree on every message before anything is timed.
//
// With an argument N it decodes the messages N times by sigsetjmp(, 1), and times nothing.
#include "bench.h"
#include "decoder_wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An item takes at most 74 bytes; breaking it adds at most 50.
enum { MESSAGES = 2048, MAX_SIZE = 128, BROKEN_EVERY = 16 };

static uint8_t buffer[MESSAGES][MAX_SIZE];
static size_t sizes[MESSAGES];
static uint64_t seed = 88172645463325252u;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static uint8_t *put_varint(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = v | 0x80;
	*p++ = v;
	return p;
}

static uint8_t *put_tag(uint8_t *p, unsigned field, enum wire_type type)
{
	return put_varint(p, field << 3 | type);
}

static uint8_t *put_point(uint8_t *p, unsigned field)
{
	uint8_t point[16], *end = point;

	end = put_tag(end, 1, WIRE_VARINT);
	end = put_varint(end, next_random() % 100000);
	end = put_tag(end, 2, WIRE_VARINT);
	end = put_varint(end, next_random() % 100000);
	p = put_tag(p, field, WIRE_BYTES);
	p = put_varint(p, end - point);
	return mempcpy(p, point, end - point);
}

static uint8_t *put_random(uint8_t *p, size_t size)
{
	while (size--)
		*p++ = next_random() >> 32;
	return p;
}

static uint8_t *put_item(uint8_t *p, unsigned number)
{
	size_t name = next_random() % 16;

	p = put_varint(put_tag(p, 1, WIRE_VARINT), number);
	p = put_varint(put_tag(p, 2, WIRE_BYTES), name);
	p = put_random(p, name);
	p = put_point(p, 3);
	p = put_random(put_tag(p, 4, WIRE_FIXED32), 4);
	p = put_random(put_tag(p, 5, WIRE_FIXED64), 8);
	for (unsigned n = next_random() % 4; n; n--)
		p = put_point(p, 6);
	return p;
}

static uint8_t *break_item(uint8_t *end)
{
	switch (next_random() % 5) {
	case 0: // in the middle of the last field
		return end - 1;
	case 1:
		memset(put_tag(end, 1, WIRE_VARINT), 0xff, 12);
		return end + 13;
	case 2:
		return put_tag(end, 4, WIRE_VARINT);
	case 3:
		return put_tag(end, 7, WIRE_VARINT);
	default:
		for (int i = 0; i < 5; i++)
			end = put_point(end, 6);
		return end;
	}
}

static void make_messages(void)
{
	for (unsigned i = 0; i < MESSAGES; i++) {
		uint8_t *end = put_item(buffer[i], i);

		if (i % BROKEN_EVERY == 0)
			end = break_item(end);
		sizes[i] = end - buffer[i];
	}
}

static uint64_t mix(uint64_t sum, uint64_t v)
{
	return (sum ^ v) * 0x9e3779b97f4a7c15u;
}

static uint64_t item_sum(const struct item *item)
{
	uint64_t sum = mix(item->id, item->crc);

	sum = mix(sum, item->stamp);
	for (uint64_t i = 0; i < item->name.size; i++)
		sum = mix(sum, item->name.at[i]);
	sum = mix(sum, item->at.x + item->at.y);
	for (uint32_t i = 0; i < item->trail_count; i++)
		sum = mix(sum, item->trail[i].x - item->trail[i].y);
	return sum;
}

static uint64_t checksum(decode_fn *decode)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < MESSAGES; i++) {
		struct item item = {0};
		enum decode_error error = decode(buffer[i], buffer[i] + sizes[i], &item);

		sum = mix(sum, error ? error : item_sum(&item));
	}
	return sum;
}

static unsigned broken(decode_fn *decode)
{
	unsigned count = 0;

	for (unsigned i = 0; i < MESSAGES; i++) {
		struct item item = {0};

		count += decode(buffer[i], buffer[i] + sizes[i], &item) != DECODE_OK;
	}
	return count;
}

static void decode_all(decode_fn *decode, unsigned long times)
{
	while (times--)
		for (unsigned i = 0; i < MESSAGES; i++) {
			struct item item;

			item.trail_count = 0;
			decode(buffer[i], buffer[i] + sizes[i], &item);
			__asm__ volatile("" ::"r"(&item) : "memory");
		}
}

static void sigjmp_mask(unsigned long n)
{
	decode_all(decode_sigjmp_mask, n);
}

static void return_codes(unsigned long n)
{
	decode_all(decode_return_codes, n);
}

static void sigjmp_bare(unsigned long n)
{
	decode_all(decode_sigjmp_bare, n);
}

int main(int argc, char **argv)
{
	static const struct bench_case cases[] = {
		{"errors by sigsetjmp(,1)", sigjmp_mask, MESSAGES},
		{"errors by return codes", return_codes, MESSAGES},
		{"errors by sigsetjmp(,0)", sigjmp_bare, MESSAGES},
	};

	make_messages();
	uint64_t sum = checksum(decode_return_codes);

	if (checksum(decode_sigjmp_mask) != sum || checksum(decode_sigjmp_bare) != sum ||
	    broken(decode_return_codes) != MESSAGES / BROKEN_EVERY) {
		fprintf(stderr, "decoder: the variants do not agree\n");
		return 1;
	}
	if (argc > 1) {
		decode_all(decode_sigjmp_mask, strtoul(argv[1], NULL, 10));
		printf("%d messages, checksum %016" PRIx64 "\n", MESSAGES, sum);
		return 0;
	}
	bench_run(cases, 3);
	return 0;
}
