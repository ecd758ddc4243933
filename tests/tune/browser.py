#!/usr/bin/env python3
"""Looks at pages of searches in a browser: browser.py FOLDER, where make_page has been. Exit code 77: there is no browser."""
import json
import pathlib
import re
import sys

REPORT = pathlib.Path(__file__).resolve().parent.parent / "observe/report"
sys.path.insert(0, str(REPORT))
from page_numbers import agrees  # noqa: E402
from webdriver import Browser, find_browser  # noqa: E402

WIDTHS = (360, 800, 1400)
FEWEST_NUMBERS = 100
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}", file=sys.stderr)


def data_of(folder, name):
    html = (folder / f"{name}.html").read_text()
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S).group(1))


def texts(b, selector):
    return b.run("return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector)


def is_right(data, key, kind, text):
    """Of a factor, "2.4x", one is the start."""
    if kind == "gain" and text.endswith("x"):
        at = data
        for part in key.split("."):
            at = at[int(part)] if isinstance(at, list) else at[part]
        return abs(float(text[:-1]) - 1 - at) <= (0.051 if at < 9 else 0.51)
    return agrees(data, key, kind, text)


def look_at_numbers(b, data, fewest):
    shown = b.run("return [...document.querySelectorAll('[data-key]')].map((e) => [e.dataset.key, e.dataset.kind, e.textContent])")
    wrong = [one for one in shown if not is_right(data, *one)]
    expect(len(shown) >= fewest and not wrong, f"{len(wrong)} of {len(shown)} numbers are not those of the data: {wrong[:5]}")


def look_at_result(b, data):
    say = texts(b, "#say")[0]
    expect(say == "2.4x faster: 1,210 to 2,904 samples/s, 10 of 30 changes kept, 14 min.", f"the result is said: {say}")
    expect(data["ended"] in texts(b, "#ended"), "it is said why it ended")
    kept = [t["title"] for t in data["trials"] if t["decision"] == "kept"]
    expect(texts(b, "#kept h3") == kept, "what was kept is shown, in order")
    expect(texts(b, ".fall .name") == ["Start", *kept, "Result, measured against the start"], "each kept change has its bar")
    bars = b.run("return [...document.querySelectorAll('.fall .piece')].map((e) => { const r = e.getBoundingClientRect(); return [r.left, r.right]; })")
    steps = bars[1:-1]
    expect(all(abs(a[1] - c[0]) < 1.5 for a, c in zip([bars[0], *steps], steps)), f"each bar begins where the one before it ends: {bars}")
    expect(len(texts(b, ".fall .whisker")) == len(kept) + 1, "intervals are drawn")
    lines = texts(b, "#best")[0].split("\n")
    expect(lines[:3] == ["data:", "  batch: 64", "  cache: memory"], f"the setting can be copied: {lines}")
    expect(texts(b, "#advice li p")[0] == data["advice"][0]["text"], "the advice is shown")


def rows(b, column):
    return b.run("return [...document.querySelectorAll('#trial-table tbody tr')].map((r) => r.cells[arguments[0]].textContent)", column)


def look_at_trials(b, data):
    count = {name: sum(t["decision"] == name for t in data["trials"]) for name in {t["decision"] for t in data["trials"]}}
    expect(len(rows(b, 0)) == len(data["trials"]) - count["kept"], "what was dropped is shown at first")
    b.click("[data-filter=all]")
    expect(rows(b, 0) == [str(t["number"]) for t in data["trials"]], "all is shown, in its order")
    b.click("[data-sort=gain]")
    gains = [t["gain"]["value"] if t["gain"] else None for t in data["trials"]]
    known = sorted((g for g in gains if g is not None), reverse=True)
    shown = rows(b, 4)
    expect(shown[0].startswith(f"+{100 * known[0]:.1f} %") and shown[-1] == "–", f"trials are sorted by gain, unknown ones last: {shown[:2]}")
    expect(b.run("return document.activeElement.dataset.sort") == "gain", "the focus stays where it was")
    b.click("[data-sort=gain]")
    expect(rows(b, 4)[0].startswith("−5.8 %") and rows(b, 4)[-1] == "–", "a second click turns the order round")
    b.click("[data-filter=refused]")
    expect(set(rows(b, 2)) == {"refused"} and len(rows(b, 2)) == count["refused"], "a decision can be picked")
    expect(all("1.9 points less" in row for row in rows(b, 1)), "the reason is told")


def look_at_looks(b, folder):
    background = "return getComputedStyle(document.body).backgroundColor"
    light = b.run(background)
    b.click("#theme")
    expect(b.run(background) != light, "the button makes it dark")
    for name in ("full", "none", "nasty"):
        for width in WIDTHS:
            b.resize(width)
            b.open((folder / f"{name}.html").as_uri())
            b.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
            b.run("document.querySelector('[data-filter=all]').click()")
            wide = b.run("return document.documentElement.scrollWidth")
            expect(wide <= width, f"{name}: at {width} pixels the page is {wide} wide")
            if name == "nasty":
                continue
            over = b.run((REPORT / "overlap.js").read_text())
            expect(over["count"] > 60 and not over["found"], f"{name}: at {width} pixels texts overlap: {over['found'][:5]}")


def look_at_others(b, folder):
    b.open((folder / "none.html").as_uri())
    expect(texts(b, "#say") == ["Nothing faster was found: it stays at 87.4 samples/s, with 3 changes tried, 5 min."], "no gain is no shame")
    expect(b.run("return !document.querySelector('#waterfall, #kept, #setting, #limits')"), "what is not there is not shown")
    b.open((folder / "empty.html").as_uri())
    expect(texts(b, "#say") == ["Nothing is measured yet."] and texts(b, "#open") == ["the search has not ended"], "a search that has only begun is told")
    b.open((folder / "nasty.html").as_uri())
    expect(b.run("return document.querySelectorAll('main b b, main script').length") == 0, "texts are texts")
    expect(any("</script><!--<b>&amp;" in t for t in texts(b, "#trial-table code")), "and shown as they are")
    look_at_numbers(b, data_of(folder, "nasty"), FEWEST_NUMBERS)


def look_at_noise(b):
    errors = [line["message"] for line in b.log("browser")]
    expect(not errors, f"the console is silent: {errors[:3]}")
    asked = [json.loads(line["message"])["message"] for line in b.log("performance")]
    urls = [m["params"]["request"]["url"] for m in asked if m["method"] == "Network.requestWillBeSent"]
    outside = [url for url in urls if not url.startswith(("file:", "data:", "chrome:"))]
    expect(not outside, f"nothing is loaded from a network: {outside[:3]}")


def look(b, folder):
    data = data_of(folder, "full")
    b.resize(1400)
    b.open((folder / "full.html").as_uri())
    look_at_result(b, data)
    look_at_numbers(b, data, FEWEST_NUMBERS)
    look_at_trials(b, data)
    look_at_looks(b, folder)
    look_at_others(b, folder)
    look_at_noise(b)


def main():
    found = find_browser()
    if not found:
        print("SKIPPED: chromium or chromedriver is missing, THE PAGE WAS NOT LOOKED AT; scripts/bootstrap test installs them", file=sys.stderr)
        return 77
    browser = Browser(*found)
    try:
        look(browser, pathlib.Path(sys.argv[1]).resolve())
    finally:
        browser.close()
    return 1 if failures else 0


sys.exit(main())
