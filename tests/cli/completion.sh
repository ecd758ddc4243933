#!/usr/bin/env bash
# The completion scripts: bash is asked for completions, the others are checked by their shells.
set -eu
source "$(dirname "$0")/support.bash" "$1"

run completion bash
expect_code 0 "completion bash"
bash -n "$work/out" || fail "the bash script has errors"
# shellcheck disable=SC1091
source "$work/out"

# completes EXPECTED WORDS...: the last word is being completed.
completes()
{
    local expected=$1
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _stoker
    local got="${COMPREPLY[*]}"
    [ "$got" = "$expected" ] || fail "completing '$*': got '$got', expected '$expected'"
}
completes "pack" stoker pa
completes "pack inspect show train eval predict lr-find bench profile diagnose watch trace lint replay models backends completion help --help --version" stoker ""
completes "pack inspect show train eval predict lr-find bench profile diagnose watch trace lint replay models backends completion help" stoker help ""
completes "--shard-mb" stoker pack --sh
completes "--trace --threads" stoker pack --t
completes "gzip" stoker pack --compression g
completes "none gzip zlib zstd" stoker pack --compression = ""
completes "zlib zstd" stoker pack --compression = z
completes "folder" stoker pack --kind fol
completes "" stoker pack --threads ""
completes "input compute train claims cases --help" stoker bench ""
completes "--ablate" stoker bench input --ab
completes "--inference" stoker bench compute --inf
completes "imagenet cifar cifar-shift fashion" stoker bench input --preset ""
completes "--learning-rate" stoker train --lea
completes "bash zsh fish" stoker completion ""
completes "--verify" stoker inspect --ve
completes "auto always never" stoker inspect --color ""
mkdir "$work/there"
touch "$work/there/file-one" "$work/there/file-two"
completes "$work/there/file-one $work/there/file-two" stoker inspect "$work/there/fi"
completes "$work/there/file-one" stoker pack --trace "$work/there/file-o"

for shell in zsh fish; do
    run completion $shell
    expect_code 0 "completion $shell"
    expect_in "$work/out" "shard-mb" "completion $shell"
    if command -v $shell >/dev/null; then
        $shell -n "$work/out" || fail "the $shell script has errors"
    fi
done
finish
