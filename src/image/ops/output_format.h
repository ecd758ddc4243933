/* Composes output ops into one output format. Values start as uint8; each op applies to the results
 * of the former ones. A composition that needs more than one multiplication, addition and rounding
 * is STK_E_INVALID. op must be a literal. */
#ifndef STK_IMAGE_OPS_OUTPUT_FORMAT_H
#define STK_IMAGE_OPS_OUTPUT_FORMAT_H

#include "image/ops/image_op.h"

/* Words of a CHOICE for stk_real_type. */
#define STK_REAL_WORDS "float32", "float16", "bfloat16"
stk_dtype stk_real_type(int choice);

/* The same values as dtype. */
STK_NODISCARD stk_status stk_output_format_cast(const char *op, stk_output_format *ending,
                                                stk_dtype dtype, stk_error *err);
/* value * scale + offset, as float32. */
STK_NODISCARD stk_status stk_output_format_scale(const char *op, stk_output_format *ending,
                                                 const double scale[3], const double offset[3],
                                                 stk_error *err);

#endif
