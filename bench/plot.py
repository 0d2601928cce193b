# SPDX-License-Identifier: MIT
"""One SVG: a bar for each series, a panel for each group, drawn by gnuplot."""
import shutil
import subprocess

from commands import TREATED

OURS, OTHERS = 0x2B8A3E, 0x9AA5B1
PANELS = ["context switch", "jumps and masks", "masks", "sections", "threads", "decoder, a message", "mask loop", "green threads"]
HIDDEN = {"empty loop"}


def bars(samples, group):
    chosen = [s for s in samples.by_series if s.group == group and s.name not in HIDDEN]
    for place, series in enumerate(sorted(chosen, key=samples.median, reverse=True)):
        colour = OURS if TREATED in series.variant else OTHERS
        label = f"{series.name} ({series.variant})".replace("_", r"\\_")
        yield f'{place} {samples.median(series):.4f} {colour} "{label}"'


def panel(samples, index, group):
    unit = "s" if group in ("mask loop", "green threads") else "ns"
    lines = list(bars(samples, group))
    values = [float(line.split()[1]) for line in lines]
    low, high = min(values) / 2, max(values) * 4
    return "\n".join([
        f"$data{index} << END", *lines, "END",
        f"set title '{group}' font ',14'",
        f"set xlabel '{unit}, logarithmic: shorter is better'",
        f"set xrange [{low}:{high}]",
        f"set yrange [-0.6:{len(lines) - 0.4}]",
        f"plot $data{index} using 2:1:({low}):2:($1-0.35):($1+0.35):3:ytic(4) with boxxyerror lc rgb variable, \\",
        f"     $data{index} using 2:1:(sprintf(' %.3g', $2)) with labels left",
    ])


def write(samples, title, path):
    if not shutil.which("gnuplot"):
        return False
    groups = [g for g in PANELS if any(s.group == g for s in samples.by_series)]
    script = [
        f"set terminal svg size 1500,{420 * ((len(groups) + 1) // 2) + 60} background '#ffffff' font 'sans-serif,11'",
        f"set output '{path}'",
        f"set multiplot layout {(len(groups) + 1) // 2},2 title \"{title}\" font ',16'",
        "set logscale x", "set style fill solid", "unset key", "set grid xtics", "set lmargin 42", "set tics nomirror",
        *(panel(samples, i, g) for i, g in enumerate(groups)),
        "unset multiplot",
    ]
    subprocess.run(["gnuplot"], input="\n".join(script), text=True, check=True)
    return True
