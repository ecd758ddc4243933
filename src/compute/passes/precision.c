/* Mixed precision. Convolutions and GEMMs compute in 16 bits, and so do ops that process their
 * results. Losses, statistics, updates and variables stay float32, since small updates would be
 * lost in 16 bits. */
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include "compute/ops/update_ops.h"
#include "compute/passes/cse.h"
#include "compute/passes/passes.h"
#include <stdlib.h>
#include <stoker/ops.h>

typedef struct caster {
    const stk_pass_context *context;
    stk_rewrite             rewrite;
    stk_cse_table           casts;     /* existing casts, shared by forward and backward */
    bool                   *is_update; /* by node */
    stk_instance_scratch    scratch;
} caster;

static bool is_float(stk_dtype dtype)
{
    return dtype == STK_DTYPE_F32 || dtype == STK_DTYPE_F16 || dtype == STK_DTYPE_BF16;
}

/* Arithmetic whose results flow only into variables is part of an update, even if it was not built
 * as one. */
static stk_status find_updates(caster *c, stk_error *err)
{
    const stk_graph *g = c->rewrite.from;
    c->is_update = calloc((size_t)g->node_count + 1, sizeof *c->is_update);
    bool *elsewhere =
        calloc(g->symbol_count, sizeof *elsewhere); /* read by other nodes than updates */
    for (uint32_t i = 0; elsewhere && i < g->output_count; i++)
        elsewhere[g->outputs[i].symbol.id] = true;
    for (uint32_t n = g->node_count; elsewhere && c->is_update && n-- > 0;) {
        const stk_graph_node *node = &g->nodes[n];
        bool                  arithmetic = node->op->precision == STK_PRECISION_INFER ||
                          node->op->precision == STK_PRECISION_FOLLOW;
        bool update = node->phase == STK_PHASE_FORWARD && arithmetic;
        for (int o = 0; o < node->output_count; o++)
            update = update && !elsewhere[node->out[o].id];
        c->is_update[n] = update || node->phase == STK_PHASE_UPDATE;
        for (int i = 0; i < node->input_count && !c->is_update[n]; i++)
            elsewhere[node->in[i].id] = true;
    }
    bool made = elsewhere && c->is_update;
    free(elsewhere);
    return made ? STK_OK : stk_fail(err, STK_E_NOMEM, "precision", NULL, "no memory");
}

static stk_symbol add_or_find(caster *c, const stk_graph_op *op, stk_symbol x, void *attrs)
{
    stk_graph     *to = c->rewrite.to;
    stk_graph_node node = {.op = op, .attrs = attrs, .input_count = 1, .output_count = 1, .in = &x};
    const stk_graph_node *equal = stk_cse_table_find(&c->casts, to, &node);
    if (equal) return equal->out[0];
    stk_symbol out = stk_graph_add1(to, op, x, attrs);
    if (!to->error.status) stk_cse_table_add(&c->casts, to, to->node_count - 1);
    return out;
}

/* Returns x in dtype: x itself, the source of its cast, a normalize_image that writes dtype
 * directly (its uint8 input is smaller), or a cast. */
static stk_symbol cast_to(caster *c, stk_symbol x, stk_dtype dtype)
{
    stk_graph              *to = c->rewrite.to;
    const stk_graph_symbol *s = stk_graph_symbol_of(to, x);
    if (stk_symbol_is_none(x) || s->type.dtype == dtype) return x;
    const stk_graph_node *from = s->role == STK_SYMBOL_RESULT ? &to->nodes[s->node] : NULL;
    if (from && from->op == &stk_graph_op_cast && s->type.dtype == STK_DTYPE_F32 &&
        stk_symbol_dtype(to, from->in[0]) == dtype)
        return from->in[0];
    if (from && from->op == &stk_graph_op_normalize_image && !c->context->half_gemm_only) {
        stk_normalize_image_attrs attrs = *(const stk_normalize_image_attrs *)from->attrs;
        attrs.dtype = (int)dtype;
        return add_or_find(c, from->op, from->in[0], &attrs);
    }
    return add_or_find(c, &stk_graph_op_cast, x, &(stk_cast_attrs){.dtype = (int)dtype});
}

/* Whether an input takes the node's precision; labels and values per channel do not. */
static bool is_cast_input(const stk_graph_node *node, const stk_op_instance *instance, int i)
{
    if (!is_float(instance->in[i].dtype)) return false;
    return !node->op->stays_float32 || !node->op->stays_float32(instance, i);
}

/* Reading a 16-bit gradient without a cast saves memory traffic. */
static bool reads_half(const caster *c, const stk_graph_node *node, const stk_op_instance *instance,
                       int i, stk_symbol mapped)
{
    return !c->context->half_gemm_only && node->op->reads_half &&
           node->op->reads_half(instance, i) &&
           stk_symbol_dtype(c->rewrite.to, mapped) == c->context->precision;
}

static stk_dtype decide(const caster *c, uint32_t index, const stk_op_instance *instance)
{
    const stk_graph_node *node = &c->rewrite.from->nodes[index];
    stk_dtype             half = c->context->precision;
    if (c->is_update[index] || node->op->precision == STK_PRECISION_KEEP) return STK_DTYPE_F32;
    if (node->op->precision == STK_PRECISION_ALLOW) return half;
    if (c->context->half_gemm_only) return STK_DTYPE_F32;
    for (int i = 0; i < node->input_count; i++) {
        stk_symbol mapped = stk_rewrite_symbol(&c->rewrite, node->in[i]);
        if (is_cast_input(node, instance, i) && stk_symbol_dtype(c->rewrite.to, mapped) == half)
            return half;
    }
    return STK_DTYPE_F32;
}

static stk_status rewrite_node(caster *c, uint32_t index, stk_symbol *in, stk_error *err)
{
    const stk_graph_node *node = &c->rewrite.from->nodes[index];
    stk_graph            *to = c->rewrite.to;
    stk_op_instance       instance;
    stk_symbol            out[STK_OP_OUTPUTS];
    STK_TRY(stk_graph_instance(c->rewrite.from, node, &c->scratch, &instance, err));
    stk_dtype dtype = decide(c, index, &instance);
    stk_rewrite_at(&c->rewrite, node);
    for (int i = 0; i < node->input_count; i++) {
        in[i] = stk_rewrite_symbol(&c->rewrite, node->in[i]);
        if (!is_float(instance.in[i].dtype) || reads_half(c, node, &instance, i, in[i])) continue;
        in[i] = cast_to(c, in[i], is_cast_input(node, &instance, i) ? dtype : STK_DTYPE_F32);
    }
    stk_graph_add(to, node->op, in, node->input_count, node->attrs, out, node->output_count);
    for (int o = 0; o < node->output_count; o++)
        stk_rewrite_replace(&c->rewrite, node->out[o], out[o]);
    STK_TRY(stk_graph_check(to, err));
    return stk_pass_note(c->context, err, "%-8s %s%s%s", stk_dtype_name(dtype), node->op->name,
                         *node->name ? "  # " : "", node->name);
}

static stk_status rewrite_all(caster *c, stk_error *err)
{
    const stk_graph *from = c->rewrite.from;
    int              inputs_max = 1;
    for (uint32_t n = 0; n < from->node_count; n++)
        if (from->nodes[n].input_count > inputs_max) inputs_max = from->nodes[n].input_count;
    stk_symbol *in = calloc((size_t)inputs_max, sizeof *in);
    if (!in) return stk_fail(err, STK_E_NOMEM, "precision", NULL, "no memory");
    stk_status st = STK_OK;
    for (uint32_t n = 0; n < from->node_count && !st; n++)
        st = rewrite_node(c, n, in, err);
    free(in);
    return st;
}

static void restore(caster *c, stk_symbol end)
{
    stk_dtype dtype = stk_symbol_dtype(c->rewrite.from, end);
    if (end.id && is_float(dtype))
        stk_rewrite_replace(&c->rewrite, end,
                            cast_to(c, stk_rewrite_symbol(&c->rewrite, end), dtype));
}

/* Outputs and variables keep the types they were built with. */
static stk_status restore_ends(caster *c, stk_error *err)
{
    const stk_graph *from = c->rewrite.from;
    c->rewrite.to->phase = STK_PHASE_UPDATE;
    stk_graph_set_path(c->rewrite.to, "");
    for (uint32_t i = 1; i < from->symbol_count; i++)
        restore(c, from->symbols[i].assigned);
    for (uint32_t i = 0; i < from->output_count; i++)
        restore(c, from->outputs[i].symbol);
    return stk_graph_check(c->rewrite.to, err);
}

static stk_status copy_all(caster *c, stk_error *err)
{
    for (uint32_t n = 0; n < c->rewrite.from->node_count; n++)
        stk_rewrite_copy(&c->rewrite, &c->rewrite.from->nodes[n]);
    return stk_graph_check(c->rewrite.to, err);
}

static stk_status assign_precision(caster *c, stk_error *err)
{
    if (c->context->precision == STK_DTYPE_F32) return copy_all(c, err);
    STK_TRY(find_updates(c, err));
    STK_TRY(stk_cse_table_init(&c->casts, c->rewrite.from->symbol_count, err));
    STK_TRY(rewrite_all(c, err));
    return restore_ends(c, err);
}

stk_status stk_pass_precision(const stk_graph *from, const stk_pass_context *context,
                              stk_graph **out, stk_error *err)
{
    caster c = {.context = context};
    *out = NULL;
    STK_TRY(stk_rewrite_begin(&c.rewrite, from, err));
    stk_status st = assign_precision(&c, err);
    if (st)
        stk_rewrite_release(&c.rewrite);
    else
        st = stk_rewrite_finish(&c.rewrite, out, err);
    stk_cse_table_release(&c.casts);
    stk_instance_scratch_release(&c.scratch);
    free(c.is_update);
    return st;
}
