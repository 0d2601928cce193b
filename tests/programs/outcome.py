# SPDX-License-Identifier: MIT
"""What a program did that its user can see."""
import subprocess
from dataclasses import dataclass

TIME_LIMIT_S = 120


@dataclass(frozen=True)
class Outcome:
    stdout: bytes
    stderr: bytes
    status: int

    def difference(self, other):
        """The first way in which `other` differs, or an empty string."""
        if self.status != other.status:
            last = other.stderr.decode(errors="replace").strip().splitlines()[-1:]
            return f"status {other.status} instead of {self.status} {' '.join(last)}".rstrip()
        for stream in ("stdout", "stderr"):
            mine, theirs = getattr(self, stream), getattr(other, stream)
            if mine != theirs:
                return f"{stream}: {first_difference(mine, theirs)}"
        return ""


def first_difference(expected, got):
    expected, got = (text.decode(errors="replace").splitlines() for text in (expected, got))
    for number, (a, b) in enumerate(zip(expected, got), 1):
        if a != b:
            return f"line {number} is {b!r} instead of {a!r}"
    return f"{len(got)} lines instead of {len(expected)}"


def run(command, folder, stdin, env):
    try:
        done = subprocess.run(command, cwd=folder, input=stdin, env=env, capture_output=True,
                              timeout=TIME_LIMIT_S, check=False)
    except subprocess.TimeoutExpired as late:
        return Outcome(late.stdout or b"", (late.stderr or b"") + b"did not end in time", -1000)
    return Outcome(done.stdout, done.stderr, done.returncode)
