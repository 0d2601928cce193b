// SPDX-License-Identifier: MIT
// For source text written for FreeBSD, which finds sigfastblock(2) here: add
// `pkg-config --variable=freebsd_includedir sigzero` to the include path.
#ifndef SIGZERO_FREEBSD_SYS_SIGNALVAR_H
#define SIGZERO_FREEBSD_SYS_SIGNALVAR_H

#include <sigzero.h>

// The name in FreeBSD's libc for its own use, by which its run-time linker calls it.
#define __sys_sigfastblock sigfastblock

#endif
