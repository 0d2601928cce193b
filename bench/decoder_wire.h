// SPDX-License-Identifier: MIT
// The wire format of protocol buffers, the tables that describe a message, and the
// message that the benchmark decodes.
#pragma once

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

enum decode_error {
	DECODE_OK,
	DECODE_TRUNCATED,
	DECODE_LONG_VARINT,
	DECODE_BAD_TYPE,
	DECODE_BAD_FIELD,
	DECODE_TOO_MANY,
};

enum field_kind { KIND_NONE, KIND_UINT, KIND_ZIGZAG, KIND_FIXED32, KIND_FIXED64, KIND_BYTES, KIND_MESSAGE };

enum { MAX_FIELD = 8 };

struct field {
	uint8_t kind;
	uint8_t max_count;     // 0 for a field that is not repeated
	uint16_t offset;       // of the value in the decoded message
	uint16_t count_offset; // of the number of values, when repeated
	uint16_t size;         // of one value, when repeated
	const struct table *message;
};

struct table {
	struct field fields[MAX_FIELD]; // by field number
};

struct bytes {
	const uint8_t *at;
	uint64_t size;
};

struct point {
	int64_t x, y;
};

struct item {
	uint64_t id;
	struct bytes name;
	struct point at;
	uint32_t crc;
	uint64_t stamp;
	uint32_t trail_count;
	struct point trail[4];
};

extern const struct table item_table;

struct decoder {
	enum decode_error error;
	sigjmp_buf env;
};

// Each decodes one item and returns DECODE_OK or what was wrong with it.
typedef enum decode_error decode_fn(const uint8_t *at, const uint8_t *end, struct item *);
decode_fn decode_sigjmp_mask, decode_return_codes, decode_sigjmp_bare;
