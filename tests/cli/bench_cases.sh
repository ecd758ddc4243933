#!/usr/bin/env bash
# stoker bench cases: faults of this machine's own size are found. Verdicts are looked at, not rates: other
# programs run beside, and faults are four times as large so that these do not matter.
set -eu
source "$(dirname "$0")/support.bash" "$1"
# Sanitizers slow stages down by unequal factors, so that a verdict on their build is one on them.
[ -z "$(sed -n 's/^STOKER_SANITIZE:STRING=//p' "$1/CMakeCache.txt")" ] || exit 77
cd "$work"
export TMPDIR=$work/tmp
mkdir tmp

small="--model mlp --batch 16 --threads 1 --input-threads 1 --steps 15 --seconds 0.2 --scale 4 -q"
# The run exits 1 for a wrong verdict, which one long pause of the machine can make of 15 steps; three in a
# row have another reason.
check_cases() {
    python3 - out <<'PYTHON'
import json, sys
r = json.load(open(sys.argv[1]))
assert r["model"] == "mlp" and r["batch"] == 16 and r["clean_samples_per_s"] > 0, r
cases = {c["case"]: c for c in r["cases"]}
faults = {"slow reading": "read=", "large copies": "copy=", "slow callback": "callback="}
assert set(cases) == set(faults), sorted(cases)
for name, c in cases.items():
    assert c["right"] and c["fault"].startswith("--inject " + faults[name]), c
    assert c["expected"] in c["verdict"] and 0 < c["of_clean"], c
PYTHON
}
: >why
for attempt in 1 2 3; do
    run bench cases $small --only 2,4,6 --json
    [ "$code" = 0 ] && check_cases 2>why && break
    [ $attempt -lt 3 ] || fail "bench cases, three times: exit code $code: $(cat why) $(head -c 2000 out)"
done
[ -z "$(ls tmp)" ] || fail "something is left in \$TMPDIR: $(ls tmp)"

make_colours photos 3 20 8
run bench cases photos $small --only 6
expect_code 0 "bench cases of own data"
for text in "slow callback" "of clean" "S7 output" "predicted" "(--inject callback="; do
    expect_in out "$text" "bench cases of own data"
done

run bench cases --only 7
expect_code 2 "no such case"
expect_in err "numbers from 1 to 6" "no such case"
run bench cases no-such-folder $small
expect_code 1 "no data"
[ -z "$(ls tmp)" ] || fail "something is left after an error: $(ls tmp)"
finish
