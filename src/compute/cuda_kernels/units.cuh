/* Registers of two 16-bit elements or one float: maximum and equality, with half the instructions
 * of elementwise code. */
#ifndef STK_COMPUTE_CUDA_KERNELS_UNITS_CUH
#define STK_COMPUTE_CUDA_KERNELS_UNITS_CUH

#include "compute/cuda_kernels/launch.cuh"
#include <string.h>

namespace stk
{

template <typename TO, typename FROM> __device__ __forceinline__ TO bits_as(const FROM &from)
{
    static_assert(sizeof(TO) == sizeof(FROM), "the same bits");
    TO to;
    memcpy((void *)&to, (const void *)&from, sizeof to);
    return to;
}

constexpr int UNITS = 4; /* in 16 bytes */

template <typename T> struct pair_of;
template <> struct pair_of<__half> {
    using type = __half2;
    static constexpr uint32_t ONE = 0x3c00, INFINITE = 0x7c00;
};
template <> struct pair_of<__nv_bfloat16> {
    using type = __nv_bfloat162;
    static constexpr uint32_t ONE = 0x3f80, INFINITE = 0x7f80;
};

/* Two elements; small integers in pairs have 16 bits each. */
template <typename T> struct unit {
    using two = typename pair_of<T>::type;
    static constexpr int      ELEMENTS = 2;
    static constexpr uint32_t ONES = 0x00010001u; /* a small integer times this is in both halves */
    static constexpr uint32_t ONE = pair_of<T>::ONE * ONES;
    static constexpr uint32_t LOWEST = (pair_of<T>::INFINITE | 0x8000u) * ONES;

#ifdef __CUDACC__
    /* NaN is the larger. */
    static __device__ __forceinline__ uint32_t larger(uint32_t a, uint32_t b)
    {
        return bits_as<uint32_t>(__hmax2_nan(bits_as<two>(a), bits_as<two>(b)));
    }
    /* All bits set in equal elements; NaN is never equal. */
    static __device__ __forceinline__ uint32_t same(uint32_t a, uint32_t b)
    {
        return __heq2_mask(bits_as<two>(a), bits_as<two>(b));
    }
    /* The same for small integers, which are small as halves too. */
    static __device__ __forceinline__ uint32_t same_small(uint32_t a, uint32_t b)
    {
        return __heq2_mask(bits_as<__half2>(a), bits_as<__half2>(b));
    }
    static __device__ __forceinline__ uint32_t times(uint32_t a, uint32_t b)
    {
        return bits_as<uint32_t>(__hmul2(bits_as<two>(a), bits_as<two>(b)));
    }
#else
    template <typename F> static uint32_t each(uint32_t a, uint32_t b, F f)
    {
        return f((uint16_t)a, (uint16_t)b) | (uint32_t)f(a >> 16, b >> 16) << 16;
    }
    static float value(uint16_t x)
    {
        return to_float(bits_as<T>(x));
    }
    static uint32_t larger(uint32_t a, uint32_t b)
    {
        return each(a, b, [](uint16_t x, uint16_t y) {
            return value(x) != value(x) || value(x) >= value(y) ? x : y;
        });
    }
    static uint32_t same(uint32_t a, uint32_t b)
    {
        return each(a, b, [](uint16_t x, uint16_t y) {
            return (uint16_t)(value(x) == value(y) ? 0xffff : 0);
        });
    }
    static uint32_t same_small(uint32_t a, uint32_t b)
    {
        return each(a, b, [](uint16_t x, uint16_t y) { return (uint16_t)(x == y ? 0xffff : 0); });
    }
    static uint32_t times(uint32_t a, uint32_t b)
    {
        return each(a, b, [](uint16_t x, uint16_t y) {
            T to;
            from_float(value(x) * value(y), to);
            return bits_as<uint16_t>(to);
        });
    }
#endif
    /* Sets a bit where an element is not finite: an increment of the exponent overflows to the
     * sign. */
    static __device__ __forceinline__ uint32_t not_finite(uint32_t a)
    {
        constexpr uint32_t SIGNS = 0x80008000u, STEP = SIGNS - pair_of<T>::INFINITE * ONES;
        return ((a & ~SIGNS) + STEP) & SIGNS;
    }
};

template <> struct unit<float> {
    static constexpr int      ELEMENTS = 1;
    static constexpr uint32_t ONES = 1;
    static constexpr uint32_t ONE = 0x3f800000u, LOWEST = 0xff800000u;

    static __device__ __forceinline__ uint32_t larger(uint32_t a, uint32_t b)
    {
        float x = bits_as<float>(a), y = bits_as<float>(b);
        return x != x || x >= y ? a : b;
    }
    static __device__ __forceinline__ uint32_t same(uint32_t a, uint32_t b)
    {
        return bits_as<float>(a) == bits_as<float>(b) ? ~0u : 0;
    }
    static __device__ __forceinline__ uint32_t same_small(uint32_t a, uint32_t b)
    {
        return a == b ? ~0u : 0;
    }
    static __device__ __forceinline__ uint32_t times(uint32_t a, uint32_t b)
    {
        return bits_as<uint32_t>(bits_as<float>(a) * bits_as<float>(b));
    }
    static __device__ __forceinline__ uint32_t not_finite(uint32_t a)
    {
        return ((a & 0x7fffffffu) + 0x00800000u) & 0x80000000u;
    }
};

/* Loads 16 bytes that adjacent threads read too, or fill. Not reordered: see load_words. */
__device__ __forceinline__ void load_units(const void *from, bool there,
                                           const uint32_t (&fill)[UNITS], uint32_t (&to)[UNITS])
{
#ifdef __CUDACC__
    asm volatile("{.reg .pred p;\n"
                 "setp.ne.s32 p, %5, 0;\n"
                 "mov.u32 %0, %6; mov.u32 %1, %7; mov.u32 %2, %8; mov.u32 %3, %9;\n"
                 "@p ld.global.v4.u32 {%0, %1, %2, %3}, [%4];}"
                 : "=&r"(to[0]), "=&r"(to[1]), "=&r"(to[2]), "=&r"(to[3])
                 : "l"(from), "r"((int)there), "r"(fill[0]), "r"(fill[1]), "r"(fill[2]),
                   "r"(fill[3]));
#else
    memcpy(to, there ? from : fill, sizeof to);
#endif
}

} // namespace stk

#endif
