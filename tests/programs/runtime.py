# SPDX-License-Identifier: MIT
"""The environment of a program with and without the runtime."""
import os
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import inherited  # noqa: E402

KEPT = ("PATH", "USER", "LOGNAME")


@dataclass(frozen=True)
class Variant:
    name: str
    mode: str
    follow: bool = False
    hot: int | None = None  # after so many real changes of the mask; None: as it is built


SHADOW = Variant("shadow", "shadow")
SHADOW_CHILDREN = Variant("shadow with children", "shadow", follow=True)
LAZY = Variant("lazy", "lazy")
LAZY_CHILDREN = Variant("lazy with children", "lazy", follow=True)
WATCH_CHILDREN = Variant("watch with children", "watch", follow=True)
VARIANTS = [
    SHADOW,
    SHADOW_CHILDREN,
    LAZY,
    LAZY_CHILDREN,
    Variant("lazy at once", "lazy", hot=0),
    Variant("lazy at once with children", "lazy", follow=True, hot=0),
    Variant("watch", "watch"),
    WATCH_CHILDREN,
    Variant("check", "check"),
    Variant("check with children", "check", follow=True),
    Variant("check, lazy at once", "check", hot=0),
]


def plain_environment(home):
    """Few variables and no start-up files, so that two runs can be compared."""
    env = {k: os.environ[k] for k in KEPT if k in os.environ}
    return env | {"HOME": str(home), "LC_ALL": "C", "TERM": "dumb"}


def settings(variant, library, counters):
    env = inherited.filters() | {
        "LD_PRELOAD": str(library),
        "SIGZERO_MODE": variant.mode,
        "SIGZERO_OUT": str(counters),
        # Notices of the runtime are no output of the program.
        "SIGZERO_QUIET": "1",
    }
    if variant.hot is not None:
        env["SIGZERO_HOT"] = str(variant.hot)
    return env | ({"SIGZERO_FOLLOW": "*"} if variant.follow else {})


def under_one_more_filter(settings):
    """strace --seccomp-bpf finds the calls by a filter, which lets all of them pass."""
    if not settings:
        return settings
    count = int(inherited.filters().get("SIGZERO_FILTERS", 0)) + 1
    return settings | {"SIGZERO_FILTERS": str(count)}
