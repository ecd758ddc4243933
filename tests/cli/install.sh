#!/usr/bin/env bash
# install.sh BUILD: what `make install` puts into a prefix is enough to compile and run a program,
# through pkg-config, through CMake, and against the static library.
set -eu
build=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

if grep -q '^STOKER_SANITIZE:.*=..*' "$build/CMakeCache.txt"; then
    echo "a sanitized library needs its own flags; the plain build tests the install"
    exit 0
fi

cmake --install "$build" --prefix "$prefix" >"$work/log" || { cat "$work/log"; exit 1; }
for file in bin/stoker lib/libstoker.so lib/libstoker.a include/stoker/stoker.h \
    lib/pkgconfig/stoker.pc lib/cmake/stoker/stoker-config.cmake; do
    [ -e "$prefix/$file" ] || { echo "not installed: $file"; find "$prefix"; exit 1; }
done
"$prefix/bin/stoker" --version

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
program=$root/tests/install/program.c

gcc -std=c17 -Wall -Werror "$program" -o "$work/shared" $(pkg-config --cflags --libs stoker)
LD_LIBRARY_PATH=$prefix/lib "$work/shared" "$work/shared.tfrecord"

gcc -std=c17 -Wall -Werror "$program" -o "$work/static" $(pkg-config --cflags stoker) \
    "$prefix/lib/libstoker.a" $(pkg-config --static --libs-only-l --libs-only-other stoker |
    sed 's/-lstoker//')
"$work/static" "$work/static.tfrecord"
cmp "$work/shared.tfrecord" "$work/static.tfrecord"

cmake -S "$root/tests/install" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    >"$work/log" 2>&1 && cmake --build "$work/cmake" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/cmake/program" "$work/cmake.tfrecord"
"$work/cmake/program_static" "$work/cmake_static.tfrecord"
cmp "$work/shared.tfrecord" "$work/cmake.tfrecord"
cmp "$work/shared.tfrecord" "$work/cmake_static.tfrecord"
echo "the installed tree compiles and runs programs"
