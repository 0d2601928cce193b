# SPDX-License-Identifier: MIT
"""What mode watch counted, added up over the counter files of one run.

The layout is that of runtime/watch_format.h.
"""
import struct

MAGIC = 0x314F52455A474953
HEADER = struct.Struct("=QIIIIII")  # magic, version, pid, ppid, site_size, sites_offset, sites_capacity
ADDED = struct.Struct("=QQ")  # what mode lazy calls besides: mask, action
ADDED_OFFSET = 1104
# caller, function, opaque, calls, mask, action, other, 7 kinds of mask, 4 of action,
# needless mask and action, claimed, lazily removed mask and action
SITE = struct.Struct("=QII4Q7Q4QQQQQQ")
COUNTED, NEEDLESS, LAZY = (4, 5), (18, 19), (21, 22)


def opened(path):
    data = path.read_bytes()
    header = HEADER.unpack_from(data)
    if header[0] != MAGIC:
        raise ValueError(f"{path.name} is no counter file")
    return data, header


def sites(data, header):
    size, offset, capacity = header[-3:]
    for place in range(offset, offset + size * capacity, size):
        site = SITE.unpack_from(data, place)
        if site[0]:
            yield site


def totals(folder):
    """Calls counted, and calls fewer in mode shadow and in mode lazy, by system call."""
    counted, shadow, lazy = ({"rt_sigprocmask": 0, "rt_sigaction": 0} for _ in range(3))
    for path in folder.iterdir():
        data, header = opened(path)
        added = ADDED.unpack_from(data, ADDED_OFFSET)
        for i, call in enumerate(counted):
            lazy[call] -= added[i]
        for site in sites(data, header):
            for i, call in enumerate(counted):
                counted[call] += site[COUNTED[i]]
                shadow[call] += site[NEEDLESS[i]]
                lazy[call] += site[LAZY[i]]
    return counted, shadow, lazy
