/* Compiles a graph to a program: passes, layout assignment, kernels, buffer assignment,
 * addresses. */
#include "compute/graph/cost.h"
#include "compute/passes/passes.h"
#include "compute/runtime/device.h"
#include "compute/runtime/device_profiler.h"
#include "compute/runtime/program_internal.h"
#include "compute/runtime/reorder_op.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* notes are the pass's report; may be NULL. */
static stk_status explain(const stk_program_options *options, const char *pass, const char *help,
                          const stk_blob *notes, const stk_graph *graph, stk_error *err)
{
    char line[256];
    if (!options->explain) return STK_OK;
    int length =
        snprintf(line, sizeof line, "== %s: %s (%u operations)\n", pass, help, graph->node_count);
    STK_TRY(stk_blob_append(options->explain, line, (size_t)length, err));
    if (notes && notes->size)
        STK_TRY(stk_blob_append(options->explain, notes->data, notes->size, err));
    return stk_graph_dump(graph, options->explain, err);
}

/* *owned is the graph after the last pass that ran; NULL before the first. */
static stk_status run_pass(const stk_program *program, const stk_pass_row *pass,
                           const stk_graph *graph, const stk_program_options *options,
                           stk_graph **owned, stk_error *err)
{
    stk_blob         notes;
    stk_graph       *next = NULL;
    stk_device      *device = program->device;
    const stk_dtype  precision = options->precision ? options->precision : STK_DTYPE_F32;
    stk_pass_context context = {.precision = precision,
                                .notes = options->explain ? &notes : NULL,
                                .half_gemm_only = device->backend->half_gemm_only,
                                .group_small_ops = device->backend->group_small_ops};
    if (device->backend->fusions) context.fusions = device->backend->fusions(device, precision);
    stk_blob_init(&notes, NULL, STK_MEMORY_INDEX);
    stk_status st = pass->run(*owned ? *owned : graph, &context, &next, err);
    if (!st) {
        stk_graph_free(*owned);
        *owned = next;
        st = explain(options, pass->name, pass->help, &notes, next, err);
    }
    stk_blob_release(&notes);
    return st;
}

static stk_status run_passes(const stk_program *program, const stk_graph *graph,
                             const stk_program_options *options, stk_graph **owned, stk_error *err)
{
    *owned = NULL;
    STK_TRY(explain(options, "graph", "as it was built", NULL, graph, err));
    for (size_t i = 0; stk_pass_at(i); i++)
        if (!(options->passes_off & (unsigned)stk_pass_at(i)->bit))
            STK_TRY(run_pass(program, stk_pass_at(i), graph, options, owned, err));
    return STK_OK;
}

static stk_status lay_out(stk_program *program, const stk_graph *graph,
                          const stk_program_options *options, stk_error *err)
{
    stk_graph *owned;
    stk_status st = run_passes(program, graph, options, &owned, err);
    if (!st)
        st = stk_layout_assign(owned ? owned : graph, program->variables,
                               options->passes_off & STK_GRAPH_PASS_LAYOUT, &program->layout, err);
    stk_graph_free(owned);
    if (!st)
        st = explain(options, "layout", "formats, and reorders between them", NULL,
                     program->layout.graph, err);
    return st;
}

static const char *phase_name(stk_graph_phase phase)
{
    static const char *const names[] = {[STK_PHASE_FORWARD] = "forward",
                                        [STK_PHASE_BACKWARD] = "backward",
                                        [STK_PHASE_UPDATE] = "update"};
    return names[phase];
}

static stk_status fill_call(stk_program *program, const stk_graph_node *node,
                            stk_instruction *instruction, stk_error *err)
{
    const stk_graph *g = program->layout.graph;
    int              in = node->input_count, out = node->output_count;
    stk_arena       *arena = &program->memory;
    stk_tensor_type *types = stk_arena_array(arena, (size_t)(in + out), sizeof *types, err);
    stk_format      *formats = stk_arena_array(arena, (size_t)(in + out), sizeof *formats, err);
    void           **addresses =
        stk_arena_array(arena, (size_t)(in + STK_OP_OUTPUTS), sizeof *addresses, err);
    if (!types || !formats || !addresses) return STK_E_NOMEM;
    for (int i = 0; i < in + out; i++) {
        stk_symbol symbol = i < in ? node->in[i] : node->out[i - in];
        types[i] = stk_graph_symbol_of(g, symbol)->type;
        formats[i] = program->layout.format[symbol.id];
    }
    memset(addresses, 0, (size_t)(in + STK_OP_OUTPUTS) * sizeof *addresses);
    instruction->op = node->op;
    instruction->call = (stk_kernel_call){
        .device = program->device,
        .op = node->op,
        .instance = {node->name, node->attrs, in, out, types, types + in},
        .in_format = formats,
        .out_format = formats + in,
        .in = (const void *const *)addresses,
        .out = (void *const *)(addresses + in),
    };
    instruction->cost = stk_op_count(node->op, &instruction->call.instance);
    instruction->phase = phase_name(node->phase);
    return STK_OK;
}

static stk_status find_kernel(stk_program *program, stk_instruction *instruction, stk_error *err)
{
    const stk_backend *backend = program->device->backend;
    instruction->kernel =
        instruction->op == &stk_graph_op_reorder
            ? &stk_kernel_reorder
            : backend->kernel(program->device, instruction->op, &instruction->call.instance);
    if (instruction->kernel) return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, instruction->op->name, instruction->call.instance.name,
                    "the backend %s has no kernel for this; the backend ref has all",
                    backend->name);
}

static stk_status make_instructions(stk_program *program, size_t *scratch, stk_error *err)
{
    const stk_graph *g = program->layout.graph;
    for (uint32_t n = 0; n < g->node_count; n++) {
        stk_instruction *instruction = &program->instructions[n];
        STK_TRY(fill_call(program, &g->nodes[n], instruction, err));
        STK_TRY(find_kernel(program, instruction, err));
        program->instruction_count = n + 1;
        if (instruction->kernel->prepare)
            STK_TRY(instruction->kernel->prepare(&instruction->call, &scratch[n], err));
        instruction->prepared = true;
    }
    return STK_OK;
}

static stk_status make_constants(stk_program *program, stk_error *err)
{
    const stk_graph *g = program->layout.graph;
    for (uint32_t i = 1; i < g->symbol_count; i++) {
        const stk_graph_symbol *s = &g->symbols[i];
        if (s->role != STK_SYMBOL_CONSTANT) continue;
        size_t bytes = stk_type_bytes(&s->type);
        STK_TRY(stk_device_alloc(program->device, bytes, s->name, &program->constants[i], err));
        program->device->backend->upload(program->device, program->constants[i], s->data, bytes);
    }
    return STK_OK;
}

/* Mentions memory held by other processes. Below a tenth it is the driver's own. */
static void describe_other_users(const stk_device *device, char *text, size_t capacity)
{
    if (!device->backend->memory_free || !device->backend->memory) return;
    const uint64_t all = device->backend->memory(device);
    const uint64_t ours = device->backend->memory_free(device) + device->held;
    if (all > ours && all - ours > all / 10)
        snprintf(text, capacity, " (other programs have %.0f of %.0f MB)",
                 (double)(all - ours) / 1e6, (double)all / 1e6);
}

/* Fails with the use of memory by class and the batch that would fit. */
static stk_status fail_does_not_fit(const stk_program *program, int64_t batch, uint64_t available,
                                    stk_error *err)
{
    const stk_memory_plan *usage = &program->buffers.report;
    char                   fits[64] = "", others[80] = "";
    describe_other_users(program->device, others, sizeof others);
    double fraction =
        available > usage->fixed ? (double)(available - usage->fixed) / (double)usage->arena : 0;
    int64_t smaller = (int64_t)((double)batch * fraction);
    if (batch > 0 && smaller > 0)
        snprintf(fits, sizeof fits, "; a batch of %lld would fit", (long long)smaller);
    return stk_fail(err, STK_E_NOMEM, "memory plan", program->name,
                    "%.0f MB are needed and %.0f MB are there%s: activations %.0f, gradients %.0f, "
                    "workspace %.0f, inputs %.0f, variables %.0f MB; most at %s%s",
                    (double)(usage->arena + usage->fixed) / 1e6, (double)available / 1e6, others,
                    (double)usage->bytes[STK_MEMORY_CLASS_ACTIVATIONS] / 1e6,
                    (double)usage->bytes[STK_MEMORY_CLASS_GRADIENTS] / 1e6,
                    (double)usage->bytes[STK_MEMORY_CLASS_WORKSPACE] / 1e6,
                    (double)usage->bytes[STK_MEMORY_CLASS_INPUTS] / 1e6, (double)usage->fixed / 1e6,
                    usage->peak_at, fits);
}

/* Bytes available for variables and arena. Hosts overcommit and kill processes later, so a tenth is
 * left free. On a device it is the free memory minus two staging slots for uploads. */
static uint64_t available_memory(const stk_program *program)
{
    const stk_memory_plan *usage = &program->buffers.report;
    const stk_device      *device = program->device;
    const stk_backend     *backend = device->backend;
    uint64_t               available = UINT64_MAX, held, ceiling;
    if (backend->memory) available = backend->memory(device) / 10 * 9;
    if (backend->memory_free) {
        uint64_t slots = 2 * usage->bytes[STK_MEMORY_CLASS_INPUTS],
                 left = backend->memory_free(device);
        left = usage->fixed + (left > slots ? left - slots : 0);
        if (left < available) available = left;
    }
    stk_ledger_total(device->options.ledger, &held, &ceiling);
    return ceiling < available ? ceiling : available;
}

static stk_status alloc_arena(stk_program *program, int64_t batch, stk_error *err)
{
    const stk_memory_plan *usage = &program->buffers.report;
    const stk_backend     *backend = program->device->backend;
    const uint64_t         available = available_memory(program);
    void                  *arena;
    if (usage->arena + usage->fixed > available)
        return fail_does_not_fit(program, batch, available, err);
    stk_status st = stk_device_alloc(program->device, usage->arena, program->name, &arena, err);
    if (st) return fail_does_not_fit(program, batch, available, err);
    program->arena = arena;
    backend->clear(program->device, arena, usage->arena);
    return STK_OK;
}

static stk_status build(stk_program *program, const stk_graph *graph,
                        const stk_program_options *options, stk_error *err)
{
    STK_TRY(stk_graph_check(graph, err));
    STK_TRY(stk_device_computes_in(program->device, options->precision, err));
    STK_TRY(lay_out(program, graph, options, err));
    STK_TRY(stk_program_bind_ports(program, err));
    const stk_graph *g = program->layout.graph;
    program->instructions = calloc((size_t)g->node_count + 1, sizeof *program->instructions);
    program->constants = calloc(g->symbol_count, sizeof *program->constants);
    size_t    *scratch = calloc((size_t)g->node_count + 1, sizeof *scratch);
    stk_status st = STK_OK;
    if (!program->instructions || !program->constants || !scratch)
        st = stk_fail(err, STK_E_NOMEM, "compile", program->name, "no memory");
    if (!st) st = make_instructions(program, scratch, err);
    if (!st)
        st =
            stk_buffer_assignment_make(&program->buffers, &program->layout, program->variables,
                                       scratch, !(options->passes_off & STK_GRAPH_PASS_REUSE), err);
    free(scratch);
    if (st || options->plan_only) return st;
    st = make_constants(program, err);
    if (!st) st = alloc_arena(program, options->batch, err);
    if (!st) stk_program_bind(program);
    return st;
}

stk_status stk_program_compile(stk_program **out, const stk_graph *graph, stk_variables *variables,
                               const stk_program_options *options, stk_error *err)
{
    stk_program_options with = options ? *options : (stk_program_options){0};
    *out = NULL;
    stk_program *program = calloc(1, sizeof *program);
    if (!program) return stk_fail(err, STK_E_NOMEM, "compile", with.name, "no memory");
    program->device = variables->device;
    program->variables = variables;
    program->check = with.check;
    program->eager = with.passes_off & STK_GRAPH_PASS_CAPTURE;
    stk_arena_init(&program->memory, variables->device->options.ledger, STK_MEMORY_INDEX);
    program->name = strdup(with.name ? with.name : "program");
    stk_status st = program->name ? build(program, graph, &with, err)
                                  : stk_fail(err, STK_E_NOMEM, "compile", NULL, "no memory");
    if (st) {
        stk_program_free(program);
        return st;
    }
    *out = program;
    return STK_OK;
}

void stk_program_free(stk_program *program)
{
    if (!program) return;
    stk_device_profiler_remove_program(program);
    if (program->capture) program->device->backend->capture_free(program->device, program->capture);
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        stk_instruction *instruction = &program->instructions[i];
        if (instruction->kernel && instruction->kernel->release)
            instruction->kernel->release(&instruction->call);
    }
    free(program->instructions);
    for (uint32_t i = 1; program->constants && i < program->layout.graph->symbol_count; i++)
        if (program->constants[i])
            stk_device_dealloc(program->device, program->constants[i],
                               stk_type_bytes(&program->layout.graph->symbols[i].type));
    free(program->constants);
    stk_device_dealloc(program->device, program->arena, program->buffers.report.arena);
    stk_buffer_assignment_release(&program->buffers);
    stk_layout_assignment_release(&program->layout);
    stk_arena_release(&program->memory);
    free(program->name);
    free(program);
}
