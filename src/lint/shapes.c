/* Rules about shapes: padding, and oversized layers. */
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/matmul.h"
#include "lint/lint_internal.h"
#include <string.h>

enum { MULTIPLE = 8, IMAGE_CHANNELS = 4 };

/* Smaller findings are not worth reading. */
static const double  waste_min = 0.02, dense_fraction = 0.4;
static const int64_t dense_elements = 1000000;

static int64_t round_up(int64_t count)
{
    return (count + MULTIPLE - 1) / MULTIPLE * MULTIPLE;
}

/* The useful fraction of a dimension after padding. */
static double used(int64_t count)
{
    return count > 0 ? (double)count / (double)round_up(count) : 1;
}

static bool is_conv(const stk_graph_op *op)
{
    return op == &stk_graph_op_conv2d || op == &stk_graph_op_conv2d_grad_input ||
           op == &stk_graph_op_conv2d_grad_weight;
}

/* A GEMM-like operation by its weights' dimensions; rows belong to the batch. */
typedef struct product {
    int64_t in, out;
    double  useful; /* fraction of the work */
} product;

static bool measure_conv(const stk_instruction *instruction, product *p)
{
    const stk_conv2d_attrs *attrs = instruction->call.instance.attrs;
    const stk_conv2d_shape  shape =
        stk_conv2d_shape_of(instruction->op, &instruction->call.instance);
    p->in = shape.in_c;
    p->out = shape.out_c;
    p->useful = used(p->out);
    /* Image channels are given, and kernels handle them. */
    if (attrs->groups == 1 && p->in > IMAGE_CHANNELS) p->useful *= used(p->in);
    return true;
}

/* A dense layer: rows times a variable. */
static bool measure_dense(const stk_lint_program_context *s, const stk_instruction *instruction,
                          product *p)
{
    const stk_graph_node *node = stk_lint_node(s, instruction);
    if (stk_graph_symbol_of(s->program->layout.graph, node->in[1])->role != STK_SYMBOL_VARIABLE)
        return false;
    const stk_matmul_shape shape = stk_matmul_shape_of(&instruction->call.instance);
    p->in = shape.k;
    p->out = shape.n;
    p->useful = used(p->in) * used(p->out);
    return true;
}

static bool measure(const stk_lint_program_context *s, const stk_instruction *instruction,
                    product *p)
{
    if (is_conv(instruction->op)) return measure_conv(instruction, p);
    return instruction->op == &stk_graph_op_matmul && measure_dense(s, instruction, p);
}

void stk_lint_odd_channels(const stk_lint_program_context *s)
{
    double                 waste = 0, worst = 0;
    product                p, of_worst = {0};
    const stk_instruction *at = NULL;
    for (uint32_t i = 0; i < s->program->instruction_count; i++) {
        const stk_instruction *instruction = &s->program->instructions[i];
        if (!measure(s, instruction, &p) || p.useful >= 1) continue;
        const double lost = stk_lint_cost(s, instruction) * (1 - p.useful);
        waste += lost;
        if (lost > worst) worst = lost, at = instruction, of_worst = p;
    }
    if (!at || waste < waste_min * s->seconds) return;
    stk_lint *item =
        stk_lint_add(s->list, "odd_channels", STK_STAGE_COMPUTE, at->call.instance.name);
    if (!item) return;
    stk_lint_print(
        item->message, sizeof item->message,
        "%lld to %lld channels are computed as %lld to %lld; multiples of 8 (best of 64) "
        "give more channels for the same time, or the same in less",
        (long long)of_worst.in, (long long)of_worst.out,
        (long long)(of_worst.in > IMAGE_CHANNELS ? round_up(of_worst.in) : of_worst.in),
        (long long)round_up(of_worst.out));
    stk_lint_print(item->recipe, sizeof item->recipe, "model: {width: W}");
    stk_lint_print(item->how, sizeof item->how, "padding of all such layers, %s",
                   stk_lint_basis(s));
    item->saves = waste / s->seconds;
    item->changes_training = true;
}

/* Height times width of the image flattened into symbol; 0: none. */
static int64_t flattened(const stk_graph *g, stk_symbol symbol)
{
    for (int depth = 0; depth < 4; depth++) {
        const stk_graph_symbol *info = stk_graph_symbol_of(g, symbol);
        if (info->type.shape.rank == 4) return info->type.shape.dim[1] * info->type.shape.dim[2];
        if (info->role != STK_SYMBOL_RESULT) return 0;
        const stk_graph_node *node = &g->nodes[info->node];
        if (!(node->op->traits & (STK_OP_VIEW | STK_OP_ELEMENTWISE))) return 0;
        symbol = node->in[0];
    }
    return 0;
}

static int64_t count_parameters(const stk_graph *g)
{
    int64_t all = 0;
    for (uint32_t i = 1; i < g->symbol_count; i++)
        if (g->symbols[i].role == STK_SYMBOL_VARIABLE &&
            g->symbols[i].variable.role == STK_VARIABLE_PARAMETER)
            all += stk_type_elements(&g->symbols[i].type);
    return all;
}

/* Forward, both gradients and the update of the layer. */
static double cost_of_layer(const stk_lint_program_context *s, const char *name)
{
    double seconds = 0;
    for (uint32_t i = 0; i < s->program->instruction_count; i++) {
        const stk_instruction *instruction = &s->program->instructions[i];
        if (!strncmp(instruction->call.instance.name, name, strlen(name)))
            seconds += stk_lint_cost(s, instruction);
    }
    return seconds;
}

static void add_dense(const stk_lint_program_context *s, const stk_instruction *instruction,
                      int64_t pixels, int64_t all)
{
    const stk_matmul_shape shape = stk_matmul_shape_of(&instruction->call.instance);
    stk_lint              *item =
        stk_lint_add(s->list, "large_dense", STK_STAGE_COMPUTE, instruction->call.instance.name);
    if (!item) return;
    stk_lint_print(item->message, sizeof item->message,
                   "this dense layer on %lld flattened pixels has %.1f of the model's %.1f million "
                   "parameters; global average pooling before it needs %lld times fewer",
                   (long long)pixels, (double)(shape.k * shape.n) / 1e6, (double)all / 1e6,
                   (long long)pixels);
    stk_lint_print(item->how, sizeof item->how, "the layer without its pixels, %s",
                   stk_lint_basis(s));
    item->saves =
        cost_of_layer(s, instruction->call.instance.name) / s->seconds * (1 - 1 / (double)pixels);
    item->changes_training = true;
}

void stk_lint_large_dense(const stk_lint_program_context *s)
{
    const stk_graph *g = s->program->layout.graph;
    const int64_t    all = count_parameters(g);
    for (uint32_t i = 0; i < s->program->instruction_count; i++) {
        const stk_instruction *instruction = &s->program->instructions[i];
        const stk_graph_node  *node = stk_lint_node(s, instruction);
        product                p;
        if (instruction->op != &stk_graph_op_matmul || node->phase != STK_PHASE_FORWARD) continue;
        const int64_t pixels = flattened(g, node->in[0]);
        if (pixels < 2 || !measure_dense(s, instruction, &p)) continue;
        const int64_t elements = p.in * p.out;
        if (elements < dense_elements || (double)elements < dense_fraction * (double)all) continue;
        add_dense(s, instruction, pixels, all);
    }
}
