#!/bin/sh
# Builds conv_table and product_table for Hopper: bench/compute/cuda/build.sh OUTDIR. No GPU is needed.
# On the device LD_LIBRARY_PATH must lead to libcudnn.so.9, libcublasLt.so.13 and libnvrtc.so.13.
set -eu
out=${1:?usage: build.sh OUTDIR}
root=$(cd "$(dirname "$0")/../../.." && pwd)
cuda=${CUDA_HOME:-/usr/local/cuda}
mkdir -p "$out/obj"
out=$(cd "$out" && pwd)
cd "$root"
flags="-std=gnu17 -O2 -g -Wall -Wextra -Wshadow -Wstrict-prototypes -Wno-format-truncation -Werror -Isrc -Iinclude -Ibench/compute/cuda -isystem $cuda/include"
objects=
for file in bench/compute/cuda/conv_table.c bench/compute/cuda/conv_case.c bench/compute/cuda/conv_patterns.c bench/compute/cuda/gemm_lt.c \
    src/compute/cuda/cudnn_choice.c src/compute/cuda/cudnn_desc.c src/compute/cuda/cudnn_graph.c \
    src/compute/cuda/cudnn_plan.c src/compute/cuda/cudnn_timer.c src/compute/cuda/cudnn_tune.c \
    src/base/*.c; do
    object=$out/obj/$(basename "$file" .c).o
    gcc $flags -D_GNU_SOURCE -c "$file" -o "$object"
    objects="$objects $object"
done
"$cuda/bin/nvcc" -gencode arch=compute_90,code=sm_90 -O2 -Isrc -Iinclude -Ibench/compute/cuda \
    -c bench/compute/cuda/conv_check.cu -o "$out/obj/conv_check.o"
"$cuda/bin/nvcc" -cudart static -o "$out/conv_table" $objects "$out/obj/conv_check.o" \
    -L"$cuda/lib64" -lcudnn -lcublasLt -lyaml -lpthread -lm
"$cuda/bin/nvcc" -std=c++17 -gencode arch=compute_90a,code=sm_90a -O3 --expt-relaxed-constexpr -Isrc -Iinclude \
    -cudart static -o "$out/product_table" bench/compute/cuda/product_table.cu src/compute/cuda_kernels/hopper_stats.cu \
    src/compute/cuda_kernels/hopper_sum.cu src/compute/cuda_kernels/hopper_norm.cu -L"$cuda/lib64" -lcublasLt
echo "$out/conv_table" "$out/product_table"
