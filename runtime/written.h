// SPDX-License-Identifier: MIT
// What changes while a program runs lies on one page: after a fork each page that is written is
// copied, in the parent and in the child. written.ld puts it together, and takes away the extra
// mapping that zeroed memory has otherwise: each mapping costs each fork of the program too.
#pragma once

#define SZ_WRITTEN __attribute__((section("sz_written")))

// Tables of which most programs use the end, or the beginning.
#define SZ_WRITTEN_FIRST __attribute__((section("sz_written_first")))
#define SZ_WRITTEN_LAST __attribute__((section("sz_written_last")))
