/* Operations by name and text, for the tests of image/ops. */
#ifndef STK_TESTS_OPS_SUPPORT_H
#define STK_TESTS_OPS_SUPPORT_H

#include "harness.h"
#include "image/ops/canvas.h"
#include "image/ops/check.h"
#include "image/ops/image_ops.h"

#include <stdlib.h>
#include <string.h>

/* To be freed; the test fails where the text is refused. */
static inline void *params_of(const stk_image_op *op, const char *text)
{
    stk_error err;
    void     *params;
    EXPECT_OK(stk_image_params_parse(&params, op, text, &err));
    return params;
}

static inline void expect_refused(stk_status status, const char *name, const char *text,
                                  const char *part)
{
    stk_error           err;
    void               *params;
    const stk_image_op *op = stk_image_op_find(name);
    EXPECT(op);
    EXPECT_STATUS(status, stk_image_params_parse(&params, op, text, &err));
    EXPECT(!params);
    EXPECT_STR_EQ(name, err.component);
    EXPECT_CONTAINS(part, err.message);
}

static inline stk_status frame_by(const char *name, const char *text, int32_t width, int32_t height,
                                  stk_geometry *out, stk_error *err)
{
    const stk_image_op *op = stk_image_op_find(name);
    void               *params = params_of(op, text);
    stk_random          random = stk_random_for(1, 0, 0, 0);
    const stk_status    st = op->geometry(params, &random, width, height, out, err);
    free(params);
    return st;
}

static inline void expect_window(const stk_geometry *framing, int32_t x, int32_t y, int32_t width,
                                 int32_t height)
{
    EXPECT_INT_EQ(x, framing->window.x);
    EXPECT_INT_EQ(y, framing->window.y);
    EXPECT_INT_EQ(width, framing->window.width);
    EXPECT_INT_EQ(height, framing->window.height);
}

static inline stk_image_size measure_by(const char *name, const char *text, int32_t width,
                                        int32_t height)
{
    const stk_image_op *op = stk_image_op_find(name);
    void               *params = params_of(op, text);
    stk_image_size      size = {width, height, 3, STK_DTYPE_U8, false};
    if (op->measure) op->measure(params, &size);
    free(params);
    return size;
}

#endif
