# SPDX-License-Identifier: MIT
"""Builds what is to be measured, and says what could not be built."""
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Built:
    programs: Path
    runtime: Path
    sigzero: Path
    corosensei: Path

    def program(self, name):
        return self.programs / name


def build(directory):
    directory = Path(directory).resolve()
    if not (directory / "build.ninja").exists():
        subprocess.run(["meson", "setup", directory, ROOT], check=True)
    runtime = directory / "runtime" / "libsigzero.so"
    subprocess.run(["ninja", "-C", directory, "bench-programs", "runtime/libsigzero.so"], check=True)
    cargo_target = directory / "bench" / "cargo"
    build_corosensei(cargo_target)
    return Built(
        programs=directory / "bench",
        runtime=runtime,
        sigzero=ROOT / "target" / "release" / "sigzero",
        corosensei=cargo_target / "release" / "switch-corosensei",
    )


def build_corosensei(target):
    manifest = ROOT / "bench" / "corosensei" / "Cargo.toml"
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--manifest-path", manifest]
    try:
        subprocess.run(command, env=os.environ | {"CARGO_TARGET_DIR": str(target)}, check=False)
    except OSError as error:
        print(f"bench: corosensei is left out: {error}")
