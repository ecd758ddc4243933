/* Activations on rows of floats. */
#include "compute/cpu_kernels/act.h"

typedef void (*value_loop)(const float *x, float *y, int64_t count, float a, float b);
typedef void (*slope_loop)(const float *dy, const float *seen, float *dx, int64_t count, float a,
                           float b);

#define STK_LOOPS "compute/cpu_kernels/act_loops.h"
#include "compute/cpu_kernels/widths.h"

static const stk_activation_row *const rows[STK_ACT_KINDS] = {
    NULL,
    &stk_activation_relu,
    &stk_activation_clip,
    &stk_activation_leaky_relu,
    &stk_activation_gelu,
    &stk_activation_silu,
    &stk_activation_sigmoid,
    &stk_activation_tanh,
    &stk_activation_hardswish,
    &stk_activation_hardsigmoid,
};

stk_act_kind stk_act_kind_of(const stk_activation *act)
{
    stk_act_kind kind = STK_ACT_NONE;
    while (kind < STK_ACT_KINDS && rows[kind] != act->row)
        kind++;
    return kind;
}

bool stk_act_keeps_zero(const stk_activation *act)
{
    if (!act->row || act->row->zero_stays) return true;
    return act->row == &stk_activation_clip && act->a <= 0 && act->b >= 0;
}

void stk_act_value(const stk_cpu *cpu, const stk_activation *act, const float *x, float *y,
                   int64_t count)
{
    STK_PICK(cpu, values)[stk_act_kind_of(act)](x, y, count, act->a, act->b);
}

void stk_act_slope(const stk_cpu *cpu, const stk_activation *act, const float *dy,
                   const float *seen, float *dx, int64_t count)
{
    STK_PICK(cpu, slopes)[stk_act_kind_of(act)](dy, seen, dx, count, act->a, act->b);
}
