#!/usr/bin/env bash
# messy_world.py, briefly; with python3-pil, which the test list of scripts/bootstrap has.
set -eu
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import PIL' 2>/dev/null; then
        exec "$python" "$(dirname "$0")/messy_world.py" "$1"
    fi
done
echo "messy.sh: no python3 here has PIL; 'apt-get install python3-pil' brings it" >&2
exit 1
