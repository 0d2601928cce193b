/* SPDX-License-Identifier: MIT */
/* Openings and closings shared by the assembly files. */
#pragma once
#ifndef __x86_64__
#error "x86-64 only"
#endif

.macro function name
	.text
	.p2align 4
	.type \name, @function
\name:
	.cfi_startproc
	endbr64
.endm

.macro exported_function name
	.globl \name
	function \name
.endm

.macro hidden_function name
	.globl \name
	.hidden \name
	function \name
.endm

.macro end_function name
	.cfi_endproc
	.size \name, . - \name
.endm

/* A label that C compares instruction pointers with. */
.macro window_mark name
	.globl \name
	.hidden \name
\name:
.endm
