// SPDX-License-Identifier: MIT
// Libraries that are bound past us: they would change the mask without our knowing.
#include "mask.h"
#include "mode.h"

// From x86_64/dlopen.S.
__attribute__((visibility("hidden"))) void sz_dlopen_past_us(void)
{
	sz_ensure_started();
	sz_flush();
	sz_step_aside("a library is loaded that will not use our functions (RTLD_DEEPBIND or dlmopen)");
}
