# SPDX-License-Identifier: MIT
"""The unit under a real systemd, booted in a container over a copy of this machine's files that
nobody keeps: nothing of it is written, none of its services runs."""
import os
import subprocess

from tools import ROOT, Skip, need, run

SECONDS = 100
# The same files, to be written in memory only.
BOOT = """
set -e
mount -t tmpfs none "$1/memory"
mkdir "$1/memory/upper" "$1/memory/work"
mount -t overlay overlay -o lowerdir=/,upperdir="$1/memory/upper",workdir="$1/memory/work" "$1/root"
cp -a "$1/made/." "$1/root/"
exec timeout -k 5 "$2" systemd-nspawn --quiet --register=no --keep-unit --private-network \\
    --capability=CAP_BPF,CAP_PERFMON --system-call-filter="bpf perf_event_open" \\
    --bind="$1/result:/result" -D "$1/root" -b systemd.unit=basic.target systemd.wants=probe.service
"""
PROBE_UNIT = """
[Unit]
Wants=sigzero-export.service
After=sigzero-export.service
[Service]
Type=oneshot
ExecStart=/bin/bash /result/probe
ExecStopPost=/bin/systemctl poweroff --force --no-block
"""
# bash makes some two calls for each trap that is set and unset.
PROBE = """
cd /result
metrics() { python3 -c 'import urllib.request as u; print(u.urlopen("http://127.0.0.1:9565/metrics").read().decode())'; }
for try in $(seq 100); do metrics >/dev/null 2>&1 && break; sleep 0.1; done
cp /bin/bash /usr/local/bin/traps
traps -c 'for i in {1..2000}; do trap : USR1; trap - USR1; done'
metrics >metrics
cat /proc/$(systemctl show -P MainPID sigzero-export)/status >status
systemctl kill --signal=KILL sigzero-export
for try in $(seq 150); do
    sleep 0.1
    [ "$(systemctl show -P NRestarts sigzero-export)" = 1 ] && metrics >again 2>/dev/null && break
done
systemctl stop sigzero-export
systemctl show -P Result sigzero-export >stopped
journalctl --no-pager -u sigzero-export >journal
"""


def field(text, name):
    return next(line.split()[1] for line in text.splitlines() if line.startswith(name + ":"))


def unit(installed):
    for program in ("systemd-nspawn", "unshare", "make"):
        need(program)
    if not (ROOT / "target/release/sigzero").exists():
        raise Skip("the command line is not built")
    if os.geteuid() != 0:
        raise Skip("only root can boot a container")
    try:
        run(ROOT / "target/release/sigzero", "stat", "--source", "bpf", "--", "true")
    except RuntimeError as error:
        raise Skip(f"eBPF is not to be had: {error}") from None
    folder = installed.folder / "booted"
    for name in ("made", "memory", "root", "result"):
        (folder / name).mkdir(parents=True)
    run("make", "-C", ROOT, "install", f"BUILD={installed.build}", f"DESTDIR={folder / 'made'}")
    units = folder / "made/etc/systemd/system"
    units.mkdir(parents=True)
    (units / "probe.service").write_text(PROBE_UNIT)
    (folder / "result/probe").write_text(PROBE)
    done = subprocess.run(["unshare", "--mount", "sh", "-c", BOOT, "sh", str(folder), str(SECONDS)],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    said = {path.name: path.read_text() for path in (folder / "result").iterdir()}
    if "status" not in said and "Welcome to" not in done.stdout:
        raise Skip("no container can be booted here: " + (done.stderr.strip() or done.stdout)[-200:])
    check(said, done.stdout)


def check(said, console):
    if not said.get("stopped") or not said.get("metrics"):
        raise RuntimeError(f"it did not come to its end: {sorted(said)}\n"
                           f"{said.get('journal') or console[-2000:]}")
    calls = [line.split()[-1] for line in said["metrics"].splitlines()
             if 'program="traps",call="rt_sigaction",kind="set"' in line]
    if not calls or int(calls[0]) < 4000:
        raise RuntimeError(f"traps are counted as {calls}, expected 4000 and a few\n{said['journal']}")
    status = said["status"]
    # CAP_PERFMON is 38, CAP_BPF 39.
    if field(status, "Uid") == "0" or {field(status, name) for name in ("CapEff", "CapBnd", "CapAmb")} \
            != {f"{3 << 38:016x}"} or field(status, "Seccomp") != "2":
        raise RuntimeError(f"it runs with more than it needs:\n{status}")
    if "sigzero_system_calls_total" not in said.get("again", ""):
        raise RuntimeError(f"it was not started again after a kill\n{said['journal']}")
    if said["stopped"].strip() != "success":
        raise RuntimeError(f"it stopped with {said['stopped']}\n{said['journal']}")
