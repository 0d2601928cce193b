# SPDX-License-Identifier: MIT
"""The ways a test program is run: plain libc, which is the oracle, and each mode."""
import os
import tempfile
from dataclasses import dataclass

import inherited


@dataclass(frozen=True)
class Variant:
    name: str
    mode: str | None = None  # None: without the runtime
    follow: bool = False
    hot: bool = False  # lazy from the first change on


PLAIN = Variant("plain")
VARIANTS = [
    PLAIN,
    Variant("off", "off"),
    Variant("watch", "watch"),
    Variant("shadow", "shadow"),
    Variant("check", "check"),
    Variant("lazy", "lazy"),
    Variant("lazy-hot", "lazy", hot=True),
    Variant("check-hot", "check", hot=True),
    Variant("shadow-follow", "shadow", follow=True),
    Variant("lazy-follow", "lazy", follow=True, hot=True),
    Variant("check-follow", "check", follow=True, hot=True),
]
BY_NAME = {variant.name: variant for variant in VARIANTS}
_OURS = ("LD_PRELOAD", "SIGZERO_")
_out = None
sigfastblock = True  # False: not the kernel's, where it has one


def _out_directory():
    global _out
    if _out is None:
        _out = tempfile.TemporaryDirectory(prefix="sigzero-watch-")
    return _out.name


def environment(variant, runtime, quiet=True):
    """The environment of a program under `variant`, free of what our caller set. Without
    `runtime` nothing is preloaded: the program has it linked in."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(_OURS)}
    if not sigfastblock:
        env["SIGZERO_SIGFASTBLOCK"] = "off"
    if variant.mode is None:
        return env
    if runtime:
        env["LD_PRELOAD"] = os.path.abspath(runtime)
    env["SIGZERO_MODE"] = variant.mode
    env |= inherited.filters()
    if quiet:
        env["SIGZERO_QUIET"] = "1"
    if variant.mode == "watch":
        env["SIGZERO_OUT"] = _out_directory()
    if variant.hot:
        env["SIGZERO_HOT"] = "0"
    if variant.follow:
        env["SIGZERO_FOLLOW"] = "*"
    return env
