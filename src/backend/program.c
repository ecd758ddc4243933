/* Running a program: addresses, feeding, the list of calls, fetching. */
#include "backend/program.h"
#include "base/clock.h"
#include "trace/recording.h"
#include <string.h>

void *stk_program_address(const stk_program *program, stk_symbol symbol)
{
    const stk_place *place = &program->plan.place[symbol.id];
    switch (place->kind) {
    case STK_PLACE_ARENA:
        return program->arena + place->offset;
    case STK_PLACE_VARIABLE:
        return program->variables->list[place->offset].data;
    case STK_PLACE_CONSTANT:
        return program->constants[symbol.id];
    default:
        return NULL;
    }
}

void stk_program_bind(stk_program *program)
{
    const stk_graph *g = program->laid_out.graph;
    for (uint32_t n = 0; n < g->node_count; n++) {
        const stk_graph_node *node = &g->nodes[n];
        stk_step             *step = &program->steps[n];
        void                **in = (void **)step->call.in, **out = (void **)step->call.out;
        for (int i = 0; i < node->input_count; i++)
            in[i] = stk_program_address(program, node->in[i]);
        for (int o = 0; o < node->output_count; o++)
            out[o] = stk_program_address(program, node->out[o]);
        step->call.scratch = program->arena + program->plan.scratch[n];
        step->skip = (node->op->traits & STK_OP_VIEW) && in[0] == out[0];
    }
}

static stk_status find_input(const stk_program *program, const char *name, stk_symbol *out,
                             stk_error *err)
{
    const stk_graph *g = program->laid_out.graph;
    for (uint32_t i = 1; i < g->symbol_count; i++)
        if (g->symbols[i].role == STK_SYMBOL_INPUT && strcmp(g->symbols[i].name, name) == 0) {
            *out = (stk_symbol){i};
            return STK_OK;
        }
    return stk_fail(err, STK_E_NOTFOUND, program->name, name, "the program has no such input");
}

static stk_status find_output(const stk_program *program, const char *name, stk_symbol *out,
                              stk_error *err)
{
    const stk_graph *g = program->laid_out.graph;
    for (uint32_t i = 0; i < g->output_count; i++)
        if (strcmp(g->outputs[i].name, name) == 0) {
            *out = g->outputs[i].symbol;
            return STK_OK;
        }
    return stk_fail(err, STK_E_NOTFOUND, program->name, name, "the program has no such output");
}

static stk_status check_size(const stk_program *program, const char *name,
                             const stk_tensor_type *type, size_t size, stk_error *err)
{
    char text[96];
    if (size == stk_type_bytes(type)) return STK_OK;
    return stk_fail(err, STK_E_SHAPE, program->name, name,
                    "%zu bytes given for %s%s, which has %zu", size, stk_dtype_name(type->dtype),
                    stk_shape_text(&type->shape, text, sizeof text), stk_type_bytes(type));
}

stk_status stk_program_feed(stk_program *program, const char *input, const void *data, size_t size,
                            stk_error *err)
{
    stk_symbol symbol = STK_NO_SYMBOL;
    STK_TRY(find_input(program, input, &symbol, err));
    const stk_tensor_type *type = &stk_graph_symbol_of(program->laid_out.graph, symbol)->type;
    STK_TRY(check_size(program, input, type, size, err));
    program->device->backend->upload(program->device, stk_program_address(program, symbol), data,
                                     size);
    return STK_OK;
}

stk_status stk_program_fetch(stk_program *program, const char *output, void *data, size_t size,
                             stk_error *err)
{
    stk_symbol symbol = STK_NO_SYMBOL;
    STK_TRY(find_output(program, output, &symbol, err));
    const stk_tensor_type *type = &stk_graph_symbol_of(program->laid_out.graph, symbol)->type;
    STK_TRY(check_size(program, output, type, size, err));
    if (program->device->backend->sync) program->device->backend->sync(program->device);
    program->device->backend->download(program->device, data, stk_program_address(program, symbol),
                                       size);
    return STK_OK;
}

stk_status stk_program_input_type(const stk_program *program, const char *input, stk_dtype *dtype,
                                  stk_shape *shape, stk_error *err)
{
    stk_symbol symbol = STK_NO_SYMBOL;
    STK_TRY(find_input(program, input, &symbol, err));
    *dtype = stk_symbol_dtype(program->laid_out.graph, symbol);
    *shape = stk_symbol_shape(program->laid_out.graph, symbol);
    return STK_OK;
}

stk_status stk_program_output_type(const stk_program *program, const char *output, stk_dtype *dtype,
                                   stk_shape *shape, stk_error *err)
{
    stk_symbol symbol = STK_NO_SYMBOL;
    STK_TRY(find_output(program, output, &symbol, err));
    *dtype = stk_symbol_dtype(program->laid_out.graph, symbol);
    *shape = stk_symbol_shape(program->laid_out.graph, symbol);
    return STK_OK;
}

static stk_status check_results(const stk_program *program, const stk_step *step, stk_error *err)
{
    const stk_kernel_call *call = &step->call;
    stk_device            *device = program->device;
    for (int o = 0; o < call->use.output_count; o++) {
        const stk_tensor_type *type = &call->use.out[o];
        size_t bytes = device->backend->format_bytes(device, type, call->out_format[o]);
        if (!call->out[o] || device->backend->finite(device, type, call->out[o], bytes)) continue;
        return stk_fail(err, STK_E_RANGE, step->op->name, call->use.name,
                        "result %d has elements that are not finite", o);
    }
    return STK_OK;
}

static stk_status run_step(stk_program *program, stk_step *step, stk_error *err)
{
    uint64_t   start = program->timing ? stk_clock_ns() : 0;
    stk_status st = step->kernel->run(&step->call, err);
    if (program->timing) {
        if (program->device->backend->sync) program->device->backend->sync(program->device);
        step->ticks_ns += stk_clock_ns() - start;
        step->runs++;
    }
    return st || !program->check ? st : check_results(program, step, err);
}

/* What spans tell of steps must outlive the program: the trace keeps a copy. */
static void describe_steps(stk_program *program, stk_trace_thread *thread)
{
    if (program->traced == thread->trace->number) return;
    program->traced = thread->trace->number;
    for (uint32_t i = 0; i < program->step_count; i++) {
        stk_step          *step = &program->steps[i];
        const stk_trace_op op = {.name = step->op->name,
                                 .layer = step->call.use.name,
                                 .kernel = step->kernel->name,
                                 .flops = step->cost.flops,
                                 .bytes = step->cost.bytes};
        if (!step->skip) step->traced = stk_trace_keep_op(thread, &op);
    }
}

/* One clock read an operation: each begins where the one before it ended. */
static stk_status run_traced(stk_program *program, stk_trace_thread *thread, stk_error *err)
{
    describe_steps(program, thread);
    uint64_t begin = stk_trace_now();
    for (uint32_t i = 0; i < program->step_count; i++) {
        stk_step *step = &program->steps[i];
        if (step->skip) continue;
        stk_trace_push_range(thread, step->op->name);
        const stk_status st = run_step(program, step, err);
        stk_trace_pop_range(thread);
        STK_TRY(st);
        if (step->traced)
            begin = stk_trace_record_op(thread, STK_STAGE_COMPUTE, step->traced, begin);
    }
    return STK_OK;
}

static stk_status run_plain(stk_program *program, stk_error *err)
{
    for (uint32_t i = 0; i < program->step_count; i++)
        if (!program->steps[i].skip) STK_TRY(run_step(program, &program->steps[i], err));
    return STK_OK;
}

stk_status stk_program_run(stk_program *program, stk_trace_thread *thread, stk_error *err)
{
    STK_TRY(thread ? run_traced(program, thread, err) : run_plain(program, err));
    for (size_t i = 0; i < program->plan.copy_count; i++) {
        const stk_plan_copy *copy = &program->plan.copies[i];
        stk_variable        *to = &program->variables->list[copy->variable];
        STK_TRY(program->device->backend->reorder(program->device, &to->type, to->format,
                                                  stk_program_address(program, copy->from),
                                                  to->format, to->data, err));
    }
    return STK_OK;
}

stk_memory_plan stk_program_memory(const stk_program *program)
{
    return program->plan.report;
}

size_t stk_program_step_count(const stk_program *program)
{
    return program->step_count;
}

stk_program_step stk_program_step_at(const stk_program *program, size_t index)
{
    const stk_step *step = &program->steps[index];
    const char     *detail = step->kernel->detail ? step->kernel->detail(&step->call) : NULL;
    return (stk_program_step){.operation = step->op->name,
                              .name = step->call.use.name,
                              .kernel = step->kernel->name,
                              .detail = detail ? detail : "",
                              .part = step->part,
                              .flops = step->cost.flops,
                              .bytes = step->cost.bytes,
                              .runs = step->runs,
                              .nanoseconds = step->ticks_ns};
}

void stk_program_time(stk_program *program, bool on)
{
    program->timing = on;
}
