/* decode_raw: reinterprets bytes as numbers. */
#include "pipeline/functions/builtin.h"

#include <stdio.h>

typedef struct context {
    stk_spec_keep keep;
    int           value;
    stk_dtype     dtype;
} context;

static stk_status copy_bytes(stk_value *made, stk_bytes bytes, stk_dtype dtype,
                             const stk_shape *shape, stk_ledger *ledger, stk_error *err)
{
    void *data;
    STK_TRY(stk_value_dense(made, ledger, dtype, shape, &data, err));
    if (bytes.size) memcpy(data, bytes.data, bytes.size);
    return STK_OK;
}

static stk_status map(void *untyped, const stk_call *call, stk_element **element, stk_error *err)
{
    const context   *c = stk_builtin_context(untyped);
    const stk_value *value;
    stk_value        made;
    STK_TRY(stk_need_scalar("decode_raw", *element, c->value, 1 << STK_DTYPE_BYTES, &value, err));
    const stk_bytes bytes = *(const stk_bytes *)stk_value_data(value);
    const size_t    size = stk_dtype_bytes(c->dtype);
    if (bytes.size % size)
        return stk_fail(err, STK_E_SHAPE, "decode_raw", NULL,
                        "value %d has %zu bytes, which is no multiple of the %zu of %s", c->value,
                        bytes.size, size, stk_dtype_name(c->dtype));
    const stk_shape shape = stk_shape_1d((int64_t)(bytes.size / size));
    if (bytes.size > STK_VALUE_SMALL && (uintptr_t)bytes.data % size == 0) {
        made = (stk_value){
            .kind = STK_VALUE_DENSE, .dtype = c->dtype, .shape = shape, .data = bytes.data};
        made.storage = value->storage ? stk_buffer_ref(value->storage) : NULL;
    } else {
        STK_TRY(copy_bytes(&made, bytes, c->dtype, &shape, call->ledger, err));
    }
    return stk_replace_value(element, c->value, &made, err);
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    context        *c = stk_builtin_context(untyped);
    const stk_shape shape = stk_shape_1d(-1);
    STK_TRY(stk_check_scalar("decode_raw", input, c->value, 1 << STK_DTYPE_BYTES, err));
    return stk_spec_keep_value(&c->keep, input, c->value, c->dtype, &shape, out, err);
}

static void release(void *untyped)
{
    stk_spec_keep_release(&((context *)untyped)->keep);
}

stk_status stk_function_decode_raw(stk_function **out, int value, stk_dtype dtype, stk_error *err)
{
    *out = NULL;
    if (dtype <= STK_DTYPE_NONE || dtype >= STK_DTYPE_BYTES)
        return stk_fail(err, STK_E_INVALID, "decode_raw", NULL,
                        "bytes cannot be decoded as %s; use a type of fixed size such as uint8 or "
                        "float32",
                        stk_dtype_name(dtype));
    context c = {.value = value, .dtype = dtype};
    char    details[48];
    stk_spec_keep_init(&c.keep);
    snprintf(details, sizeof details, "%s, value %d", stk_dtype_name(dtype), value);
    const stk_function_info info = {
        .name = "decode_raw", .details = details, .output_of = output_of, .map = map};
    return stk_builtin_new(out, &info, &c, sizeof c, release, err);
}
