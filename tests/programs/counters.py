# SPDX-License-Identifier: MIT
"""What mode watch counted, added up over the counter files of one run.

The layout is that of runtime/watch_format.h.
"""
import struct

MAGIC = 0x314F52455A474953
HEADER = struct.Struct("=QIIIIII")  # magic, version, pid, ppid, site_size, sites_offset, sites_capacity
# caller, function, opaque, calls, mask, action, other, 7 kinds of mask, 4 of action, removable
SITE = struct.Struct("=QII4Q7Q4QQQ")
MASK, ACTION, REMOVABLE_MASK, REMOVABLE_ACTION = 4, 5, -2, -1


def sites(path):
    data = path.read_bytes()
    magic, _, _, _, size, offset, capacity = HEADER.unpack_from(data)
    if magic != MAGIC:
        raise ValueError(f"{path.name} is no counter file")
    for place in range(offset, offset + size * capacity, size):
        site = SITE.unpack_from(data, place)
        if site[0]:
            yield site


def totals(folder):
    """Calls counted, and calls that mode shadow would not make, by system call."""
    counted = {"rt_sigprocmask": 0, "rt_sigaction": 0}
    removable = dict(counted)
    for path in folder.iterdir():
        for site in sites(path):
            counted["rt_sigprocmask"] += site[MASK]
            counted["rt_sigaction"] += site[ACTION]
            removable["rt_sigprocmask"] += site[REMOVABLE_MASK]
            removable["rt_sigaction"] += site[REMOVABLE_ACTION]
    return counted, removable
