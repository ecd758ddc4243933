#!/usr/bin/env bash
# Some models in every precision and on every backend, trained beside float32; `make matrix` has all.
# Under ASan only what writes to planned memory, under TSan nothing: its threads are tested elsewhere.
set -eu
build=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
sanitize=$(sed -n 's/^STOKER_SANITIZE:STRING=//p' "$build/CMakeCache.txt")
case "$sanitize" in
"") "$root/scripts/matrix" "$build" --quick ;;
*address*) STOKER_PLUGIN_CUDA=none "$root/scripts/matrix" "$build" --quick --models cnn ;;
*) exit 77 ;;
esac
