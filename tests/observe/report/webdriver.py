"""A headless Chromium driven over the W3C WebDriver protocol, with the standard library only."""
import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
START_SECONDS = 20


def find_browser():
    """(chromium, chromedriver), or None where one is missing."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Browser:
    def __init__(self, browser, driver):
        port = free_port()
        self.folder = tempfile.mkdtemp(prefix="stoker-browser-")
        self.process = subprocess.Popen([driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        self.wait_for_driver()
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-prefers-reduced-motion",
                     "--disable-background-networking", "--no-first-run", "--remote-debugging-pipe", f"--user-data-dir={self.folder}"]
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"binary": browser, "args": arguments},
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{answer['sessionId']}"

    def wait_for_driver(self):
        until = time.monotonic() + START_SECONDS
        while True:
            try:
                return self.call("GET", "/status")
            except (urllib.error.URLError, ConnectionError):
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def call(self, method, path, body=None):
        data = None if method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=150) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as failure:
            raise RuntimeError(json.load(failure)["value"]["message"].split("\n")[0]) from None

    def post(self, path, body=None):
        return self.call("POST", self.session + path, body)

    def open(self, url):
        self.post("/url", {"url": url})

    def run(self, script, *arguments):
        return self.post("/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, seconds=10):
        until = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > until:
                raise RuntimeError(f"not within {seconds} s: {script}")
            time.sleep(0.05)

    def find(self, selector):
        return self.post("/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.post(f"/element/{self.find(selector)}/click")

    def type(self, selector, text):
        self.post(f"/element/{self.find(selector)}/value", {"text": text})

    def clear(self, selector):
        self.post(f"/element/{self.find(selector)}/clear")

    def hold(self, key, seconds):
        keys = [{"type": "keyDown", "value": key}, {"type": "pause", "duration": int(seconds * 1000)}, {"type": "keyUp", "value": key}]
        self.post("/actions", {"actions": [{"type": "key", "id": "keys", "actions": keys}]})

    def devtools(self, command, **parameters):
        return self.post("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def resize(self, width, height=900):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def log(self, kind):
        return self.post("/se/log", {"type": kind})

    def close(self):
        try:
            self.call("DELETE", self.session)
        finally:
            self.process.terminate()
            self.process.wait(10)
            shutil.rmtree(self.folder, ignore_errors=True)
