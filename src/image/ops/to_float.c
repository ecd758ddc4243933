/* to_float: floats from 0 to 1. */
#include "image/ops/image_ops.h"
#include "image/ops/output_format.h"

typedef struct to_float_params {
    int  dtype;
    bool scale;
} to_float_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(to_float_params, dtype, STK_PARAM_ENUM), .default_value = "float32",
     .choices = STK_PARAM_WORDS(STK_REAL_WORDS), .help = "of the result"},
    {STK_PARAM_ROW(to_float_params, scale, STK_PARAM_BOOL), .default_value = "true",
     .help = "divide by 255; false keeps 0 to 255"},
};

static stk_status set_output(const void *params, stk_output_format *ending, stk_error *err)
{
    const to_float_params *p = params;
    static const double    scale[3] = {1 / 255.0, 1 / 255.0, 1 / 255.0}, none[3];
    if (ending->dtype != STK_DTYPE_U8)
        return stk_fail(err, STK_E_INVALID, "to_float", NULL,
                        "values are %s already: leave to_float out, or cast them",
                        stk_dtype_name(ending->dtype));
    if (p->scale) STK_TRY(stk_output_format_scale("to_float", ending, scale, none, err));
    return stk_output_format_cast("to_float", ending, stk_real_type(p->dtype), err);
}

static void measure(const void *params, stk_image_size *size)
{
    size->dtype = stk_real_type(((const to_float_params *)params)->dtype);
}

const stk_image_op stk_image_op_to_float = {
    .name = "to_float",
    .help = "makes real numbers from 0 to 1",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(to_float_params),
    .output = set_output,
    .measure = measure,
};
