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
completes "pack inspect show train eval predict lr-find bench profile diagnose tune compare watch trace lint replay models backends completion help --help --version" stoker ""
completes "pack inspect show train eval predict lr-find bench profile diagnose tune compare watch trace lint replay models backends completion help" stoker help ""
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
models=$("$stoker" models --json | python3 -c 'import json, sys; print(*(m["name"] for m in json.load(sys.stdin)))')
for words in "train" "lr-find" "lint" "bench train" "bench claims" "eval" "predict"; do
    completes "$models" stoker $words --model ""
done
completes "$models" stoker bench compute ""
completes "resnet18_cifar resnet18" stoker train --model resnet18
completes "vit_tiny" stoker train --model = v
completes "imagenet cifar cifar-shift fashion" stoker train --preset ""
completes "fp32 tf32 bf16 fp16" stoker train --precision ""
completes "cuda cpu ref" stoker train --backend ""
completes "cuda cpu ref" stoker predict --backend ""
completes "train val validation test" stoker train --split ""
completes "train val validation test" stoker eval --split ""
completes "train val validation test" stoker show --split ""
completes "none" stoker train --validation n
completes "adamw" stoker train --optimizer a
completes "constant cosine" stoker train --schedule co
# Words that are offered are right: the recipe takes each of them.
for flag in optimizer schedule precision; do
    COMP_WORDS=(stoker train --$flag "")
    COMP_CWORD=3
    _stoker
    "$stoker" train nowhere --$flag nonsense 2>"$work/err" || true
    expected=$(sed -n 's/.*it is one of: auto \([a-z0-9 -]*\).*/\1/p' "$work/err" | xargs)
    [ "${COMPREPLY[*]}" = "$expected" ] || fail "--$flag: '${COMPREPLY[*]}', but the recipe takes '$expected'"
done
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
    for text in "mlp lenet cnn" "fp32 tf32 bf16 fp16" "cuda cpu ref" "train val validation test"; do
        expect_in "$work/out" "$text" "values in the completion for $shell"
    done
    if command -v $shell >/dev/null; then
        $shell -n "$work/out" || fail "the $shell script has errors"
    fi
done
finish
