// SPDX-License-Identifier: MIT
// The decoder itself, included once for each way to report an error:
//   FN(name)   the name of a function in this variant
//   FAIL(code) leaves the function, or all of them
//   TRY(p)     goes on only if the callee succeeded
#include <string.h>

static const uint8_t *FN(varint)(struct decoder *d, const uint8_t *p, const uint8_t *end, uint64_t *value)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		if (p == end)
			FAIL(DECODE_TRUNCATED);
		v |= (uint64_t)(*p & 0x7f) << (shift & 63);
		if (*p++ < 0x80) {
			*value = v;
			return p;
		}
	}
	FAIL(DECODE_LONG_VARINT);
}

static const uint8_t *FN(length)(struct decoder *d, const uint8_t *p, const uint8_t *end, uint64_t *size)
{
	p = FN(varint)(d, p, end, size);
	TRY(p);
	if (*size > (uint64_t)(end - p))
		FAIL(DECODE_TRUNCATED);
	return p;
}

static const uint8_t *FN(fixed)(struct decoder *d, const uint8_t *p, const uint8_t *end, void *to, size_t size)
{
	if ((size_t)(end - p) < size)
		FAIL(DECODE_TRUNCATED);
	memcpy(to, p, size);
	return p + size;
}

static const uint8_t *FN(message)(struct decoder *d, const uint8_t *p, const uint8_t *end,
                                  const struct table *table, void *to);

static const uint8_t *FN(submessage)(struct decoder *d, const uint8_t *p, const uint8_t *end,
                                     const struct field *f, char *to)
{
	uint64_t size;
	char *slot = to + f->offset;

	p = FN(length)(d, p, end, &size);
	TRY(p);
	if (f->max_count) {
		uint32_t *count = (uint32_t *)(to + f->count_offset);

		if (*count == f->max_count)
			FAIL(DECODE_TOO_MANY);
		slot += (*count)++ * f->size;
	}
	return FN(message)(d, p, p + size, f->message, slot);
}

static const uint8_t *FN(bytes)(struct decoder *d, const uint8_t *p, const uint8_t *end, struct bytes *to)
{
	p = FN(length)(d, p, end, &to->size);
	TRY(p);
	to->at = p;
	return p + to->size;
}

static const uint8_t *FN(number)(struct decoder *d, const uint8_t *p, const uint8_t *end,
                                 const struct field *f, char *to)
{
	uint64_t v;

	p = FN(varint)(d, p, end, &v);
	TRY(p);
	if (f->kind == KIND_ZIGZAG)
		v = v >> 1 ^ -(v & 1);
	memcpy(to + f->offset, &v, sizeof v);
	return p;
}

static const uint8_t *FN(value)(struct decoder *d, const uint8_t *p, const uint8_t *end,
                                const struct field *f, unsigned wire_type, char *to)
{
	static const uint8_t expected[] = {
		[KIND_UINT] = WIRE_VARINT,     [KIND_ZIGZAG] = WIRE_VARINT,
		[KIND_FIXED32] = WIRE_FIXED32, [KIND_FIXED64] = WIRE_FIXED64,
		[KIND_BYTES] = WIRE_BYTES,     [KIND_MESSAGE] = WIRE_BYTES,
	};

	if (wire_type != expected[f->kind])
		FAIL(DECODE_BAD_TYPE);
	switch (f->kind) {
	case KIND_FIXED32:
		return FN(fixed)(d, p, end, to + f->offset, 4);
	case KIND_FIXED64:
		return FN(fixed)(d, p, end, to + f->offset, 8);
	case KIND_BYTES:
		return FN(bytes)(d, p, end, (struct bytes *)(to + f->offset));
	case KIND_MESSAGE:
		return FN(submessage)(d, p, end, f, to);
	default:
		return FN(number)(d, p, end, f, to);
	}
}

static const uint8_t *FN(message)(struct decoder *d, const uint8_t *p, const uint8_t *end,
                                  const struct table *table, void *to)
{
	while (p < end) {
		uint64_t tag;

		p = FN(varint)(d, p, end, &tag);
		TRY(p);
		if (tag >> 3 >= MAX_FIELD || table->fields[tag >> 3].kind == KIND_NONE)
			FAIL(DECODE_BAD_FIELD);
		p = FN(value)(d, p, end, &table->fields[tag >> 3], tag & 7, to);
		TRY(p);
	}
	return p;
}
