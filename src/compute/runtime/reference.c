/* Runs references as kernels. */
#include "compute/runtime/reference.h"
#include "base/limits.h"
#include "tensor/half.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_half(const stk_tensor_type *type)
{
    return type->dtype == STK_DTYPE_F16 || type->dtype == STK_DTYPE_BF16;
}

static size_t float_bytes(const stk_tensor_type *type)
{
    return ((size_t)stk_type_elements(type) * sizeof(float) + 63) & ~(size_t)63;
}

typedef struct reference_state {
    const void **in;
    void        *out[STK_OP_OUTPUTS];
} reference_state;

stk_status stk_reference_prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    reference_state *state = calloc(1, sizeof *state);
    if (state) state->in = calloc((size_t)call->instance.input_count + 1, sizeof *state->in);
    call->state = state;
    if (!state || !state->in)
        return stk_fail(err, STK_E_NOMEM, "reference", call->instance.name, "no memory");
    *scratch = 0;
    for (int i = 0; i < call->instance.input_count; i++)
        if (is_half(&call->instance.in[i])) *scratch += float_bytes(&call->instance.in[i]);
    for (int o = 0; o < call->instance.output_count; o++)
        if (is_half(&call->instance.out[o])) *scratch += float_bytes(&call->instance.out[o]);
    return STK_OK;
}

void stk_reference_release(stk_kernel_call *call)
{
    reference_state *state = call->state;
    if (state) free(state->in);
    free(state);
    call->state = NULL;
}

stk_status stk_reference_run(const stk_kernel_call *call, stk_error *err)
{
    reference_state *state = call->state;
    uint8_t         *scratch = call->scratch;
    (void)err;
    for (int i = 0; i < call->instance.input_count; i++) {
        const stk_tensor_type *type = &call->instance.in[i];
        state->in[i] = call->in[i];
        if (!is_half(type)) continue;
        stk_floats_from_half(type->dtype, call->in[i], (float *)scratch, stk_type_elements(type));
        state->in[i] = scratch;
        scratch += float_bytes(type);
    }
    for (int o = 0; o < call->instance.output_count; o++) {
        state->out[o] = is_half(&call->instance.out[o]) && call->out[o] ? scratch : call->out[o];
        if (state->out[o] == scratch) scratch += float_bytes(&call->instance.out[o]);
    }
    call->op->reference(&call->instance, state->in, state->out);
    for (int o = 0; o < call->instance.output_count; o++)
        if (state->out[o] != call->out[o])
            stk_halves_from_float(call->instance.out[o].dtype, state->out[o], call->out[o],
                                  stk_type_elements(&call->instance.out[o]));
    return STK_OK;
}

void *stk_host_alloc(stk_device *device, size_t size)
{
    (void)device;
    return aligned_alloc(64, (size + 63) & ~(size_t)63);
}

uint64_t stk_host_memory(const stk_device *device)
{
    (void)device;
    return stk_limits_memory_bytes();
}

void stk_host_free(stk_device *device, void *data, size_t size)
{
    (void)device, (void)size;
    free(data);
}

void stk_host_copy(stk_device *device, void *dst, const void *src, size_t size)
{
    (void)device;
    memcpy(dst, src, size);
}

void stk_host_clear(stk_device *device, void *dst, size_t size)
{
    (void)device;
    memset(dst, 0, size);
}

/* Tests the exponent bits. Padding is zero in all formats. */
bool stk_host_finite(stk_device *device, const stk_tensor_type *type, const void *data,
                     size_t bytes)
{
    (void)device;
    if (type->dtype == STK_DTYPE_F32) {
        const float *x = data;
        for (size_t i = 0; i < bytes / sizeof *x; i++)
            if (!isfinite(x[i])) return false;
    } else if (is_half(type)) {
        uint16_t        mask = type->dtype == STK_DTYPE_F16 ? 0x7c00 : 0x7f80;
        const uint16_t *x = data;
        for (size_t i = 0; i < bytes / sizeof *x; i++)
            if ((x[i] & mask) == mask) return false;
    }
    return true;
}
