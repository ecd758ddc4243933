#!/usr/bin/env python3
"""Looks at the report in a browser: browser.py FOLDER, where make_page has been. Exit code 77: there is no browser."""
import csv
import http.server
import io
import json
import pathlib
import re
import sys
import threading

from page_numbers import agrees, settle
from webdriver import Browser, find_browser

WIDTHS = (360, 800, 1400)
FEWEST_NUMBERS = 250
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}", file=sys.stderr)


def embedded(html):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S).group(1))


def look_at_verdict(b, data):
    expect(b.run("return document.getElementById('say').textContent") == data["diagnosis"]["verdict"], "the verdict is the diagnosis's")
    expect(b.run("return document.getElementById('cause').textContent") == data["diagnosis"]["limit"]["cause"], "the cause is named")
    expect(b.run("return document.getElementById('command').textContent") == data["profile"]["run"]["command"], "the command is shown as it was")
    titles = b.run("return [...document.querySelectorAll('.fix h3')].map((e) => e.textContent)")
    expect(titles == [fix["title"] for fix in data["diagnosis"]["fixes"]], f"the fixes are shown in order: {titles}")
    lines = b.run("return [...document.querySelectorAll('#evidence li')].map((e) => e.textContent)")
    expect(lines == data["diagnosis"]["evidence"], "the evidence is shown")
    warnings = b.run("return [...document.querySelectorAll('#warnings .warn')].map((e) => e.textContent)")
    expect(warnings == data["diagnosis"]["warnings"], "the warnings are shown")
    expect(b.run("return document.querySelector('.stage.limit h3').textContent") == "S2 preprocess", "the limit is marked in the image")
    phases = b.run("return [...document.querySelectorAll('#phases li')].map((e) => e.textContent)")
    expect(phases == [f"{p['name']}: {p['sentence']}" for p in data["diagnosis"]["phases"]], f"phases are told: {phases}")


def look_at_numbers(b, data):
    b.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    b.run("[...document.querySelectorAll('button')].filter((e) => e.textContent === 'Show all').forEach((e) => e.click())")
    b.wait("return [...document.querySelectorAll('details')].every((d) => d.childElementCount > 1)")
    shown = b.run("return [...document.querySelectorAll('[data-key]')].map((e) => [e.dataset.key, e.dataset.kind, e.textContent])")
    expect(len(shown) >= FEWEST_NUMBERS, f"{len(shown)} numbers have a key, at least {FEWEST_NUMBERS} should")
    wrong = [one for one in shown if not agrees(data, *one)]
    expect(not wrong, f"{len(wrong)} of {len(shown)} numbers are not those of the data: {wrong[:5]}")
    charts = b.run("return [...document.querySelectorAll('[data-chart]')].map((e) => [e.dataset.chart, e.querySelectorAll('path').length, Boolean(e.closest('section').querySelector('table'))])")
    expect(len(charts) >= 12 and all(paths > 0 and behind for _, paths, behind in charts), f"every chart is drawn and has a table: {charts}")
    b.run("document.querySelectorAll('details').forEach((d) => { d.open = false; })")


def column(b, number):
    return b.run("return [...document.querySelectorAll('#op-table tbody tr')].map((r) => r.cells[arguments[0]].textContent)", number)


def look_at_operations(b, data):
    ops = data["profile"]["ops"]
    by_time = [op["name"] for op in sorted(ops, key=lambda op: -op["ns"])]
    expect(column(b, 1) == by_time, "operations are sorted by time at first")
    b.click("[data-sort=ns]")
    expect(column(b, 1) == by_time[::-1], "a second click turns the order round")
    expect(b.run("return document.querySelector('#op-table th[aria-sort]').getAttribute('aria-sort')") == "ascending", "the order is told")
    b.click("[data-sort=operation]")
    names = column(b, 0)
    expect(names == sorted(names), "texts are sorted as texts")
    b.type("#op-filter", "conv2d")
    chosen = [op for op in ops if "conv2d" in op["operation"] + op["name"]]
    expect(len(column(b, 0)) == len(chosen), f"the filter leaves {len(chosen)} rows")
    b.clear("#op-filter")
    b.run("document.getElementById('op-filter').dispatchEvent(new Event('input'))")
    rows = list(csv.DictReader(io.StringIO(b.run("return window.stoker.csv()"), newline="")))
    expect(len(rows) == len(ops), "the CSV has every operation")
    of = {(op["name"], op["phase"]): op for op in ops}
    for row in rows:
        name = row["name"][1:] if row["name"].startswith("'") else row["name"]
        op = of.get((name, row["phase"]))
        expect(op and int(row["ns"]) == op["ns"] and float(row["flops"]) == op["flops"], f"the CSV has {name} as it is")
    expect(any(row["name"].startswith("'=") for row in rows), "a formula is no formula in the CSV")


def look_at_what_if(b, expected):
    for number, one in enumerate(expected):
        rate = b.run("return window.stoker.simulate(window.stoker.page.data.simulation, arguments[0]).rate", one)
        expect(abs(rate - one["rate"]) <= 0.005 * one["rate"], f"question {number}: the page says {rate}, the library {one['rate']}")
    text = "return document.getElementById('what-if-rate').textContent"
    before = b.run(text)
    b.run("const s = document.getElementById('what-if-s2'); s.value = 0.5; s.dispatchEvent(new Event('input'))")
    after = b.run(text)
    expect(abs(float(after.replace(",", "")) - expected[1]["rate"]) <= 0.006 * expected[1]["rate"], f"the slider of S2 at half: {after}")
    expect(b.run("return document.getElementById('what-if-gain').textContent").startswith("+"), "a gain is shown")
    b.click("#what-if-reset")
    expect(b.run(text) == before, "all is as it was again")


SIMULATIONS = """return arguments[0].map(({model, questions}) => {
    const rows = model.steps.rows.map((row) => Object.fromEntries(model.steps.keys.map((key, i) => [key, row[i]])));
    return questions.map((what) => window.stoker.simulate({...model, steps: rows}, what)); })"""


def same(page, library, unit):
    return page is not None and abs(page - library) <= 1e-9 * unit


def look_at_simulations(b, runs):
    """The page simulates any model as the library does, number by number: a run is played by the same recursion on both sides."""
    for number, (run, answers) in enumerate(zip(runs, b.run(SIMULATIONS, runs))):
        for what, got in zip(run["questions"], answers):
            whole = same(got["rate"], what["rate"], what["rate"]) and same(got["ns"], what["ns"], what["ns"])
            expect(whole and got["samples"] == what["samples"], f"model {number}, {what}: the page says {got}")
            parts = got["parts"]
            if not what["apart"][1] and not what["apart"][2]:
                waits = same(parts[1], what["wait_read"], what["ns"]) and same(parts[2], what["wait_prepare"], what["ns"])
                expect(waits, f"model {number}, {what}: the page waits {parts[1]} and {parts[2]}")
            if not run["model"]["cores"]:
                expect(same(sum(parts), got["ns"], 10 * got["ns"]), f"model {number}, {what}: the parts {parts} are not the whole {got['ns']}")


def look_at_learning(b, data):
    learning = data["learning"]
    expect(b.run("return document.getElementById('learning-state').textContent") == "running", "the state is told")
    tiles = b.run("return [...document.querySelectorAll('#learning .tile')].map((e) => e.textContent)")
    expect(any(t.startswith("1m 22s") and "left" in t for t in tiles), f"what is left is told: {tiles}")
    expect(any("best validation" in t for t in tiles), f"the best is told: {tiles}")
    charts = b.run("return [...document.querySelectorAll('#curves [data-chart]')].map((e) => [e.dataset.chart, [...e.querySelectorAll('path')].map((p) => p.style.opacity), e.querySelectorAll('circle').length])")
    expect([c[0] for c in charts] == ["Loss", "Accuracy", "Learning rate"], f"the curves are there: {charts}")
    expect(all(c[1][:1] == ["0.32"] and len(c[1]) == 3 and c[2] == 6 for c in charts[:2]), f"reports are behind the smoothed line, evaluations are dots: {charts}")
    labels = b.run("return [...document.querySelectorAll('#samples .sample')].map((e) => [e.querySelector('img').naturalWidth, e.textContent])")
    expect(labels == [[1, "cat </script>✓ cat 91 %"], [1, "automobile✗ airplane 40 %"], [1, "frog 70 % + cat"]], f"images are shown: {labels}")
    sides = b.run("return ['learning', 'verdict'].map((id) => { const r = document.getElementById(id).getBoundingClientRect(); return [r.left, r.top]; })")
    expect(sides[0][1] == sides[1][1] and sides[0][0] < sides[1][0], f"learning and performance are side by side: {sides}")
    expect(b.run("return !document.getElementById('record')"), "a file cannot be asked for a trace")
    expect(len(learning["epoch_list"]) == 6, "epochs are there")


VIEW = "const v = window.stoker.timeline.view; return {begin: v.begin, end: v.end, events: v.t.count, rows: v.t.rows.map((r) => r.name), boxes: v.boxes, hits: v.hits}"


def look_at_timeline(b, data):
    whole = b.run(VIEW)
    expect(whole["rows"] == ["train", "input </script>"], f"rows have their names: {whole['rows']}")
    spread = b.run("""const c = window.stoker.timeline.view.canvas, d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, seen = new Set();
        for (let i = 0; i < d.length; i += 4) seen.add((d[i] << 16) | (d[i + 1] << 8) | d[i + 2]); return seen.size""")
    expect(spread > 5, f"the timeline is drawn: {spread} colours")
    b.run("document.querySelector('#timeline canvas').scrollIntoView({block: 'center'}); document.querySelector('#timeline canvas').focus()")
    b.hold("w", 0.4)
    near = b.run(VIEW)
    expect(near["end"] - near["begin"] < 0.9 * (whole["end"] - whole["begin"]), "w zooms in")
    b.hold("d", 0.3)
    expect(b.run(VIEW)["begin"] > near["begin"], "d moves on")
    b.hold("s", 1.0)
    expect(b.run(VIEW)["end"] - b.run(VIEW)["begin"] > near["end"] - near["begin"], "s zooms out")
    b.hold("f", 0.01)
    expect(abs(b.run(VIEW)["begin"] - whole["begin"]) < 1, "f shows all")
    b.type("#timeline-search", "conv2d")
    found = b.run(VIEW)["hits"]
    expect(0 < found < whole["events"], f"searching finds some: {found}")
    expect(f"{found:,} events" in b.run("return document.getElementById('timeline-hits').textContent"), "and says how many")
    b.click("[aria-label='next event found']")
    expect("conv2d" in b.run("return document.getElementById('timeline-info').textContent"), "the next one is shown")
    slowest = max(data["profile"]["step_list"], key=lambda s: s["ns"])
    b.run("document.querySelector('#speed tbody button').click()")
    view = b.run(VIEW)
    expect(slowest["ns"] <= view["end"] - view["begin"] < 1.5 * slowest["ns"], "a slow step is shown on the timeline")


def look_at_looks(b, page):
    background = "return getComputedStyle(document.body).backgroundColor"
    light = b.run(background)
    b.click("#theme")
    dark = b.run(background)
    expect(dark != light and b.run("return document.documentElement.dataset.theme") == "dark", "the button makes it dark")
    b.click("#theme")
    expect(b.run(background) == light, "and light again")
    for width in WIDTHS:
        b.resize(width)
        b.open(page)
        b.wait("return document.querySelectorAll('.chart svg').length > 10")
        b.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        b.wait("return [...document.querySelectorAll('details')].every((d) => d.childElementCount > 1)")
        wide = b.run("return document.documentElement.scrollWidth")
        expect(wide <= width, f"at {width} pixels the page is {wide} wide")
        over = b.run(pathlib.Path(__file__).with_name("overlap.js").read_text())
        expect(over["count"] > 300 and not over["found"], f"at {width} pixels {len(over['found'])} texts overlap: {over['found'][:5]}")
    b.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    b.open(page)
    expect(b.run(background) == dark, "who wishes dark gets it dark")
    b.devtools("Emulation.setEmulatedMedia", features=[])


def look_at_paper(b):
    printed = b.devtools("Page.printToPDF", printBackground=True)["data"]
    expect(len(printed) > 20000, "it prints")


def look_at_noise(b):
    errors = [line["message"] for line in b.log("browser")]
    expect(not errors, f"the console is silent: {errors[:3]}")
    asked = [json.loads(line["message"])["message"] for line in b.log("performance")]
    urls = [m["params"]["request"]["url"] for m in asked if m["method"] == "Network.requestWillBeSent"]
    outside = [url for url in urls if not url.startswith(("file:", "data:", "blob:", "chrome:"))]
    expect(not outside, f"nothing is loaded from a network: {outside[:3]}")


class Live(http.server.BaseHTTPRequestHandler):
    """The live server's addresses."""
    page, data, asked = b"", None, []

    def do_POST(self):
        Live.asked.append((self.path, self.headers["X-Stoker-Token"], self.headers["Origin"]))
        self.send_response(202)
        self.end_headers()

    def do_GET(self):
        body = {"/": Live.page, "/data.json": Live.data and json.dumps(Live.data).encode()}.get(self.path)
        self.send_response(200 if body else 503)
        self.send_header("Content-Type", "text/html" if self.path == "/" else "application/json")
        self.send_header("X-Stoker-Token", "the token")
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *arguments):
        pass


def look_at_live(b, empty, data):
    """data: as it stands in the file, not yet settled."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Live)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    Live.page = empty
    b.open(f"http://127.0.0.1:{server.server_port}/")
    b.wait("return document.getElementById('live').textContent.includes('waiting')")
    b.wait("return Boolean(document.getElementById('starting'))")
    Live.data = {"profile": data["profile"], "diagnosis": data["diagnosis"], "learning": data["learning"],
                 "tracing": {"state": "idle", "steps": 0, "level": 0, "first_step": -1, "path": "", "events": 0, "message": ""}}
    say = "const e = document.getElementById('say'); return e && e.textContent === arguments[0]"
    b.wait(say.replace("arguments[0]", json.dumps(data["diagnosis"]["verdict"])))
    expect(b.run("return !document.getElementById('timeline')"), "without a trace there is no timeline")
    Live.data["diagnosis"] = {**data["diagnosis"], "verdict": "Now it is another."}
    b.wait(say.replace("arguments[0]", '"Now it is another."'))
    expect(b.run("return !document.getElementById('starting')"), "what stood there before the first steps is gone")
    b.run("document.getElementById('record-ask').click()")
    b.wait("return !document.getElementById('record-state').textContent.includes('Asking')")
    expect(Live.asked == [("/trace?steps=5&level=2", "the token", f"http://127.0.0.1:{server.server_port}")], f"the button asks: {Live.asked}")
    Live.data["tracing"] = {**Live.data["tracing"], "state": "done", "steps": 5, "first_step": 1200, "path": "runs/a/trace-1200.json.gz", "events": 4321}
    b.wait("return document.getElementById('record-state').textContent.includes('runs/a/trace-1200.json.gz: 4,321 events')")
    server.shutdown()
    server.server_close()
    b.wait("return document.getElementById('live').textContent.includes('lost')")
    b.log("browser")


def look_at_bare(b, page):
    b.open(page)
    b.wait("return Boolean(window.stoker) && Boolean(document.getElementById('say'))")
    expect(b.run("return document.getElementById('say').textContent.length") > 10, "a run of which nothing is known has a verdict that says so")
    expect(not b.run("const text = document.getElementById('main').textContent; return text.includes('NaN') || text.includes('undefined')"), "what is not known is a dash")


TRACE = """const v = window.stoker.timeline.view, text = document.getElementById('main').textContent;
    return {events: v ? v.t.count : 0, rows: v ? v.t.rows.length : 0, wide: document.documentElement.scrollWidth,
            timeline: (document.getElementById('timeline') || {}).textContent || '', bad: /NaN|undefined|Infinity/.test(text)}"""


def look_at_traces(b, folder):
    """Whatever tool made it: the page has its timeline, on a phone and on a desk."""
    pages = sorted(folder.glob("trace-*.html"))
    expect(len(pages) >= 7, f"{len(pages)} pages of traces")
    for page in pages:
        for width in (360, 1400):
            b.resize(width)
            b.open(page.as_uri())
            b.wait("return Boolean(window.stoker) && Boolean(document.getElementById('say'))")
            seen = b.run(TRACE)
            expect(seen["events"] > 5 and seen["rows"] > 0, f"{page.name}: {seen['events']} events of {seen['rows']} rows")
            expect(seen["wide"] <= width, f"{page.name}: {seen['wide']} wide at {width} pixels")
            expect(not seen["bad"], f"{page.name}: what is not known is a dash")
        left_out = "longest events are shown" in seen["timeline"]
        expect(left_out == (page.stem == "trace-large"), f"{page.name}: what was left out is said, and only then")
    b.resize(1400)


def look(b, folder):
    html, page = (folder / "report.html").read_text(), (folder / "report.html").as_uri()
    data = settle(embedded(html))
    b.resize(1400)
    b.open(page)
    b.wait("return Boolean(window.stoker) && document.querySelectorAll('.chart svg').length > 10")
    look_at_verdict(b, data)
    look_at_learning(b, data)
    look_at_numbers(b, data)
    look_at_operations(b, data)
    look_at_what_if(b, json.loads((folder / "expected.json").read_text()))
    look_at_simulations(b, json.loads((folder / "simulations.json").read_text()))
    look_at_timeline(b, data)
    look_at_looks(b, page)
    look_at_paper(b)
    look_at_bare(b, (folder / "bare.html").as_uri())
    look_at_traces(b, folder)
    look_at_noise(b)
    look_at_live(b, (folder / "empty.html").read_bytes(), embedded(html))


def main():
    found = find_browser()
    if not found:
        print("SKIPPED: chromium or chromedriver is missing, THE REPORT WAS NOT LOOKED AT; scripts/bootstrap test installs them", file=sys.stderr)
        return 77
    browser = Browser(*found)
    try:
        look(browser, pathlib.Path(sys.argv[1]).resolve())
    finally:
        browser.close()
    return 1 if failures else 0


sys.exit(main())
