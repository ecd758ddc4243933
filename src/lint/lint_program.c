/* Applies rules to the operations of a compiled step. */
#include "lint/lint_internal.h"

static void (*const rules[])(const stk_lint_program_context *s) = {
    stk_lint_odd_channels,      stk_lint_large_dense,  stk_lint_big_convolution,
    stk_lint_reference_kernels, stk_lint_moved_layout, stk_lint_float32,
};

double stk_lint_cost(const stk_lint_program_context *s, const stk_instruction *instruction)
{
    if (instruction->skip) return 0;
    if (s->measured)
        return instruction->runs ? (double)instruction->total_ns / (double)instruction->runs / 1e9
                                 : 0;
    const double compute = instruction->cost.flops / s->machine->flops;
    const double move = instruction->cost.bytes / s->machine->memory_bytes;
    return compute > move ? compute : move;
}

const char *stk_lint_basis(const stk_lint_program_context *s)
{
    return s->measured ? "measured" : "estimated from flops and bytes";
}

const stk_graph_node *stk_lint_node(const stk_lint_program_context *s,
                                    const stk_instruction          *instruction)
{
    return &s->program->layout.graph->nodes[instruction - s->program->instructions];
}

void stk_lint_program(stk_lint_list *list, const stk_program *program,
                      const stk_lint_machine *machine)
{
    stk_lint_program_context s = {.list = list, .program = program, .machine = machine};
    for (uint32_t i = 0; i < program->instruction_count; i++)
        s.measured = s.measured || program->instructions[i].runs > 0;
    for (uint32_t i = 0; i < program->instruction_count; i++)
        s.seconds += stk_lint_cost(&s, &program->instructions[i]);
    if (s.seconds <= 0) return;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        rules[i](&s);
}
