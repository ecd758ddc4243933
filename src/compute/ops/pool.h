/* Attributes of pooling: max_pool(x) -> y, index; max_pool_grad(dy, index) -> dx; average_pool(x)
 * -> y; average_pool_grad(dy) -> dx. index (uint8, shape of y) is the row-major position of the
 * maximum in its window, padding included. */
#ifndef STK_COMPUTE_OPS_POOL_H
#define STK_COMPUTE_OPS_POOL_H

#include "compute/graph/graph_node.h"
#include "compute/ops/window.h"
#include <stoker/ops.h>

typedef struct stk_pool_attrs {
    int kernel[2], stride[2], pad[4];
    int count_pad;
    int size[2]; /* of x, for gradients; else 0 */
} stk_pool_attrs;

enum {
    STK_POOL_WINDOW_MAX = 256
}; /* most elements of a max_pool window, limited by the type of index */

/* Sizes for kernels, of a pool or its gradient. */
typedef struct stk_pool_shape {
    int64_t           batch, channels;
    stk_kernel_window down, across;
} stk_pool_shape;

stk_pool_shape stk_pool_shape_of(const stk_op_instance *instance);

/* Offsets of a pixel in x or dx, and in y, dy or index. */
static inline int64_t stk_pool_x_at(const stk_pool_shape *s, int64_t n, int64_t row, int64_t column)
{
    return ((n * s->down.size + row) * s->across.size + column) * s->channels;
}

static inline int64_t stk_pool_y_at(const stk_pool_shape *s, int64_t n, int64_t row, int64_t column)
{
    return ((n * s->down.count + row) * s->across.count + column) * s->channels;
}

/* Type of output 0: y of a pool, dx of a gradient. */
stk_status     stk_pool_infer(const stk_graph_op *op, const stk_op_instance *instance,
                              stk_tensor_type *out, stk_error *err);
stk_op_cost    stk_pool_cost(const stk_op_instance *instance);
void           stk_pool_print(const void *attrs, char *text, size_t capacity);
stk_pool_attrs stk_pool_attrs_of(const stk_pool_options *options);
/* The same for ops whose outputs are those of max_pool, or whose first inputs are those of its
 * gradient. */
stk_status stk_max_pool_infer(const stk_graph_op *op, const stk_op_instance *instance,
                              stk_tensor_type *out, stk_error *err);
stk_status stk_max_pool_grad_infer(const stk_graph_op *op, const stk_op_instance *instance,
                                   stk_tensor_type *out, stk_error *err);
/* Position and value of the maximum (or minimum) of channel c in the window at image, row and
 * column. The first of equal elements wins; NaN wins over all, so that it propagates. */
uint8_t stk_max_pool_index(const stk_pool_shape *s, const float *x, const int64_t at[3], int64_t c,
                           bool smallest, float *value);
/* Gradient of channel c at image, row and column of x. */
double stk_max_pool_gradient(const stk_pool_shape *s, const float *dy, const uint8_t *indices,
                             const int64_t at[3], int64_t c);
/* Attributes of node's gradient. */
stk_pool_attrs stk_pool_grad_attrs(const stk_graph *g, const stk_graph_node *node);

#endif
