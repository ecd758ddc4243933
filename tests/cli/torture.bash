# For tests/cli/torture_*.sh: torture FLAGS... runs tests/torture on the build, for ten seconds at most. Sanitizers and
# a preloaded library do not go together: such builds are given damaged files only; ThreadSanitizer's are too slow.
build=$1
torture_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/../torture" && pwd)
sanitize=$(sed -n 's/^STOKER_SANITIZE:STRING=//p' "$build/CMakeCache.txt")
case "$sanitize:$(basename "$0")" in
:* | *address*:torture_mutations.sh) ;;
*) exit 77 ;;
esac

torture()
{
    python3 "$torture_folder/torture.py" "$build" --seed 1 --minutes 0.17 --jobs 2 --keep "$build/torture-found" "$@"
}
