/* Rule: a large convolution costs its kernel area; a chain of 3x3 has the same receptive field for
 * less. */
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"
#include "lint/lint_internal.h"
#include <string.h>

enum { LARGEST = 5, LARGEST_OF_STEM = 7, IMAGE_CHANNELS = 4 };

/* Excludes depthwise convolutions, which are cheap; non-overlapping patches, which no chain can
 * replace; and kernels over the complete image, which are dense layers. */
static bool is_big(const stk_instruction *instruction, stk_conv2d_shape *shape)
{
    const stk_conv2d_attrs *attrs = instruction->call.instance.attrs;
    if (instruction->op != &stk_graph_op_conv2d) return false;
    *shape = stk_conv2d_shape_of(instruction->op, &instruction->call.instance);
    const int64_t side = shape->kernel_h > shape->kernel_w ? shape->kernel_h : shape->kernel_w;
    if (attrs->groups > 1 && attrs->groups == shape->in_c) return false;
    if (attrs->stride[0] >= shape->kernel_h && attrs->stride[1] >= shape->kernel_w) return false;
    if (shape->kernel_h >= shape->in_h && shape->kernel_w >= shape->in_w) return false;
    return side > (shape->in_c <= IMAGE_CHANNELS ? LARGEST_OF_STEM : LARGEST);
}

/* Work of the equivalent 3x3 chain, relative to the convolution. */
static double chain_fraction(const stk_conv2d_shape *shape)
{
    const int64_t side = shape->kernel_h > shape->kernel_w ? shape->kernel_h : shape->kernel_w;
    return 9.0 * (double)(side / 2) / (double)(shape->kernel_h * shape->kernel_w);
}

static double cost_of_all_three(const stk_lint_program_context *s, const char *name)
{
    double seconds = 0;
    for (uint32_t i = 0; i < s->program->instruction_count; i++) {
        const stk_instruction *instruction = &s->program->instructions[i];
        if (!strncmp(instruction->op->name, "conv2d", 6) &&
            !strcmp(instruction->call.instance.name, name))
            seconds += stk_lint_cost(s, instruction);
    }
    return seconds;
}

void stk_lint_big_convolution(const stk_lint_program_context *s)
{
    for (uint32_t i = 0; i < s->program->instruction_count; i++) {
        const stk_instruction *instruction = &s->program->instructions[i];
        stk_conv2d_shape       shape;
        if (!is_big(instruction, &shape) || chain_fraction(&shape) >= 1) continue;
        stk_lint *item = stk_lint_add(s->list, "big_convolution", STK_STAGE_COMPUTE,
                                      instruction->call.instance.name);
        if (!item) return;
        stk_lint_print(
            item->message, sizeof item->message,
            "a %lldx%lld convolution of %lld to %lld channels; %lld of 3x3 one after the "
            "other see as far and do %.0f %% of its work",
            (long long)shape.kernel_h, (long long)shape.kernel_w, (long long)shape.in_c,
            (long long)shape.out_c, (long long)(shape.kernel_h / 2), 100 * chain_fraction(&shape));
        stk_lint_print(item->how, sizeof item->how, "9 n / k^2 of its time, %s", stk_lint_basis(s));
        item->saves = cost_of_all_three(s, instruction->call.instance.name) / s->seconds *
                      (1 - chain_fraction(&shape));
        item->changes_training = true;
    }
}
