/* Fuses an activation's gradient into batch norm's gradient, which masks dy as it reads it.
 * bn_grad_apply writes the masked gradient as its second output if a residual needs it.
 *
 *   dz = act_grad(dy, seen)                 sums = bn_grad_sums(dy, x, .. mask)
 *   sums = bn_grad_sums(dz, x, ..)     ->   dx, dz = bn_grad_apply(dy, x, .. sums, mask)
 *   dx = bn_grad_apply(dz, x, .. sums)      other readers read this dz
 *   other readers read dz */
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"
#include "compute/passes/graph_fuse.h"

enum { NONE = UINT32_MAX, DZ = 0, X = 1, MASKS_MAX = 2, INPUTS_MAX = 9 };

typedef struct masked {
    const stk_graph_node *act_grad;
    uint32_t              apply;             /* the bn_grad_apply that may get a second output */
    bool                  has_other_readers; /* whether that output is needed */
    stk_bn_grad_attrs     attrs;
    stk_symbol            mask[MASKS_MAX];
    int                   masks;
} masked;

static bool is_plain(const stk_graph_node *node, const stk_graph_op *op, stk_symbol dz)
{
    return node->op == op && node->in[DZ].id == dz.id &&
           ((const stk_bn_grad_attrs *)node->attrs)->mask == STK_BN_MASK_NONE;
}

/* The first bn_grad_apply of dz. Only sums may read dz before it; later readers are
 * unrestricted. */
static bool find_apply(const stk_fuser *f, stk_symbol dz, masked *m)
{
    uint32_t first = f->first[dz.id], end = f->first[dz.id + 1], at = first;
    while (at < end && is_plain(&f->from->nodes[f->readers[at]], &stk_graph_op_bn_grad_sums, dz))
        at++;
    if (at == end) return false;
    const stk_graph_node *node = &f->from->nodes[f->readers[at]];
    if (!is_plain(node, &stk_graph_op_bn_grad_apply, dz) || node->output_count != 1) return false;
    m->apply = f->readers[at];
    m->has_other_readers = f->uses[dz.id] > at - first + 1;
    return true;
}

/* Whether all readers of dz up to the bn_grad_apply have the same x. */
static bool same_norm(const stk_fuser *f, const masked *m, stk_symbol dz)
{
    uint32_t x = f->from->nodes[m->apply].in[X].id;
    for (uint32_t i = f->first[dz.id]; f->readers[i] != m->apply; i++)
        if (f->from->nodes[f->readers[i]].in[X].id != x) return false;
    return true;
}

/* Whether the slope follows from the sign or range of z, so that y is not needed. */
static bool is_piecewise(const stk_activation_row *row)
{
    return row == &stk_activation_relu || row == &stk_activation_clip ||
           row == &stk_activation_leaky_relu;
}

/* The bn_apply of x, without a residual, before the activation; NULL if there is none. */
static const stk_graph_node *find_norm(const stk_fuser *f, const masked *m)
{
    const stk_activation *act = m->act_grad->attrs;
    stk_symbol            seen = m->act_grad->in[1], x = f->from->nodes[m->apply].in[X];
    if (act->row->from_output) {
        const stk_graph_node *made = is_piecewise(act->row) ? stk_fuse_producer(f, seen) : NULL;
        if (!made || made->op->reference != stk_activation_reference) return NULL;
        seen = made->in[0];
    }
    const stk_graph_node *norm = stk_fuse_producer(f, seen);
    if (!norm || norm->op != &stk_graph_op_bn_apply || norm->input_count != 3) return NULL;
    if (norm->in[0].id != x.id || ((const stk_bn_apply_attrs *)norm->attrs)->act.row) return NULL;
    return norm;
}

/* Prefers the mask from scale and shift, since x is read anyway and y is not. Else uses y if the
 * activation allows it. */
static bool find_mask(const stk_fuser *f, stk_symbol dz, masked *m)
{
    const stk_activation *act = m->act_grad->attrs;
    const stk_graph_node *norm = same_norm(f, m, dz) ? find_norm(f, m) : NULL;
    m->attrs =
        (stk_bn_grad_attrs){.mask = norm ? STK_BN_MASK_INPUT : STK_BN_MASK_OUTPUT, .act = *act};
    m->mask[0] = norm ? norm->in[1] : m->act_grad->in[1];
    m->mask[1] = norm ? norm->in[2] : STK_NO_SYMBOL;
    m->masks = norm ? 2 : 1;
    return norm || act->row->from_output;
}

static bool is_gradient_of_activation(const stk_graph_node *node)
{
    const stk_graph_op *op =
        node && node->op->attrs_size == sizeof(stk_activation) && node->attrs ? node->op : NULL;
    return op && op->reference == stk_activation_grad_reference;
}

static bool find(const stk_fuser *f, stk_symbol dz, masked *m)
{
    m->act_grad = stk_fuse_producer(f, dz);
    return is_gradient_of_activation(m->act_grad) && find_apply(f, dz, m) && find_mask(f, dz, m);
}

static int masked_inputs(const stk_graph_node *node, const masked *m, stk_symbol *in)
{
    for (int i = 0; i < node->input_count; i++)
        in[i] = node->in[i];
    in[DZ] = m->act_grad->in[0];
    for (int i = 0; i < m->masks; i++)
        in[node->input_count + i] = m->mask[i];
    return node->input_count + m->masks;
}

static void replace_apply(stk_fuser *f, const stk_graph_node *node, const masked *m)
{
    stk_symbol in[INPUTS_MAX], out[2];
    int        count = masked_inputs(node, m, in);
    for (int i = 0; i < count; i++)
        in[i] = stk_fuse_symbol(f, in[i]);
    stk_rewrite_at(&f->rewrite, node);
    stk_graph_add(f->rewrite.to, node->op, in, count, &m->attrs, out, m->has_other_readers ? 2 : 1);
    stk_rewrite_replace(&f->rewrite, node->out[0], out[0]);
    if (m->has_other_readers) stk_rewrite_replace(&f->rewrite, node->in[DZ], out[1]);
}

static stk_fuse_result fuse(stk_fuser *f, uint32_t index)
{
    const stk_graph_node *node = &f->from->nodes[index];
    bool                  sums = node->op == &stk_graph_op_bn_grad_sums;
    masked                m;
    if (!sums && node->op != &stk_graph_op_bn_grad_apply) return STK_FUSE_NO;
    if (!find(f, node->in[DZ], &m) || index > m.apply) return STK_FUSE_NO;
    if (!sums) {
        replace_apply(f, node, &m);
        return STK_FUSE_DONE;
    }
    stk_symbol in[INPUTS_MAX];
    int        count = masked_inputs(node, &m, in);
    stk_fuse_replace(f, node, node, in, count, &m.attrs);
    return STK_FUSE_DONE_UNCOUNTED;
}

const stk_fuse_pattern stk_fuse_norm_gradient = {"gradients of norm + activation", fuse, 0};
