/* Rules about kernels, layouts and precision. */
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include "lint/lint_internal.h"
#include <string.h>

static const double fraction_min = 0.03, reference_fraction = 0.01, reference_bytes = 1e6;

/* Sums the cost of the operations that pick accepts; *worst is the longest, *count their number. */
static double sum(const stk_lint_program_context *s,
                  bool (*pick)(const stk_lint_program_context *s,
                               const stk_instruction          *instruction),
                  const stk_instruction **worst, int *count)
{
    double all = 0, most = -1;
    *worst = NULL;
    *count = 0;
    for (uint32_t i = 0; i < s->program->instruction_count; i++) {
        const stk_instruction *instruction = &s->program->instructions[i];
        if (instruction->skip || !pick(s, instruction)) continue;
        const double cost = stk_lint_cost(s, instruction);
        all += cost;
        (*count)++;
        if (cost > most) most = cost, *worst = instruction;
    }
    return all;
}

/* Small operations are fast anyway; the cost of large ones must be measured. */
static bool is_reference(const stk_lint_program_context *s, const stk_instruction *instruction)
{
    if (strcmp(instruction->kernel->name, "reference") != 0) return false;
    return s->measured ? stk_lint_cost(s, instruction) > reference_fraction * s->seconds
                       : instruction->cost.bytes > reference_bytes;
}

void stk_lint_reference_kernels(const stk_lint_program_context *s)
{
    const stk_instruction *worst;
    int                    count;
    const char            *backend = s->program->device->backend->name;
    const double           cost = sum(s, is_reference, &worst, &count);
    if (!count || strcmp(backend, "ref") == 0) return;
    stk_lint *item =
        stk_lint_add(s->list, "reference_kernels", STK_STAGE_COMPUTE, worst->call.instance.name);
    if (!item) return;
    stk_lint_print(
        item->message, sizeof item->message,
        "%s has no kernel on the backend %s and runs by its reference, in plain C on one "
        "thread (%d such operations); use an operation that has one",
        worst->op->name, backend, count);
    if (!s->measured) return;
    item->saves = cost / s->seconds;
    stk_lint_print(item->how, sizeof item->how, "all of their time, %s", stk_lint_basis(s));
}

/* Between NHWC and NCHW. Other transpositions belong to the model, such as attention's. */
static bool swaps_channels(const stk_transpose_attrs *attrs)
{
    const int *o = attrs->order;
    return attrs->rank == 4 && o[0] == 0 && ((o[1] == 3 && o[2] == 1) || (o[1] == 2 && o[2] == 3));
}

/* Reorders between formats are excluded: the layout pass has weighed them. */
static bool moves(const stk_lint_program_context *s, const stk_instruction *instruction)
{
    (void)s;
    return instruction->op == &stk_graph_op_transpose &&
           swaps_channels(instruction->call.instance.attrs);
}

void stk_lint_moved_layout(const stk_lint_program_context *s)
{
    const stk_instruction *worst;
    int                    count;
    const double           cost = sum(s, moves, &worst, &count);
    if (!count || cost < fraction_min * s->seconds) return;
    const char *name = *worst->call.instance.name ? worst->call.instance.name : worst->op->name;
    stk_lint   *item = stk_lint_add(s->list, "moved_layout", STK_STAGE_COMPUTE, name);
    if (!item) return;
    stk_lint_print(
        item->message, sizeof item->message,
        "%d transpositions between NHWC and NCHW take %.0f %% of a step; build the graph "
        "as NHWC, and leave the pass simplify on",
        count, 100 * cost / s->seconds);
    stk_lint_print(item->recipe, sizeof item->recipe, "knobs: {passes_off: \"\"}");
    stk_lint_print(item->how, sizeof item->how, "all of their time, %s", stk_lint_basis(s));
    item->saves = cost / s->seconds;
}

static bool is_float32_product(const stk_lint_program_context *s,
                               const stk_instruction          *instruction)
{
    (void)s;
    return instruction->op->precision == STK_PRECISION_ALLOW &&
           instruction->call.instance.in[0].dtype == STK_DTYPE_F32;
}

static void add_float32(const stk_lint_program_context *s, double fraction, stk_lint *item)
{
    stk_lint_print(item->message, sizeof item->message,
                   "convolutions and products take %.0f %% of a step in float32; this processor "
                   "multiplies bfloat16 too, and the weights stay float32",
                   100 * fraction);
    stk_lint_print(item->recipe, sizeof item->recipe, "train: {precision: bf16}");
    stk_lint_print(item->how, sizeof item->how, "steps of both in turn");
    item->changes_training = true;
    item->saves = 1 - 1 / s->machine->bf16_speed;
}

/* The processor multiplies twice as many bfloat16 as float32 numbers per cycle, but small layers
 * are bound by memory and casts. Only a measurement gives the gain. */
void stk_lint_float32(const stk_lint_program_context *s)
{
    const stk_instruction *worst;
    int                    count;
    stk_error              unasked;
    const stk_device      *device = s->program->device;
    const double           fraction = sum(s, is_float32_product, &worst, &count) / s->seconds;
    if (!s->machine->bf16 || !count || fraction < fraction_min) return;
    if (s->machine->bf16_speed < 1 + fraction_min) return;
    if (strcmp(device->backend->name, "ref") == 0) return;
    if (device->backend->precision(device, STK_DTYPE_BF16, &unasked)) return;
    stk_lint *item = stk_lint_add(s->list, "float32", STK_STAGE_COMPUTE, "train.precision");
    if (item) add_float32(s, fraction, item);
}
