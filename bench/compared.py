# SPDX-License-Identifier: MIT
"""One command under `sigzero compare`: pairs in shuffled order, outputs compared."""
import json
import subprocess

from commands import environment


def compare(built, command, folder, pairs, follow=()):
    words = [str(built.sigzero), "compare", "--json", "-n", str(pairs)]
    for pattern in follow:
        words += ["--follow", pattern]
    done = subprocess.run([*words, "--", *command], cwd=folder, stdin=subprocess.DEVNULL,
                          env=environment() | {"SIGZERO_LIB": str(built.runtime), "LC_ALL": "C"},
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(f"{command[0]}: compare ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def counted(report, *names):
    """Calls of these names: without, with."""
    chosen = [c for c in report["calls"]["by_name"] if c["name"] in names]
    return sum(c["without"] for c in chosen), sum(c["with"] for c in chosen)


def saved(report):
    """Share of the time that is gone: least, median, most."""
    ratio = report["wall"]["ratio"]
    return [1 - 1 / ratio[key] for key in ("low", "median", "high")]
