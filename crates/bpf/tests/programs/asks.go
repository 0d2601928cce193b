// SPDX-License-Identifier: MIT
// Asks for the mask of its thread, in a function of its own.
package main

import (
	"syscall"
	"unsafe"
)

//go:noinline
func asks() {
	var old uint64
	syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, 2, 0, uintptr(unsafe.Pointer(&old)), 8, 0, 0)
}

func main() {
	for i := 0; i < 1000; i++ {
		asks()
	}
}
