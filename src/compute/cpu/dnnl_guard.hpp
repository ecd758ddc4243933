/* What stands around each call into oneDNN. */
#ifndef STK_COMPUTE_CPU_DNNL_GUARD_HPP
#define STK_COMPUTE_CPU_DNNL_GUARD_HPP

#include "compute/cpu/dnnl_abi.h"
#include <new>

/* Gives what call gives, or the status of what it threw. */
template <typename Call> dnnl_status_t stk_guard(Call call) noexcept
{
    try {
        return call();
    } catch (const std::bad_alloc &) {
        return dnnl_out_of_memory;
    } catch (...) {
        return dnnl_runtime_error;
    }
}

/* The same for calls that make something: there must be memory for it, and the reserve is whole. */
template <typename Call> dnnl_status_t stk_guard_making(Call call) noexcept
{
    const bool ready = stk_dnnl_has_capacity(1) && stk_dnnl_reserve_restore();
    return ready ? stk_guard(call) : dnnl_out_of_memory;
}

/* The same for calls whose results are values; other where one throws. */
template <typename Value, typename Call> Value stk_guard_value(Value other, Call call) noexcept
{
    try {
        return call();
    } catch (...) {
        return other;
    }
}

#endif
