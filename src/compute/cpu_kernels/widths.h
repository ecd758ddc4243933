/* Compiles a file of loops once per vector width. Define STK_LOOPS as the file's name before
 * including this. In that file V is a vector of W floats (vec.h), and functions are named FN(name)
 * and carry TARGET. STK_PICK(cpu, name) selects the one for this machine. */
#ifndef STK_COMPUTE_CPU_KERNELS_WIDTHS_H
#define STK_COMPUTE_CPU_KERNELS_WIDTHS_H

#include "compute/cpu/cpu.h"
#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define STK_PICK(cpu, name)                                                                        \
    ((cpu)->avx512 ? name##_avx512 : (cpu)->avx2 ? name##_avx2 : name##_plain)
#else
#define STK_PICK(cpu, name) ((void)(cpu), name##_plain)
#endif

/* Loops over count elements; body runs at i for n elements: W, or fewer at the end. */
#define OVER(count, ...)                                                                           \
    do {                                                                                           \
        int64_t i = 0, whole = (count) / W * W;                                                    \
        for (; i < whole; i += W) {                                                                \
            enum { n = W };                                                                        \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        if (i < (count)) {                                                                         \
            int64_t n = (count)-i;                                                                 \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    } while (0)

#endif

#define W 4
#define FN(name) name##_plain
#define TARGET
#include "compute/cpu_kernels/vec.h"
#include "compute/cpu_kernels/vec_math.h"
#include STK_LOOPS
#undef W
#undef FN
#undef TARGET

#if defined(__x86_64__)
#define W 8
#define FN(name) name##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#include "compute/cpu_kernels/vec.h"
#include "compute/cpu_kernels/vec_math.h"
#include STK_LOOPS
#undef W
#undef FN
#undef TARGET

#define W 16
#define FN(name) name##_avx512
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,fma")))
#include "compute/cpu_kernels/vec.h"
#include "compute/cpu_kernels/vec_math.h"
#include STK_LOOPS
#undef W
#undef FN
#undef TARGET
#endif
