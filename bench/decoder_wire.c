// SPDX-License-Identifier: MIT
#include "decoder_wire.h"

static const struct table point_table = {{
	[1] = {KIND_ZIGZAG, 0, offsetof(struct point, x), 0, 0, NULL},
	[2] = {KIND_ZIGZAG, 0, offsetof(struct point, y), 0, 0, NULL},
}};

const struct table item_table = {{
	[1] = {KIND_UINT, 0, offsetof(struct item, id), 0, 0, NULL},
	[2] = {KIND_BYTES, 0, offsetof(struct item, name), 0, 0, NULL},
	[3] = {KIND_MESSAGE, 0, offsetof(struct item, at), 0, 0, &point_table},
	[4] = {KIND_FIXED32, 0, offsetof(struct item, crc), 0, 0, NULL},
	[5] = {KIND_FIXED64, 0, offsetof(struct item, stamp), 0, 0, NULL},
	[6] = {KIND_MESSAGE, 4, offsetof(struct item, trail),
	       offsetof(struct item, trail_count), sizeof(struct point), &point_table},
}};
