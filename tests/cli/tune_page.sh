# The page of a search in a real browser: a full one, one without a gain, one that has only begun, and one with texts that break pages.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1/tests/tune_make_page" "$work" || exit 1
PYTHONDONTWRITEBYTECODE=1 timeout 100 python3 "$here/../tune/browser.py" "$work"
