#!/usr/bin/env bash
# stoker profile and stoker diagnose: files, text, JSON, what-ifs, refusals, Ctrl-C; and what a run
# of training leaves.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
make_colours photos 3 30 8

run profile photos --model mlp --batch 8 --threads 1 --steps 60 --seconds 1 -o measured/first -q
expect_code 0 "profile"
expect_empty err "profile, quiet"
for text in "limits" "samples/s (" "S1 read" "S8 write" "Evidence" "report measured/first/report.html"; do
    expect_in out "$text" "profile"
done
[ -s measured/first/run/recipe.yaml ] || fail "the run is not there"
python3 - measured/first <<'PYTHON' || fail "the files of a profile"
import json, sys
p = json.load(open(sys.argv[1] + "/profile.json"))
d = json.load(open(sys.argv[1] + "/diagnosis.json"))
assert p["run"]["model"] == "mlp" and p["run"]["batch"] == 8, p["run"]
assert "--steps 60" in p["run"]["command"], p["run"]["command"]
keys, rows = p["step_list"]["keys"], p["step_list"]["rows"]
assert len(rows) >= 60, len(rows)
ns, exposed = keys.index("ns"), keys.index("exposed_ns")
assert all(sum(r[exposed]) == r[ns] for r in rows)
assert len(p["stages"]) == 9 and p["machine"]["cores"] >= 1
assert p["limits"]["flops"] > 1e8 and p["limits"]["memory_bytes"] > 1e8 and p["limits"]["launch_ns"] > 0
assert p["ops"]["rows"] and p["batches"]["rows"][0][0] == 8
assert d["limit"]["stage"].startswith("S") and len(d["rows"]) >= 8 and 0 <= d["confidence"] <= 1
PYTHON
expect_in measured/first/report.html "<html" "the page"
run diagnose measured/first/trace.json.gz
expect_code 0 "diagnose a trace"
expect_in out "Warnings" "diagnose a trace"
run trace ops measured/first/trace.json.gz
expect_in out "roofs: " "operations of a profile's trace"
run profile photos --model mlp --batch 8 --threads 1 --steps 20 -o measured/first -q
expect_code 1 "a profile that is there already"
expect_in err "measured/first/profile.json" "a profile that is there already"

run diagnose measured/first --json
expect_code 0 "diagnose as JSON"
python3 -c 'import json,sys; d = json.load(open("out")); assert d["verdict"] and d["fixes"] is not None' ||
    fail "the JSON of diagnose"
run diagnose measured/first/profile.json -o page.html
expect_code 0 "diagnose a file"
expect_in page.html "<html" "diagnose -o"
run diagnose measured/first/profile.json -o nowhere/page.html
expect_code 1 "diagnose -o into no folder"
run profile photos --model mlp --batch 8 --threads 1 --steps 20 --seconds 0.2 -o bare --no-report -q
expect_code 0 "profile --no-report"
[ ! -e bare/report.html ] && [ ! -e bare/trace.json.gz ] || fail "profile --no-report wrote a page"
run diagnose measured/first --what-if S4=0.1,S7=apart,threads=2,buffer=8
expect_code 0 "diagnose --what-if"
expect_in out "samples/s" "diagnose --what-if"
run diagnose measured/first --what-if S2=0 --json
expect_code 0 "diagnose --what-if as JSON"
python3 -c 'import json; d = json.load(open("out")); assert d["low"] <= d["samples_per_s"] <= d["high"]' ||
    fail "the JSON of --what-if"
for wrong in S9=1 S2 S2=x S2=-1 S1=apart threads=; do
    run diagnose measured/first --what-if "$wrong"
    expect_code 2 "--what-if $wrong"
done
run diagnose nowhere
expect_code 1 "diagnose of nothing"
echo '{"a": 1}' >other.json
run diagnose other.json
expect_code 1 "diagnose of another file"
expect_in err "no profile" "diagnose of another file"
run profile photos --seconds 0
expect_code 2 "no time"
touch file
run profile photos --model mlp --threads 1 --steps 5 -o file/x -q
expect_code 1 "a folder below a file"

run train photos --model mlp --batch 8 --threads 1 --steps 60 -o trained -q
expect_code 0 "train"
expect_in out "limit: " "train"
run diagnose trained
expect_code 0 "diagnose a run"
run train photos --model mlp --batch 8 --threads 1 --steps 60 -o again -q --json
python3 -c 'import json; r = json.load(open("out")); assert r["verdict"] and r["limit"].startswith("S")' ||
    fail "the verdict in the JSON of train"

code=0
"$stoker" profile photos --model mlp --batch 8 --threads 1 --seconds 100 -o stopped >out 2>err &
child=$!
sleep 2
kill -INT "$child"
wait "$child" || code=$?
expect_code 130 "Ctrl-C"
[ -s stopped/diagnosis.json ] || fail "Ctrl-C left no diagnosis"
finish
