/* Functions: copies of the caller's description, reference-counted. */
#include "base/philox.h"
#include "pipeline/element/spec.h"

#include <stdlib.h>
#include <stoker/function.h>

struct stk_function {
    uint32_t          references; /* atomic */
    stk_function_info info;
    stk_element_spec  output;
    stk_arena         arena; /* names and the output's spec */
};

static int callbacks(const stk_function_info *info)
{
    return !!info->map + !!info->test + !!info->key + !!info->expand + !!info->scan;
}

static stk_status copy_info(stk_function *function, const stk_function_info *info, stk_error *err)
{
    const char *details = info->details ? info->details : "";
    function->info = *info;
    function->info.name = stk_arena_text(&function->arena, info->name, strlen(info->name), err);
    function->info.details = stk_arena_text(&function->arena, details, strlen(details), err);
    if (!function->info.name || !function->info.details) return STK_E_NOMEM;
    if (!info->output) return STK_OK;
    function->info.output = &function->output;
    return stk_spec_copy(&function->output, info->output, &function->arena, err);
}

stk_status stk_function_new(stk_function **out, const stk_function_info *info, stk_error *err)
{
    *out = NULL;
    if (!info->name || !*info->name || callbacks(info) != 1)
        return stk_fail(err, STK_E_INVALID, "function", info->name,
                        "a function needs a name and exactly one callback; it has %d",
                        callbacks(info));
    stk_function *function = calloc(1, sizeof *function);
    if (!function)
        return stk_fail(err, STK_E_NOMEM, "function", info->name, "no memory for a function");
    function->references = 1;
    stk_arena_init(&function->arena, NULL, STK_MEMORY_INDEX);
    stk_status st = copy_info(function, info, err);
    if (st) {
        function->info.release = NULL;
        stk_function_unref(function);
        return st;
    }
    *out = function;
    return STK_OK;
}

stk_function *stk_function_ref(stk_function *function)
{
    if (function) __atomic_fetch_add(&function->references, 1, __ATOMIC_RELAXED);
    return function;
}

void stk_function_unref(stk_function *function)
{
    if (!function || __atomic_sub_fetch(&function->references, 1, __ATOMIC_ACQ_REL)) return;
    if (function->info.release) function->info.release(function->info.context);
    stk_arena_release(&function->arena);
    free(function);
}

const stk_function_info *stk_function_info_of(const stk_function *function)
{
    return &function->info;
}

stk_status stk_function_accepts(const stk_function *function, const stk_element_spec *input,
                                stk_error *err)
{
    const stk_function_info *info = &function->info;
    stk_element_spec         ignored;
    if (info->check) STK_TRY(info->check(info->context, input, err));
    return info->output_of ? info->output_of(info->context, input, &ignored, err) : STK_OK;
}

stk_status stk_function_accepts_state(const stk_function *function, const stk_element *state,
                                      const stk_element_spec *input, stk_error *err)
{
    const stk_function_info *info = &function->info;
    STK_TRY(stk_function_accepts(function, input, err));
    return info->check_state ? info->check_state(info->context, state, input, err) : STK_OK;
}

static stk_random random_of(const stk_call *call, uint32_t stream, uint32_t position)
{
    stk_random random = stk_random_for(call->seed, (uint32_t)call->epoch, call->index, stream);
    while (position--)
        stk_random_u64(&random);
    return random;
}

stk_status stk_call_output(const stk_call *call, int index, stk_value *value, stk_dtype dtype,
                           const stk_shape *shape, void **data, stk_error *err)
{
    for (size_t i = 0; i < call->output_row_count; i++) {
        const stk_output_row *row = &call->output_rows[i];
        if (row->value != index || row->dtype != dtype || !stk_shape_equal(&row->shape, shape))
            continue;
        *value = (stk_value){.dtype = dtype,
                             .shape = *shape,
                             .data = row->data,
                             .storage = stk_buffer_ref(row->storage)};
        *data = row->data;
        return STK_OK;
    }
    return stk_value_dense(value, call->ledger, dtype, shape, data, err);
}

double stk_call_uniform(const stk_call *call, uint32_t stream, uint32_t position)
{
    stk_random random = random_of(call, stream, position);
    return stk_random_double(&random);
}

uint64_t stk_call_below(const stk_call *call, uint32_t stream, uint32_t position, uint64_t bound)
{
    stk_random random = random_of(call, stream, position);
    return stk_random_below(&random, bound);
}
