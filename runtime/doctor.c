// SPDX-License-Identifier: MIT
// Where the runtime keeps what, for a reader outside of the process. Costs nothing while nobody
// looks: three stores at the start.
#include "doctor.h"

#include "guard.h"
#include "mode.h"
#include "section.h"
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
	.guards = sz_guards,
	.guards_a_signal = SZ_GUARDS,
	.guard_size = sizeof(struct sz_guard),
	.guard_stands_for = offsetof(struct sz_guard, stands_for),
	.guard_shape = offsetof(struct sz_guard, shape),
	.guard_retired = SZ_GUARD_RETIRED,
	.record_size = sizeof(struct sz_handler_record),
	.records = sz_handler_records,
	.record_handler = offsetof(struct sz_handler_record, handler),
};

// The distance, so that it is right wherever the library is loaded.
__asm__(".pushsection .note.sigzero, \"a\", @note\n"
        "	.balign 4\n"
        "	.long 8, 8, 1\n"
        "	.asciz \"sigzero\"\n"
        "0:	.quad sz_doctor - 0b\n"
        "	.popsection\n");

static int64_t place(const volatile void *own)
{
	return (const volatile char *)own - (const char *)__builtin_thread_pointer();
}

void sz_doctor_start(void)
{
	sz_doctor.section = place(&sigzero_self);
	sz_doctor.registered = place(&sz_registered);
	sz_doctor.thread = place(&sz_thread);
}
