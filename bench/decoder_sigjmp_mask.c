// SPDX-License-Identifier: MIT
// Errors by sigsetjmp(, 1), which keeps the signal mask, and siglongjmp.
#include "decoder_wire.h"

#define FN(name) name##_sigjmp_mask
#define FAIL(code) siglongjmp(d->env, code)
#define TRY(p) (void)(p)
#include "decoder_engine.h"

enum decode_error decode_sigjmp_mask(const uint8_t *at, const uint8_t *end, struct item *item)
{
	struct decoder d;
	int error = sigsetjmp(d.env, 1);

	if (error)
		return error;
	message_sigjmp_mask(&d, at, end, &item_table, item);
	return DECODE_OK;
}
