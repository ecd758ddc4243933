/* Batch norm after a convolution starts with a pass over its result. The convolution's epilogue
 * computes mean and variance instead, as further outputs; the norm reads them in the next round. */
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"
#include "compute/passes/graph_fuse.h"
#include "compute/passes/passes.h"

enum {
    INPUTS_MAX = 3,
    ELEMENTS_MIN = 1 << 25,
    STEM_CHANNELS = 4,
    STEM_COLUMNS = 128,
    STEM_MULTIPLE = 16,
    STEM_SIDE = 7,
    SQUARE_CHANNELS = 64
};

static bool is_tall_gemm(const stk_fuser *f, const stk_graph_node *node)
{
    stk_shape w = stk_symbol_shape(f->from, node->in[1]);
    return node->input_count == 2 && stk_fuse_is_tall_gemm(f, node, w.dim[0], w.dim[1]);
}

/* Depthwise 3x3 whose result exceeds the caches. */
static bool is_large_depthwise(const stk_fuser *f, const stk_graph_node *node)
{
    const stk_conv2d_attrs *a = node->attrs;
    stk_shape               w = stk_symbol_shape(f->from, node->in[1]),
              y = stk_symbol_shape(f->from, node->out[0]);
    return node->input_count == 2 && w.dim[2] == 3 && w.dim[3] == 3 && w.dim[1] == 1 &&
           w.dim[0] == a->groups && w.dim[0] % 2 == 0 && a->stride[0] == a->stride[1] &&
           a->stride[0] <= 2 && a->dilation[0] == 1 && a->dilation[1] == 1 && !a->act.row &&
           y.dim[0] * y.dim[1] * y.dim[2] * y.dim[3] >= ELEMENTS_MIN;
}

/* A stem (few input channels) with such a result. */
static bool is_large_stem(const stk_fuser *f, const stk_graph_node *node)
{
    const stk_conv2d_attrs *a = node->attrs;
    stk_shape               w = stk_symbol_shape(f->from, node->in[1]),
              y = stk_symbol_shape(f->from, node->out[0]);
    return node->input_count == 2 && a->groups == 1 && w.dim[1] <= STEM_CHANNELS &&
           w.dim[0] <= STEM_COLUMNS && w.dim[0] % STEM_MULTIPLE == 0 && w.dim[2] <= STEM_SIDE &&
           w.dim[3] <= STEM_SIDE && a->stride[0] == a->stride[1] && a->stride[0] <= 2 &&
           a->dilation[0] == 1 && a->dilation[1] == 1 && !a->act.row &&
           y.dim[0] * y.dim[1] * y.dim[2] * y.dim[3] >= ELEMENTS_MIN;
}

/* 3x3 from 64 to 64 channels with such a result. */
static bool is_large_square(const stk_fuser *f, const stk_graph_node *node)
{
    const stk_conv2d_attrs *a = node->attrs;
    stk_shape               w = stk_symbol_shape(f->from, node->in[1]),
              y = stk_symbol_shape(f->from, node->out[0]);
    return node->input_count == 2 && a->groups == 1 && w.dim[0] == SQUARE_CHANNELS &&
           w.dim[1] == SQUARE_CHANNELS && w.dim[2] == 3 && w.dim[3] == 3 && a->stride[0] == 1 &&
           a->stride[1] == 1 && a->dilation[0] == 1 && a->dilation[1] == 1 && !a->act.row &&
           y.dim[0] * y.dim[1] * y.dim[2] * y.dim[3] >= ELEMENTS_MIN;
}

static bool has_kernel(const stk_fuser *f, const stk_graph_node *node)
{
    return is_tall_gemm(f, node) || is_large_depthwise(f, node) || is_large_stem(f, node) ||
           is_large_square(f, node);
}

bool stk_fuse_has_statistics(const stk_fuser *f, stk_symbol y)
{
    const stk_graph_node *conv = stk_fuse_producer(f, y);
    if (!(f->fusions & STK_FUSION_STATISTICS) || !conv || conv->op != &stk_graph_op_conv2d)
        return false;
    return conv->output_count > 1 || has_kernel(f, conv);
}

static stk_fuse_result add_outputs(stk_fuser *f, const stk_graph_node *node)
{
    stk_symbol y = node->out[0], in[INPUTS_MAX], out[STK_CONV2D_OUTPUTS];
    bool       has_reader = false;
    for (uint32_t i = f->first[y.id]; i < f->first[y.id + 1]; i++)
        has_reader = has_reader || f->from->nodes[f->readers[i]].op == &stk_graph_op_bn_stats;
    if (!has_reader || node->output_count > 1 || !has_kernel(f, node)) return STK_FUSE_NO;
    for (int i = 0; i < node->input_count; i++)
        in[i] = stk_fuse_symbol(f, node->in[i]);
    stk_rewrite_at(&f->rewrite, node);
    stk_graph_add(f->rewrite.to, node->op, in, node->input_count, node->attrs, out,
                  STK_CONV2D_OUTPUTS);
    stk_rewrite_replace(&f->rewrite, y, out[STK_CONV2D_Y]);
    return STK_FUSE_DONE;
}

static stk_fuse_result use_outputs(stk_fuser *f, const stk_graph_node *node)
{
    const stk_graph_node *conv = stk_fuse_producer(f, node->in[0]);
    if (!stk_fuse_has_statistics(f, node->in[0]) || conv->output_count == 1) return STK_FUSE_NO;
    stk_rewrite_replace(&f->rewrite, node->out[0], stk_fuse_symbol(f, conv->out[STK_CONV2D_MEAN]));
    stk_rewrite_replace(&f->rewrite, node->out[1], stk_fuse_symbol(f, conv->out[STK_CONV2D_VAR]));
    return STK_FUSE_DONE_UNCOUNTED;
}

static stk_fuse_result fuse(stk_fuser *f, uint32_t index)
{
    const stk_graph_node *node = &f->from->nodes[index];
    if (node->op == &stk_graph_op_conv2d) return add_outputs(f, node);
    return node->op == &stk_graph_op_bn_stats ? use_outputs(f, node) : STK_FUSE_NO;
}

const stk_fuse_pattern stk_fuse_statistics = {"statistics of convolutions", fuse,
                                              STK_FUSION_STATISTICS};
