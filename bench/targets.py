# SPDX-License-Identifier: MIT
"""What sigzero promises, next to what was measured. For information: never an error."""
from dataclasses import dataclass

import green_threads
import mask_loop
from commands import PLAIN, SHADOW
from micro import PEER
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


TARGETS = [
    Target("swapcontext: glibc's time over ours",
           switch("swapcontext", PLAIN), switch("swapcontext", SHADOW), 20, at_least=True),
    Target("swapcontext: our time over Boost's fcontext",
           switch("swapcontext", SHADOW), switch("Boost fcontext", PEER), 2),
    Target("sigsetjmp(,1)+siglongjmp: our time over glibc's _setjmp+_longjmp",
           jump("sigsetjmp(,1)+siglongjmp", SHADOW), jump("_setjmp+_longjmp", PLAIN), 1.5),
    Target("the same over _setjmp+_longjmp under sigzero",
           jump("sigsetjmp(,1)+siglongjmp", SHADOW), jump("_setjmp+_longjmp", SHADOW), 1.5),
    Target("query: glibc's time over ours",
           jump("sigprocmask query", PLAIN), jump("sigprocmask query", SHADOW), 30, at_least=True),
    Target("green threads: getcontext under sigzero over glibc's _setjmp",
           green_threads.series(green_threads.CONTEXT, SHADOW),
           green_threads.series(green_threads.SETJMP), 1.15),
    Target("mask loop: sigzero stat over bare",
           mask_loop.series(mask_loop.STAT), mask_loop.series(PLAIN), 1.2),
]
MASK_CALLS_LIMIT = 10


def rows(samples):
    for t in TARGETS:
        yield t, samples.ratio(t.above, t.below)
