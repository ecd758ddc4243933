#!/usr/bin/env bash
# Help, version, exit codes, suggestions.
set -eu
source "$(dirname "$0")/support.bash" "$1"

run
expect_code 2 "no command"
expect_empty "$work/out" "no command"
expect_in "$work/err" "Usage: stoker COMMAND" "no command"

for words in "--help" "-h" "help"; do
    run $words
    expect_code 0 "$words"
    expect_in "$work/out" "  inspect" "$words"
    expect_empty "$work/err" "$words"
done

for words in "help help" "help --help" "help -h"; do
    run $words
    expect_code 0 "$words"
    expect_in "$work/out" "Usage: stoker help [COMMAND [PART]]" "$words"
    expect_empty "$work/err" "$words"
done

run --version
expect_code 0 "--version"
grep -qE '^stoker [0-9]+\.[0-9]+\.[0-9]+$' "$work/out" || fail "--version: $(cat "$work/out")"

for command in pack inspect show train eval predict lr-find bench "bench input" "bench compute" "bench train" \
    tune models watch completion; do
    run $command --help
    expect_code 0 "$command --help"
    expect_in "$work/out" "Usage: stoker $command" "$command --help"
    expect_in "$work/out" "Examples:" "$command --help"
    cp "$work/out" "$work/first"
    run help $command
    cmp -s "$work/out" "$work/first" || fail "help $command differs from $command --help"
    awk 'length > 100 {exit 1}' "$work/out" || fail "$command --help has lines over 100 columns"
done

# wrong WORDS... -- TEXT...: exit code 2, nothing on stdout, every TEXT on stderr.
wrong()
{
    local words=()
    while [ "$1" != -- ]; do words+=("$1"); shift; done
    shift
    run "${words[@]}"
    expect_code 2 "${words[*]}"
    expect_empty "$work/out" "${words[*]}"
    for text in "$@"; do expect_in "$work/err" "$text" "${words[*]}"; done
}
wrong pakc -- "stoker: unknown command 'pakc'" "did you mean 'pack'?"
wrong hlep -- "did you mean 'help'?"
wrong zzzzzz -- "unknown command 'zzzzzz'"
expect_not_in "$work/err" "did you mean" "a word near nothing"
wrong help inspcet -- "did you mean 'inspect'?"
wrong help bench inptu -- "stoker bench: 'bench' has no part 'inptu'" "did you mean 'input'?"
wrong help train extra -- "'train' has no part 'extra'"
wrong help recipe shufle -- "there is no operator or function 'shufle'" "did you mean 'shuffle'?"
wrong help keys dta -- "there is no section 'dta'" "did you mean 'data'?"
run help recipe shuffle
expect_code 0 "help recipe shuffle"
expect_in "$work/out" '| `buffer` | ' "help recipe shuffle"
expect_not_in "$work/out" "### batch" "help recipe shuffle"
run help keys train
expect_in "$work/out" '| `train.epochs` | auto | ' "help keys train"
expect_not_in "$work/out" '`data.path`' "help keys train"
wrong help --verbose -- "unknown flag '--verbose'"
wrong --verbose -- "unknown flag '--verbose'"
wrong pack -- "stoker pack: SOURCE is missing" "'stoker pack --help'"
wrong pack a -- "OUT is missing"
wrong pack a b c -- "'c' is one argument too many"
wrong pack --shard a b -- "unknown flag '--shard'" "did you mean '--shard-mb'?"
wrong pack --shrad-mb=3 a b -- "did you mean '--shard-mb'?"
wrong pack -z a b -- "unknown flag '-z'"
wrong pack a b --threads -- "--threads needs a value, N"
wrong pack a b --threads x -- "--threads: 'x' is not a whole number"
wrong pack a b --threads 3x -- "'3x' is not a whole number"
wrong pack a b --threads= -- "'' is not a whole number"
wrong pack a b --threads -1 -- "-1 is out of range, from 0 to 1024"
wrong pack a b --threads 99999999999999999999 -- "is out of range"
wrong pack a b --shard-mb 1e400 -- "--shard-mb: '1e400' is not a number"
wrong pack a b --shard-mb 0x10 -- "'0x10' is not a number"
wrong pack a b --shard-mb 0 -- "0 is out of range, from 0.001"
wrong pack a b --quiet=yes -- "--quiet takes no value, but 'yes' was given"
wrong pack a b --name -- "--name needs a value, NAME"
wrong pack a b --name= -- "--name: the value is empty"
wrong pack a b --name --json -- "if '--json' is the value, write --name=--json"
wrong pack a b --compression gzp -- "'gzp' is not one of: none, gzip, zlib, zstd" "'gzip'?"
wrong pack a b --splits train -- "--splits: 'train' is not NAME=FRACTION"
wrong pack a b --splits train=0.5,test=0.6 -- "the fractions make 1.1 together"
wrong pack a b --splits train=0.5,train=0.5 -- "split 'train' is given twice"
wrong pack a b --splits a/b=1 -- "'a/b' is no name"
wrong pack a b --splits a=-1,b=2 -- "is not a fraction"
wrong inspect -- "PATH is missing"
wrong inspect -n x y -- "--records: 'x' is not a whole number"
wrong completion -- "SHELL is missing"
wrong completion bsh -- "'bsh' is not one of: bash, zsh, fish" "did you mean 'bash'?"

# A network that is not there, wherever one is named; nothing is looked at before.
for words in "train nowhere --model" "bench train nowhere --model" "lr-find nowhere --model" "lint nowhere --model" \
    "bench claims --model" "bench compute" "models" "eval nowhere --model" "predict nowhere nothing --model"; do
    wrong $words resnt18 -- "resnt18" "did you mean" "resnet18" "mlp, lenet, cnn," "vit_tiny"
done

run inspect "$work/nothing"
expect_code 1 "a path that is not there"
expect_in "$work/err" "stoker inspect: " "a path that is not there"
expect_in "$work/err" "$work/nothing" "a path that is not there"

run inspect -- --json
expect_code 1 "-- ends the flags"
expect_in "$work/err" "--json" "-- ends the flags"

# A full disk under stdout is a failure; a pipe that is closed early is none.
if [ -e /dev/full ]; then
    code=0
    "$stoker" help >/dev/full 2>"$work/err" || code=$?
    expect_code 1 "a full disk"
    expect_in "$work/err" "cannot write the result" "a full disk"
fi
codes=$("$stoker" completion bash 2>"$work/err" | head -1 >/dev/null; echo "${PIPESTATUS[0]}")
[ "$codes" = 0 ] || fail "a closed pipe: exit code $codes"
expect_empty "$work/err" "a closed pipe"
finish
