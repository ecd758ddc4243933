/* Recognizes convolutions that are GEMMs: one row per pixel. */
#include "compute/ops/conv2d.h"
#include "compute/passes/graph_fuse.h"

enum { MULTIPLE = 64, DEPTH_MAX = 256, COLUMNS_MAX = 1024, ROWS_MIN = 8192 };
/* The fused kernel counts rows in 32 bits, up to the end of the last tile of 256. Fused gradients
 * have no other kernel, so larger graphs must not be fused. */
enum { ROWS_MAX = INT32_MAX - 256 };

bool stk_fuse_is_gemm(const stk_fuser *f, const stk_graph_node *conv)
{
    const stk_conv2d_attrs *a = conv->attrs;
    stk_shape               w = stk_symbol_shape(f->from, conv->in[1]);
    return w.dim[2] == 1 && w.dim[3] == 1 && a->stride[0] == 1 && a->stride[1] == 1 &&
           a->groups == 1 && !a->pad[0] && !a->pad[1] && !a->pad[2] && !a->pad[3] && !a->act.row;
}

bool stk_fuse_is_tall_gemm(const stk_fuser *f, const stk_graph_node *conv, int64_t columns,
                           int64_t depth)
{
    stk_shape     y = stk_symbol_shape(f->from, conv->out[0]);
    const int64_t rows = y.dim[0] * y.dim[1] * y.dim[2];
    return stk_fuse_is_gemm(f, conv) && columns % MULTIPLE == 0 && depth % MULTIPLE == 0 &&
           depth <= DEPTH_MAX && columns <= COLUMNS_MAX && rows >= ROWS_MIN && rows <= ROWS_MAX;
}
