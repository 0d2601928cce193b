// SPDX-License-Identifier: MIT
// A plugin that brings sigzero along.
#include <sigzero.h>
#include <stddef.h>

void plugin_section(void (*body)(void));

void plugin_section(void (*body)(void))
{
	sigzero_block();
	body();
	sigzero_unblock();
}
