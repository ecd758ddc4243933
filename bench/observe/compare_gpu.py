#!/usr/bin/env python3
"""What `stoker watch` says of a GPU beside what nvidia-smi says in the same seconds, both ways it can look: NVML, and
nvidia-smi's own output. Needs a GPU and PyTorch (for the load). Usage: compare_gpu.py STOKER [SECONDS]"""
import csv
import os
import statistics
import subprocess
import sys
import tempfile

FIELDS = [("utilization.gpu", "gpu0_utilisation", 100, 5), ("utilization.memory", "gpu0_memory_utilisation", 100, 5),
          ("memory.used", "gpu0_memory_bytes", 1 / 2**20, 5), ("power.draw", "gpu0_watts", 1, 8),
          ("temperature.gpu", "gpu0_celsius", 1, 3), ("clocks.sm", "gpu0_clock_mhz", 1, 3)]
LOAD = """
import time, torch
x = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
held = torch.empty(8 << 30, dtype=torch.uint8, device="cuda")
end = time.time() + {seconds}
while time.time() < end:
    begin = time.time()
    while time.time() - begin < {busy}:
        y = x @ x
        torch.cuda.synchronize()
    time.sleep({idle})
"""


def watch(stoker, folder, name, load, environment):
    out = os.path.join(folder, name + ".csv")
    smi = subprocess.Popen(["nvidia-smi", "--query-gpu=" + ",".join(f[0] for f in FIELDS), "--format=csv,noheader,nounits",
                            "-lms", "500"], stdout=subprocess.PIPE, text=True)
    done = subprocess.run([stoker, "watch", "--interval", "0.5", "--csv", out, "--csv-interval", "0.5", "--json", "-q", "--",
                           sys.executable, "-c", load], capture_output=True, text=True, env={**os.environ, **environment})
    smi.terminate()
    rows = [[float(v) if v.strip().replace(".", "").isdigit() else None for v in line.split(",")]
            for line in smi.stdout.read().splitlines()]
    print(done.stderr.strip()[-400:])
    return list(csv.DictReader(open(out))), rows, done.stdout


def without_nvml(folder):
    """An environment in which the driver's library cannot be loaded, except by nvidia-smi."""
    real = subprocess.run(["which", "nvidia-smi"], capture_output=True, text=True).stdout.strip()
    before = os.environ.get("LD_LIBRARY_PATH", "")
    open(os.path.join(folder, "libnvidia-ml.so.1"), "w").write("no library\n")
    wrapper = os.path.join(folder, "nvidia-smi")
    open(wrapper, "w").write(f'#!/bin/sh\nLD_LIBRARY_PATH="{before}" exec {real} "$@"\n')
    os.chmod(wrapper, 0o755)
    return {"LD_LIBRARY_PATH": folder + ":" + before, "PATH": folder + ":" + os.environ["PATH"]}


def middle(values):
    values = values[len(values) // 3: -1] or values
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else float("nan")


def main():
    stoker, seconds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 12
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        ways = [("NVML, full load", {}, 1, 0), ("NVML, half load", {}, 0.02, 0.02),
                ("nvidia-smi, full load", without_nvml(folder), 1, 0)]
        for name, environment, busy, idle in ways:
            ours, theirs, summary = watch(stoker, folder, name.replace(" ", "_"),
                                          LOAD.format(seconds=seconds, busy=busy, idle=idle), environment)
            print(f"{name}: {len(ours)} rows, nvidia-smi {len(theirs)}")
            if name == ways[0][0]:
                print(summary[:1500])
            for i, (field, column, factor, tolerance) in enumerate(FIELDS):
                a = middle([float(r[column]) * factor if r.get(column) not in (None, "") else None for r in ours])
                b = middle([r[i] for r in theirs if len(r) == len(FIELDS)])
                away = abs(a - b) / max(abs(b), 1) * 100
                worst = max(worst, away / tolerance)
                print(f"  {field:20} ours {a:10.1f}  nvidia-smi {b:10.1f}  {away:5.1f} % apart{'' if away <= tolerance else '  <- more than ' + str(tolerance)}")
    return worst > 1


if __name__ == "__main__":
    sys.exit(main())
