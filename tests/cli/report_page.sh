# The report in a real browser: what is on the page, at three widths, alone and served; and the page of any trace.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1/tests/report_make_page" "$work" || exit 1
for trace in "$here"/../data/trace/*.json.gz; do
    "$1/stoker" diagnose "$trace" -o "$work/trace-$(basename "$trace" .json.gz).html" >/dev/null || exit 1
done
# A plain file, with more events than a page shows.
python3 - >"$work/large.json" <<'PYTHON'
print('{"displayTimeUnit": "ms", "traceEvents": [')
for step in range(210):
    print(f'{{"ph":"X","pid":1,"tid":1,"cat":"user_annotation","name":"ProfilerStep#{step}","ts":{1000 * step},"dur":999}},')
    print(",\n".join(f'{{"ph":"X","pid":1,"tid":1,"cat":"cpu_op","name":"aten::op{i % 7}","ts":{1000 * step + i},"dur":0.5}}' for i in range(999)) + ",")
print('{"ph":"X","pid":1,"tid":1,"cat":"cpu_op","name":"aten::last","ts":210000,"dur":1}], "schemaVersion": 1}')
PYTHON
"$1/stoker" diagnose "$work/large.json" -o "$work/trace-large.html" >/dev/null || exit 1
PYTHONDONTWRITEBYTECODE=1 timeout 200 python3 "$here/../observe/report/browser.py" "$work"
