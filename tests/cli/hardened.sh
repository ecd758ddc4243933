#!/usr/bin/env bash
# The built files have what cmake/harden.cmake asks for: read from the ELF files themselves.
set -eu
source "$(dirname "$0")/support.bash" "$1"
setting()
{
    sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"
}
build=$1
case $(setting STOKER_HARDEN),$(setting STOKER_SANITIZE),$(setting CMAKE_BUILD_TYPE) in
ON,,Rel*) ;;
*) echo "this build is not hardened, or has sanitizers, or no optimiser" && exit 77 ;;
esac

# has FILE TEXT WHAT: of what readelf says about headers and dynamic section.
has()
{
    readelf -hldW "$1" 2>/dev/null >"$work/elf"
    grep -qE -e "$2" "$work/elf" || fail "$1: $3"
}

# Of all that is loaded.
loaded()
{
    has "$1" 'GNU_RELRO' "no RELRO"
    has "$1" '(BIND_NOW|Flags:.* NOW)' "no BIND_NOW: RELRO is partial"
    has "$1" 'GNU_STACK.* RW  *0x' "the stack may be run"
    ! grep -qE 'LOAD.* RWE ' "$work/elf" || fail "$1: memory that is written may be run"
    ! grep -qE '\((TEXTREL|RPATH)\)' "$work/elf" || fail "$1: text relocations, or an RPATH"
    nm -D --undefined-only "$1" >"$work/symbols"
    expect_in "$work/symbols" "__stack_chk_fail" "$1: stack protector"
}

fortified()
{
    grep -qE ' __(snprintf|memcpy|printf|fprintf|vsnprintf)_chk' "$work/symbols" || fail "$1: no FORTIFY_SOURCE"
}

loaded "$stoker"
fortified "$stoker"
has "$stoker" 'Type: *DYN' "not position independent"
has "$stoker" 'Flags:.* PIE' "not a PIE"
count=1
for file in "$build"/libstoker.so.*.*.* "$build"/libstoker_cuda.so; do
    [ -e "$file" ] || continue
    loaded "$file"
    fortified "$file"
    count=$((count + 1))
done

# Control-flow protection: a linker drops the mark where one library lacks it, so objects are asked.
if grep -q '^STOKER_HAS_fcf_protection_full:INTERNAL=1' "$build/CMakeCache.txt"; then
    for object in src/base/error.c.o src/compute/runtime/plugin.c.o src/image/codec/codec.c.o; do
        readelf -n "$build/CMakeFiles/stoker_objects.dir/$object" >"$work/notes" 2>/dev/null
        expect_in "$work/notes" "IBT, SHSTK" "$object: control-flow protection"
    done
fi
echo "$count files were read"
finish
