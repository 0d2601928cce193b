// SPDX-License-Identifier: MIT
// Errors handed up by each function.
#include "decoder_wire.h"

#define FN(name) name##_return_codes
#define FAIL(code)                 \
	do {                       \
		d->error = (code); \
		return NULL;       \
	} while (0)
#define TRY(p)                       \
	do {                         \
		if (!(p))            \
			return NULL; \
	} while (0)
#include "decoder_engine.h"

enum decode_error decode_return_codes(const uint8_t *at, const uint8_t *end, struct item *item)
{
	struct decoder d;

	if (!message_return_codes(&d, at, end, &item_table, item))
		return d.error;
	return DECODE_OK;
}
