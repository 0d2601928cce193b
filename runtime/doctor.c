// SPDX-License-Identifier: MIT
// Where the runtime keeps what, for a reader outside of the process. Costs nothing while nobody
// looks: one store at the start.
#include "doctor.h"

#include <stddef.h>

#include "mode.h"
#include "thread_state.h"

#define IN_THREAD(member) ((int32_t)offsetof(struct sz_thread, member))

struct sz_doctor sz_doctor = {
	.size = sizeof sz_doctor,
	.thread_size = sizeof(struct sz_thread),
	.mode = &sz_mode,
	.modes = {
		[SZ_UNSET] = "unset",
		[SZ_OFF] = "off",
		[SZ_WATCH] = "watch",
		[SZ_SHADOW] = "shadow",
		[SZ_LAZY] = "lazy",
		[SZ_CHECK] = "check",
	},
	.mask = IN_THREAD(mask),
	.kernel = IN_THREAD(kernel),
	.known = IN_THREAD(known_and_not_forgetful),
	.changed_by = IN_THREAD(changed_by),
	.changes = IN_THREAD(changes),
	.held_since = IN_THREAD(held_since),
	.registered = SZ_DOCTOR_NONE,
};

// The distance, so that it is right wherever the library is loaded.
__asm__(".pushsection .note.sigzero, \"a\", @note\n"
        "	.balign 4\n"
        "	.long 8, 8, 1\n"
        "	.asciz \"sigzero\"\n"
        "0:	.quad sz_doctor - 0b\n"
        "	.popsection\n");

void sz_doctor_start(void)
{
	sz_doctor.thread = (char *)&sz_thread - (char *)__builtin_thread_pointer();
}
