#!/usr/bin/env bash
# stoker train --serve: the run in a browser while it goes on; a port in use; Ctrl-C ends both.
set -eu
source "$(dirname "$0")/support.bash" "$1"
make_colours "$work/data" 3 24 16

"$stoker" train "$work/data" --model resnet8 --size 32 --epochs 100000 --validation none -q --serve=0 \
    -o "$work/run" >"$work/job.out" 2>"$work/job.err" &
job=$!
trap 'kill -9 $job 2>/dev/null || true; rm -rf "$work"' EXIT

# What is served once there are steps; then the same port is asked for by another run.
if python3 - "$work/job.err" >"$work/port" <<'PYTHON'
import json, re, sys, time, urllib.error, urllib.request
deadline, url = time.time() + 120, None
while not url and time.time() < deadline:
    found = re.search(r"live: (http://localhost:(\d+)/)", open(sys.argv[1]).read())
    url, port = found.groups() if found else (time.sleep(0.1), None)
page = urllib.request.urlopen(url, timeout=60).read().decode()
assert page.lower().startswith("<!doctype html>"), page[:200]
data = None
while not data and time.time() < deadline:
    try:
        data = json.load(urllib.request.urlopen(url + "data.json", timeout=60))
        if data["profile"]["steps"] < 3: data = time.sleep(0.5)
    except urllib.error.HTTPError as error:
        assert error.code == 503, error
        time.sleep(0.2)
assert data["profile"]["run"]["model"] == "resnet8", data["profile"]["run"]
assert data["diagnosis"]["verdict"], data["diagnosis"]
learning = data["learning"]
assert learning["state"] == "running" and learning["steps"] > 1000 and learning["step"] >= 3, learning
images = learning["training"]["images"]
assert images and all(i["src"].startswith("data:image/png;base64,") and i["label"] for i in images), len(images)
# The button: asked as the page does, by nobody else; the file is named when it is there.
assert data["tracing"]["state"] == "idle", data["tracing"]
def press(headers):
    request = urllib.request.Request(url + "trace?steps=2&level=1", data=b"", headers=headers)
    try:
        return urllib.request.urlopen(request, timeout=60).status
    except urllib.error.HTTPError as error:
        return error.code
token = urllib.request.urlopen(url + "data.json", timeout=60).headers["X-Stoker-Token"]
assert press({"X-Stoker-Token": token}) == 403 and press({"Origin": url[:-1]}) == 403
assert press({"X-Stoker-Token": token, "Origin": "http://evil.test"}) == 403
assert press({"X-Stoker-Token": token, "Origin": url[:-1]}) == 202
while data["tracing"]["state"] != "done" and time.time() < deadline:
    time.sleep(0.2)
    data = json.load(urllib.request.urlopen(url + "data.json", timeout=60))
import os
assert data["tracing"]["steps"] == 2 and os.path.getsize(data["tracing"]["path"]) > 100, data["tracing"]
request = urllib.request.Request(url + "data.json", headers={"Host": "evil.test"})
try:
    urllib.request.urlopen(request, timeout=60)
    raise SystemExit("a foreign name was answered")
except urllib.error.HTTPError as error:
    assert error.code == 403, error
print(port)
PYTHON
then
    port=$(cat "$work/port")
    run train "$work/data" --model resnet8 --size 32 -q "--serve=$port" -o "$work/second"
    expect_code 1 "a port in use"
    expect_in "$work/err" "127.0.0.1 port $port: the port is in use" "a port in use"
    [ ! -e "$work/second" ] || fail "a run was begun without its port"
else
    fail "what is served: $(cat "$work/job.err")"
fi

kill -INT $job
code=0
wait $job || code=$?
expect_code 130 "Ctrl-C"
for file in learning.json report.html; do
    [ -s "$work/run/$file" ] || fail "$file is missing after Ctrl-C"
done
expect_in "$work/run/report.html" '"state":"interrupted"' "the page of the run"
run diagnose "$work/run" -o "$work/again.html"
expect_code 0 "the page made again"
expect_in "$work/again.html" '"learning":{"state":"interrupted"' "the page made again"
printf 'x' >"$work/run/learning.json"
run diagnose "$work/run" -o "$work/again.html"
expect_code 1 "learning.json that is none"
expect_in "$work/err" "learning.json" "learning.json that is none"

# Open to others: only with the token, which stands in the address that is printed and in no list of processes.
"$stoker" train "$work/data" --model resnet8 --size 32 --epochs 100000 --validation none -q --serve=0 --serve-address 0.0.0.0 \
    -o "$work/open" >"$work/job.out" 2>"$work/job.err" &
job=$!
python3 - "$work/job.err" $job <<'PYTHON' || fail "the token: $(cat "$work/job.err")"
import http.cookiejar, re, sys, time, urllib.error, urllib.request
deadline, found = time.time() + 120, None
while not found and time.time() < deadline:
    found = re.search(r"^live: http://\S+:(\d+)/\?token=([0-9a-f]{32})$", open(sys.argv[1]).read(), re.M)
    if not found: time.sleep(0.1)
port, token = found.groups()
url = f"http://127.0.0.1:{port}/"
def code(address, headers={}, opener=urllib.request.build_opener()):
    try:
        return opener.open(urllib.request.Request(address, headers=headers), timeout=60).status
    except urllib.error.HTTPError as error:
        return error.code
assert code(url) == code(url + "data.json") == code(url + "?token=" + "0" * 32) == 401
browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
assert code(url + "?token=" + token, opener=browser) == 200 and code(url, opener=browser) == 200
assert code(url + "data.json", {"Authorization": "Bearer " + token}) in (200, 503)
line = open(f"/proc/{sys.argv[2]}/cmdline").read()
assert token not in line and "serve" in line, line
PYTHON
kill -INT $job
wait $job || true
printf 'my-own-secret-token\r\n' >"$work/token"
"$stoker" train "$work/data" --model resnet8 --size 32 --epochs 100000 --validation none -q --serve=0 --serve-address 127.0.0.1 \
    --serve-token-file "$work/token" -o "$work/own" >"$work/job.out" 2>"$work/job.err" &
job=$!
python3 - "$work/job.err" <<'PYTHON' || fail "a token of one's own: $(cat "$work/job.err")"
import re, sys, time, urllib.error, urllib.request
deadline, found = time.time() + 120, None
while not found and time.time() < deadline:
    found = re.search(r"live: (http://127.0.0.1:\d+/)", open(sys.argv[1]).read())
    if not found: time.sleep(0.1)
def code(headers):
    try:
        return urllib.request.urlopen(urllib.request.Request(found.group(1), headers=headers), timeout=60).status
    except urllib.error.HTTPError as error:
        return error.code
right = {"Authorization": "Bearer my-own-secret-token"}
assert code({}) == 401 and code(right) == 200 and code(right | {"Host": "evil.test"}) == 403
PYTHON
kill -INT $job
wait $job || true
! grep -q my-own-secret "$work/job.err" || fail "a token of one's own is printed"
STOKER_SERVE_TOKEN=short run train "$work/data" -q --serve=0 -o "$work/third"
expect_code 1 "a token that is too short"
expect_in "$work/err" "the token has 5 characters" "a token that is too short"
run train "$work/data" -q --serve=0 --serve-token-file "$work/nowhere" -o "$work/third"
expect_code 1 "a token's file that is not there"
expect_in "$work/err" "$work/nowhere: cannot open the file of the token" "a token's file that is not there"
run train "$work/data" -q --serve-address 0.0.0.0 -o "$work/third"
expect_code 1 "an address without --serve"
expect_in "$work/err" "--serve-address does nothing without --serve" "an address without --serve"
[ ! -e "$work/third" ] || fail "a run was begun without its server"
run train "$work/data" -q --serve --serve-address nowhere -o "$work/third"
expect_code 1 "an address in words"
expect_in "$work/err" "no address in numbers" "an address in words"
finish
