#!/usr/bin/env python3
"""Opens a trace of ours in other people's tools and compares what they read with what is in it:

    scripts/check-trace-tools.py TRACE.json.gz [--hta PYTHON] [--catapult FOLDER]

--hta: a Python with Holistic Trace Analysis (in a venv: pip install HolisticTraceAnalysis
'pandas<3'); its temporal breakdown must agree with the spans of the training thread within 1 %. It
is told to keep the last step, and not to cut times to whole microseconds.
--catapult: a checkout of github.com/catapult-project/catapult, whose importer is that of
chrome://tracing; the trace is opened in headless chromium by chromedriver, and its slices counted.
Not part of 'make test': both tools are large. Only the standard library is needed here."""
import argparse
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

PORT = 9519


def read(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt") as file:
        return json.load(file)


def union(spans):
    """The time that is covered by any of the spans, in microseconds."""
    total = end = 0
    for begin, until in sorted(spans):
        total += max(0, until - max(begin, end))
        end = max(end, until)
    return total


def spans_of(events, **wanted):
    return [(e["ts"], e["ts"] + e["dur"]) for e in events
            if e["ph"] == "X" and all(e.get(k) == v for k, v in wanted.items())]


def own_breakdown(events):
    """From the host's pieces, not from the device's row that the tool looks at."""
    device = [s for cat in ("kernel", "gpu_memcpy") for s in spans_of(events, cat=cat)]
    whole = max(s[1] for s in device) - min(s[0] for s in device)
    compute = union(spans_of(events, cat="S4 compute"))
    copies = union(spans_of(events, cat="S3 host to device") +
                   spans_of(events, cat="S6 device to host"))
    return {"kernel_time": whole, "compute_time": compute, "non_compute_time": copies,
            "idle_time": whole - compute - copies}


HTA = """
import json, sys
from hta.trace_analysis import TraceAnalysis
analysis = TraceAnalysis(trace_files={0: sys.argv[1]}, trace_dir="",
                         include_last_profiler_step=True)
row = analysis.get_temporal_breakdown(visualize=False).iloc[0]
print("RESULT" + json.dumps({k: float(row[k + "(us)"]) for k in
      ("kernel_time", "compute_time", "non_compute_time", "idle_time")}))
"""


def check_hta(python, path, events):
    text = subprocess.run([python, "-c", HTA, path], capture_output=True, text=True, check=True,
                          env={**os.environ, "HTA_DISABLE_NS_ROUNDING": "1"})
    theirs = json.loads(text.stdout.split("RESULT")[1])
    ours = own_breakdown(events)
    good = True
    print(f"{'Holistic Trace Analysis':24}{'theirs':>12}{'ours':>12}  of the whole")
    for key, value in ours.items():
        difference = abs(theirs[key] - value) / ours["kernel_time"]
        good &= difference <= 0.01
        print(f"  {key:22}{theirs[key] / 1000:9.2f} ms{value / 1000:9.2f} ms  {difference:.3%}")
    return good


def call(method, url, body=None):
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}{url}", method=method,
                                     data=None if body is None else json.dumps(body).encode(),
                                     headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)["value"]


COUNT = """
const view = document.querySelector('tr-ui-timeline-view');
if (!view || !view.model) return null;
let slices = 0;
for (const p of Object.values(view.model.processes))
    for (const t of Object.values(p.threads)) slices += t.sliceGroup.length;
return {slices, arrows: view.model.flowEvents.length,
        warnings: view.model.importWarnings.map(w => w.message)};
"""


def count_in_browser(page):
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    driver = subprocess.Popen(["chromedriver", f"--port={PORT}"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        time.sleep(2)
        session = call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": flags}}}})["sessionId"]
        call("POST", f"/session/{session}/url", {"url": page.as_uri()})
        for _ in range(60):
            found = call("POST", f"/session/{session}/execute/sync", {"script": COUNT, "args": []})
            if found and found["slices"]:
                break
            time.sleep(1)
        call("DELETE", f"/session/{session}")
        return found
    finally:
        driver.terminate()
        driver.wait()


def check_catapult(folder, path, events):
    with tempfile.TemporaryDirectory() as work:
        page = pathlib.Path(work) / "trace.html"
        subprocess.run([sys.executable, f"{folder}/tracing/bin/trace2html", path, "--output", page],
                       check=True, capture_output=True)
        found = count_in_browser(page)
    slices, arrows = len(spans_of(events)), sum(e["ph"] == "s" for e in events)
    print(f"Trace viewer in chromium: {found['slices']} of {slices} slices, "
          f"{found['arrows']} of {arrows} arrows, {len(found['warnings'])} warnings")
    for warning in found["warnings"][:3]:
        print("  " + warning)
    return found["slices"] == slices and found["arrows"] == arrows and not found["warnings"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("trace")
    parser.add_argument("--hta")
    parser.add_argument("--catapult")
    args = parser.parse_args()
    path = str(pathlib.Path(args.trace).resolve())
    events = read(path)["traceEvents"]
    good = True
    if args.hta:
        good &= check_hta(args.hta, path, events)
    if args.catapult:
        good &= check_catapult(args.catapult, path, events)
    sys.exit(0 if good else 1)


main()
