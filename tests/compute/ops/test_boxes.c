/* concat, slice, pad, which are each other's gradients. */
#include "compute/ops/op_support.h"
#include <math.h>

static int build_concat(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    out[0] = stk_concat(g, in, 3, *(const int *)context);
    return 1;
}

static int build_slice(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    (void)context;
    out[0] = stk_slice(g, in[0], (int64_t[]){1, 0, 2}, (int64_t[]){1, 2, -1});
    return 1;
}

static int build_pad(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    (void)context;
    out[0] = stk_pad(g, in[0], (int64_t[]){1, 0, 2}, (int64_t[]){0, 2, 1}, 1.5);
    return 1;
}

STK_TEST(boxes_have_the_gradient_of_finite_differences)
{
    for (int axis = 0; axis < 3; axis++) {
        op_case c = {.build = build_concat, .context = &axis, .inputs = 3};
        for (int i = 0; i < 3; i++) {
            c.in[i].shape = stk_shape_3d(2, 3, 5);
            c.in[i].shape.dim[axis] = i + 1;
        }
        EXPECT_GRADIENTS(&c, 1e-2);
    }
    op_input x = {.shape = stk_shape_3d(2, 3, 5)};
    EXPECT_GRADIENTS((&(op_case){.build = build_slice, .inputs = 1, .in = {x}}), 1e-2);
    EXPECT_GRADIENTS((&(op_case){.build = build_pad, .inputs = 1, .in = {x}}), 1e-2);
}

/* Integers in, through the three, and out as floats: 0 1 2 / 3 4 5 beside 6 / 7. */
static int build_known(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const int32_t a[] = {0, 1, 2, 3, 4, 5}, b[] = {6, 7};
    (void)in, (void)context;
    stk_symbol parts[] = {stk_graph_constant(g, "a", STK_DTYPE_I32, stk_shape_2d(2, 3), a),
                          stk_graph_constant(g, "b", STK_DTYPE_I32, stk_shape_2d(2, 1), b)};
    stk_symbol all = stk_concat(g, parts, 2, 1);
    out[0] = stk_cast(g, all, STK_DTYPE_F32);
    stk_symbol box = stk_slice(g, all, (int64_t[]){1, 1}, (int64_t[]){1, -1});
    out[1] = stk_cast(g, box, STK_DTYPE_F32);
    stk_symbol padded = stk_pad(g, box, (int64_t[]){1, 0}, (int64_t[]){0, 1}, 0);
    out[2] = stk_cast(g, padded, STK_DTYPE_F32);
    out[3] = stk_pad(g, out[1], (int64_t[]){0, 1}, (int64_t[]){0, 0}, -2.5);
    return 4;
}

STK_TEST(boxes_move_elements_of_any_type_to_their_places)
{
    const float known[] = {0,     1, 2, 6, 3, 4, 5, 7, /* concat */
                           4,     5, 7,                /* slice */
                           0,     0, 0, 0, 4, 5, 7, 0, /* pad of integers */
                           -2.5f, 4, 5, 7};            /* pad with a value */
    EXPECT_KNOWN((&(op_case){.build = build_known}), known, 0);
}

static stk_graph *start(stk_symbol *x)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    *x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(3, 5));
    return g;
}

static void expect_refusal(stk_graph *g, stk_status status, const char *part)
{
    stk_error err;
    EXPECT_STATUS(status, stk_graph_check(g, &err));
    EXPECT_CONTAINS(part, err.message);
    stk_graph_free(g);
}

STK_TEST(boxes_outside_of_the_tensor_are_refused)
{
    stk_symbol x;
    stk_graph *g = start(&x);
    stk_slice(g, x, (int64_t[]){0, 3}, (int64_t[]){3, 3});
    expect_refusal(g, STK_E_SHAPE, "3 elements from 3 on, of the 5 of dimension 1");
    g = start(&x);
    stk_slice(g, x, (int64_t[]){INT64_MIN, 0}, (int64_t[]){-1, -1});
    expect_refusal(g, STK_E_SHAPE, "of dimension 0");
    g = start(&x);
    stk_slice(g, x, (int64_t[]){1, 0}, (int64_t[]){INT64_MAX, -1});
    expect_refusal(g, STK_E_SHAPE, "of dimension 0");
    g = start(&x);
    stk_pad(g, x, (int64_t[]){0, -1}, (int64_t[]){0, 0}, 0);
    expect_refusal(g, STK_E_SHAPE, "-1 before and 0 after the 5 of dimension 1");
    g = start(&x);
    stk_pad(g, x, (int64_t[]){0, INT64_MAX}, (int64_t[]){0, 1}, 0);
    expect_refusal(g, STK_E_SHAPE, "of dimension 1");
    g = start(&x);
    stk_pad(g, stk_cast(g, x, STK_DTYPE_I64), (int64_t[]){0, 1}, (int64_t[]){0, 1}, 3);
    expect_refusal(g, STK_E_TYPE, "3 around int64");
}

STK_TEST(parts_that_do_not_fit_are_refused)
{
    stk_symbol x;
    stk_graph *g = start(&x);
    stk_concat(g, &x, 0, 0);
    expect_refusal(g, STK_E_INVALID, "0 inputs");
    g = start(&x);
    stk_concat(g, &x, 1, 2);
    expect_refusal(g, STK_E_SHAPE, "dimension 2 of shape [3,5]");
    g = start(&x);
    stk_symbol other = stk_graph_input(g, "other", STK_DTYPE_F32, stk_shape_2d(4, 5));
    stk_concat(g, (stk_symbol[]){x, other}, 2, 1);
    expect_refusal(g, STK_E_SHAPE, "input 1 has shape [4,5] but must have [3,5]");
    g = start(&x);
    other = stk_graph_input(g, "other", STK_DTYPE_I32, stk_shape_2d(3, 5));
    stk_concat(g, (stk_symbol[]){x, other}, 2, 1);
    expect_refusal(g, STK_E_TYPE, "part 1 is int32 but part 0 is float32");
}
