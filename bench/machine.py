# SPDX-License-Identifier: MIT
"""Where and when a run was made."""
import os
import platform
import subprocess
from datetime import datetime, timezone


def describe():
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": processor(),
        "processors": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "libc": " ".join(platform.libc_ver()),
        "compiler": first_line(["gcc", "--version"]),
        "load at start": "%.2f" % os.getloadavg()[0],
    }


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def first_line(command):
    try:
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return output.splitlines()[0]
