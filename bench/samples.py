# SPDX-License-Identifier: MIT
"""What was measured: one number a round for each series, so that rounds can be paired."""
from dataclasses import dataclass, field
from statistics import median


@dataclass(frozen=True, order=True)
class Series:
    group: str
    name: str
    variant: str


@dataclass(frozen=True)
class Ratio:
    median: float
    low: float
    high: float
    pairs: int


@dataclass
class Samples:
    by_series: dict = field(default_factory=dict)
    missing: dict = field(default_factory=dict)

    def add(self, series, round_number, value):
        self.by_series.setdefault(series, {})[round_number] = value

    def miss(self, series, reason):
        self.missing[series] = reason

    def values(self, series):
        return list(self.by_series.get(series, {}).values())

    def median(self, series):
        return median(self.values(series))

    def ratio(self, above, below):
        """Median of the ratios taken within each round, or None where they never met."""
        a, b = self.by_series.get(above, {}), self.by_series.get(below, {})
        ratios = [a[r] / b[r] for r in a if r in b]
        if not ratios:
            return None
        return Ratio(median(ratios), min(ratios), max(ratios), len(ratios))
