/* cast: the same values in another type. */
#include "image/ops/image_ops.h"
#include "image/ops/output_format.h"

typedef struct cast_params {
    int dtype; /* 0 is uint8, the others are stk_real_type's, one later */
} cast_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(cast_params, dtype, STK_PARAM_ENUM),
     .choices = STK_PARAM_WORDS("uint8", STK_REAL_WORDS), .help = "of the result"},
};

static stk_dtype type_of(const void *params)
{
    const cast_params *p = params;
    return p->dtype ? stk_real_type(p->dtype - 1) : STK_DTYPE_U8;
}

static stk_status set_output(const void *params, stk_output_format *ending, stk_error *err)
{
    return stk_output_format_cast("cast", ending, type_of(params), err);
}

static void measure(const void *params, stk_image_size *size)
{
    size->dtype = type_of(params);
}

const stk_image_op stk_image_op_cast = {
    .name = "cast",
    .help = "changes the type and not the values",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(cast_params),
    .output = set_output,
    .measure = measure,
};
