# SPDX-License-Identifier: MIT
"""A row of programs.toml: what to run and what to demand of it."""
import shutil
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

TABLE = Path(__file__).with_name("programs.toml")


@dataclass
class Row:
    name: str
    command: list
    needs: list = field(default_factory=list)
    lines: int = 0
    files: dict = field(default_factory=dict)
    plain: dict = field(default_factory=dict)
    limit: dict = field(default_factory=dict)
    lazy: int | None = None
    lazy_share: float | None = None
    adds: int | None = None
    count: bool = True
    follow: bool = True
    exact: bool = True

    def missing(self):
        return [p for p in [self.command[0], *self.needs] if not shutil.which(p)]

    def stdin(self):
        return b"".join(b"%d\n" % n for n in range(1, self.lines + 1))

    def lay_out(self, folder):
        for file, text in self.files.items():
            (folder / file).write_text(text.removeprefix("\n"), encoding="utf-8")


def read(build):
    for entry in tomllib.loads(TABLE.read_text(encoding="utf-8"))["program"]:
        entry["command"] = [part.replace("{build}", str(build)) for part in entry["command"]]
        yield Row(**entry)
