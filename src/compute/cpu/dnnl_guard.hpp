/* Exception barrier around calls to oneDNN. */
#ifndef STK_COMPUTE_CPU_DNNL_GUARD_HPP
#define STK_COMPUTE_CPU_DNNL_GUARD_HPP

#include "compute/cpu/dnnl_abi.h"
#include <new>

/* Returns call's status, or that of its exception. */
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

/* For calls that create objects: checks for memory and restores the reserve first. */
template <typename Call> dnnl_status_t stk_guard_making(Call call) noexcept
{
    const bool ready = stk_dnnl_has_capacity(1) && stk_dnnl_reserve_restore();
    return ready ? stk_guard(call) : dnnl_out_of_memory;
}

/* For calls that return values: `other` after an exception. */
template <typename Value, typename Call> Value stk_guard_value(Value other, Call call) noexcept
{
    try {
        return call();
    } catch (...) {
        return other;
    }
}

#endif
