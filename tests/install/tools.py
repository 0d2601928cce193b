# SPDX-License-Identifier: MIT
"""What the tests of the installation share."""
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


class Skip(Exception):
    pass


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], text=True, stdin=subprocess.DEVNULL,
                          capture_output=True, **more)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: status {done.returncode}\n"
                           f"{done.stdout}{done.stderr}")
    return done.stdout


def need(program):
    if not shutil.which(program):
        raise Skip(f"{program} is not installed")
