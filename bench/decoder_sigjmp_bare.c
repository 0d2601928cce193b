// SPDX-License-Identifier: MIT
// Errors by sigsetjmp(, 0), which leaves the signal mask alone, and siglongjmp.
#include "decoder_wire.h"

#define FN(name) name##_sigjmp_bare
#define FAIL(code) siglongjmp(d->env, code)
#define TRY(p) (void)(p)
#include "decoder_engine.h"

enum decode_error decode_sigjmp_bare(const uint8_t *at, const uint8_t *end, struct item *item)
{
	struct decoder d;
	int error = sigsetjmp(d.env, 0);

	if (error)
		return error;
	message_sigjmp_bare(&d, at, end, &item_table, item);
	return DECODE_OK;
}
