# The report in a real browser: what is on the page, at three widths, alone and served.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1/tests/report_make_page" "$work" || exit 1
PYTHONDONTWRITEBYTECODE=1 timeout 200 python3 "$here/../report/browser.py" "$work"
