# SPDX-License-Identifier: MIT
"""What sigzero promises, next to what was measured. For information: never an error."""
from dataclasses import dataclass

import green_threads
import mask_loop
from commands import PLAIN, TREATED
from micro import LINKED, PEER
from samples import Series


@dataclass(frozen=True)
class Target:
    text: str
    above: Series
    below: Series
    limit: float
    at_least: bool = False

    def met(self, measured):
        return measured >= self.limit if self.at_least else measured <= self.limit


def jump(name, variant):
    return Series("jumps and masks", name, variant)


def switch(name, variant):
    return Series("context switch", name, variant)


def mask(name, variant):
    return Series("masks", name, variant)


def section(name):
    return Series("sections", name, LINKED)


TARGETS = [
    Target("swapcontext: glibc's time over ours",
           switch("swapcontext", PLAIN), switch("swapcontext", TREATED), 20, at_least=True),
    Target("swapcontext: our time over Boost's fcontext",
           switch("swapcontext", TREATED), switch("Boost fcontext", PEER), 2),
    Target("sigsetjmp(,1)+siglongjmp: our time over glibc's _setjmp+_longjmp",
           jump("sigsetjmp(,1)+siglongjmp", TREATED), jump("_setjmp+_longjmp", PLAIN), 1.5),
    Target("the same over _setjmp+_longjmp under sigzero",
           jump("sigsetjmp(,1)+siglongjmp", TREATED), jump("_setjmp+_longjmp", TREATED), 1.5),
    Target("query: glibc's time over ours",
           jump("sigprocmask query", PLAIN), jump("sigprocmask query", TREATED), 30, at_least=True),
    Target("block+restore of 4 signals: glibc's time over ours",
           mask("block+restore, 4 signals", PLAIN), mask("block+restore, 4 signals", TREATED),
           40, at_least=True),
    Target("sigzero_block+unblock over a thread-local counter",
           section("sigzero_block+sigzero_unblock"), section("the same, address in a register"), 2.5),
    Target("getppid(): under sigzero over bare", jump("getppid()", TREATED), jump("getppid()", PLAIN),
           1.01),
    Target("green threads: getcontext under sigzero over glibc's _setjmp",
           green_threads.series(green_threads.CONTEXT, TREATED),
           green_threads.series(green_threads.SETJMP), 1.15),
    Target("mask loop: sigzero stat over bare",
           mask_loop.series(mask_loop.STAT), mask_loop.series(PLAIN), 1.2),
    Target("mask loop: counted by eBPF over bare",
           mask_loop.series(mask_loop.COUNTS), mask_loop.series(PLAIN), 2.5),
    Target("mask loop: counted by eBPF with stacks over bare",
           mask_loop.series(mask_loop.STACKS), mask_loop.series(PLAIN), 5),
]
MASK_CALLS_LIMIT = 10


def rows(samples):
    for t in TARGETS:
        yield t, samples.ratio(t.above, t.below)
