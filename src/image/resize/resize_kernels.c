/* The tables of kernels, and the choice of one: once, on first use. */
#include "image/resize/kernels_avx2.h"
#include "image/resize/kernels_avx512.h"

#if defined(__x86_64__)

const stk_resize_kernels *stk_resize_kernels_avx2(void)
{
    static const stk_resize_kernels avx2 = {
        .name = "avx2",
        .scratch = stk_row_gather_scratch_avx2,
        .arrange = stk_row_gather_arrange_avx2,
        .sum_integer = stk_sum_integer_avx2,
        .sum_steps = stk_sum_steps_avx2,
        .sum_real = stk_sum_real_avx2,
        .split = stk_split_avx2,
        .pad = stk_pad_avx2,
        .mirror = {[1] = stk_mirror_1_avx2, [3] = stk_mirror_3_avx2},
        .convert = stk_convert_avx2,
        .convert_real = stk_convert_real_avx2,
    };
    /* Processors with the one have f16c too, which not every compiler knows by name here. */
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &avx2 : NULL;
}

const stk_resize_kernels *stk_resize_kernels_avx512(void)
{
    static const stk_resize_kernels avx512 = {
        .name = "avx512",
        .scratch = stk_row_gather_scratch_avx512,
        .arrange = stk_row_gather_arrange_avx512,
        .sum_integer = stk_sum_integer_avx512,
        .sum_steps = stk_sum_steps_avx512,
        .sum_real = stk_sum_real_avx2,
        .split = stk_split_avx2,
        .pad = stk_pad_avx2,
        .mirror = {[1] = stk_mirror_1_avx2, [3] = stk_mirror_3_avx2},
        .convert = stk_convert_avx2,
        .convert_real = stk_convert_real_avx2,
    };
    const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                     __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
                     __builtin_cpu_supports("avx512vnni");
    return has && stk_resize_kernels_avx2() ? &avx512 : NULL;
}

#else

const stk_resize_kernels *stk_resize_kernels_avx2(void)
{
    return NULL;
}

const stk_resize_kernels *stk_resize_kernels_avx512(void)
{
    return NULL;
}

#endif

/* Atomic. Every thread that finds NULL stores the same table. */
static const stk_resize_kernels *chosen;

const stk_resize_kernels *stk_resize_kernels_best(void)
{
    const stk_resize_kernels *best = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
    if (best) return best;
    best = stk_resize_kernels_avx512();
    if (!best) best = stk_resize_kernels_avx2();
    if (!best) best = stk_resize_kernels_plain();
    __atomic_store_n(&chosen, best, __ATOMIC_RELAXED);
    return best;
}
