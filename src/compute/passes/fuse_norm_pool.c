/* If max_pool is the only reader of batch norm and relu, bn_pool computes all three without storing
 * the tensors in between. The gradients read the windows over x instead of a gradient as large as
 * x.
 *
 *   y = bn_apply(x, .. relu)            y', indices = bn_pool(x, ..)
 *   y', indices = max_pool(y)      ->
 *   dy = max_pool_grad(dy', indices)    sums = bn_pool_grad_sums(dy', indices, x, .. y')
 *   sums = bn_grad_sums(dy, x, ..)      dx = bn_pool_grad_apply(dy', indices, x, .. sums)
 *   dx = bn_grad_apply(dy, x, .. sums) */
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/pool.h"
#include "compute/passes/graph_fuse.h"
#include "compute/passes/passes.h"

enum { DY, X, MEAN, INVSTD, SUMS_MASK, GAMMA = SUMS_MASK, DGAMMA, DBETA, APPLY_MASK };
enum { SIDE = 3, STRIDE = 2, CHANNELS_OF = 8, CHANNELS_MAX = 8192, MARGIN = 8 };
enum { SHARED_INPUTS = 7, SUMS_INPUTS = 8, APPLY_INPUTS = 10 };

/* Windows with kernels: those after the stem of many models. */
static bool has_kernels(const stk_pool_attrs *a, stk_shape x)
{
    int64_t pixels = (x.dim[1] + MARGIN) * (x.dim[2] + MARGIN), channels = x.dim[3];
    return a->kernel[0] == SIDE && a->kernel[1] == SIDE && a->stride[0] == STRIDE &&
           a->stride[1] == STRIDE && channels > 0 && channels % CHANNELS_OF == 0 &&
           channels <= CHANNELS_MAX && pixels <= INT32_MAX / channels;
}

static stk_fuse_result fuse_forward(stk_fuser *f, const stk_graph_node *pool)
{
    const stk_graph_node *norm = stk_fuse_only_use(f, pool->in[0], &stk_graph_op_bn_apply);
    stk_symbol            in[3], out[2];
    if (!norm || norm->input_count != 3 || norm->output_count != 1) return STK_FUSE_NO;
    if (((const stk_bn_apply_attrs *)norm->attrs)->act.row != &stk_activation_relu)
        return STK_FUSE_NO;
    if (!has_kernels(pool->attrs, stk_symbol_shape(f->from, pool->in[0]))) return STK_FUSE_NO;
    for (int i = 0; i < 3; i++)
        in[i] = stk_fuse_symbol(f, norm->in[i]);
    stk_rewrite_at(&f->rewrite, norm);
    stk_graph_add(f->rewrite.to, &stk_graph_op_bn_pool, in, 3, pool->attrs, out,
                  pool->output_count);
    for (int o = 0; o < pool->output_count; o++)
        stk_rewrite_replace(&f->rewrite, pool->out[o], out[o]);
    return STK_FUSE_DONE;
}

static bool is_half_of_gradient(const stk_graph_node *node)
{
    return node->op == &stk_graph_op_bn_grad_sums || node->op == &stk_graph_op_bn_grad_apply;
}

static int mask_of(const stk_graph_node *node)
{
    return node->op == &stk_graph_op_bn_grad_sums ? SUMS_MASK : APPLY_MASK;
}

/* Whether node is a part of the gradient of the bn_pool's norm and masks dy by relu. */
static bool belongs(const stk_graph_node *node, stk_symbol dy, const stk_graph_node *made)
{
    if (!is_half_of_gradient(node) || node->in[DY].id != dy.id) return false;
    const stk_bn_grad_attrs *attrs = node->attrs;
    if (attrs->mask != STK_BN_MASK_INPUT || attrs->act.row != &stk_activation_relu) return false;
    if (node->op == &stk_graph_op_bn_grad_apply && node->output_count != 1) return false;
    int mask = mask_of(node);
    return node->in[X].id == made->in[0].id && node->in[mask].id == made->in[1].id &&
           node->in[mask + 1].id == made->in[2].id;
}

/* The max_pool_grad that computes dy if no other node needs dy; else NULL. *made receives its
 * bn_pool. */
static const stk_graph_node *find_pool(const stk_fuser *f, stk_symbol dy,
                                       const stk_graph_node **made)
{
    const stk_graph_node *pool = stk_fuse_producer(f, dy);
    if (!pool || pool->op != &stk_graph_op_max_pool_grad) return NULL;
    *made = stk_fuse_producer(f, pool->in[1]);
    if (!*made || (*made)->op != &stk_graph_op_bn_pool) return NULL;
    if (f->uses[dy.id] != f->first[dy.id + 1] - f->first[dy.id]) return NULL;
    for (uint32_t i = f->first[dy.id]; i < f->first[dy.id + 1]; i++)
        if (!belongs(&f->from->nodes[f->readers[i]], dy, *made)) return NULL;
    return pool;
}

static stk_fuse_result fuse_gradient(stk_fuser *f, const stk_graph_node *node)
{
    const stk_graph_node *made, *pool = find_pool(f, node->in[DY], &made);
    if (!pool) return STK_FUSE_NO;
    bool       sums = node->op == &stk_graph_op_bn_grad_sums;
    int        count = sums ? SUMS_INPUTS : APPLY_INPUTS;
    stk_symbol in[APPLY_INPUTS] = {pool->in[0],      pool->in[1], made->in[0], node->in[MEAN],
                                   node->in[INVSTD], made->in[1], made->in[2]};
    stk_symbol out[2];
    in[SHARED_INPUTS] = made->out[0];
    for (int i = 0; i < 3 && !sums; i++)
        in[SHARED_INPUTS + i] = node->in[GAMMA + i];
    for (int i = 0; i < count; i++)
        in[i] = stk_fuse_symbol(f, in[i]);
    stk_rewrite_at(&f->rewrite, node);
    stk_graph_add(f->rewrite.to,
                  sums ? &stk_graph_op_bn_pool_grad_sums : &stk_graph_op_bn_pool_grad_apply, in,
                  count, pool->attrs, out, node->output_count);
    for (int o = 0; o < node->output_count; o++)
        stk_rewrite_replace(&f->rewrite, node->out[o], out[o]);
    return STK_FUSE_DONE_UNCOUNTED;
}

static stk_fuse_result fuse(stk_fuser *f, uint32_t index)
{
    const stk_graph_node *node = &f->from->nodes[index];
    if (node->op == &stk_graph_op_max_pool) return fuse_forward(f, node);
    return is_half_of_gradient(node) ? fuse_gradient(f, node) : STK_FUSE_NO;
}

const stk_fuse_pattern stk_fuse_norm_pool = {"norm + relu + max_pool", fuse, STK_FUSION_NORM_POOL};
