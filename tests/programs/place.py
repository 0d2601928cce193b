# SPDX-License-Identifier: MIT
"""Where the programs run: the same path each time, and empty at the start of each run."""
import shutil
from pathlib import Path


class Place:
    def __init__(self, root):
        self.home = Path(root) / "home"
        self.counters = Path(root) / "counters"

    def make_fresh(self, row):
        for folder in (self.home, self.counters):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        row.lay_out(self.home)
