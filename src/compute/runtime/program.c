/* Execution of programs: addresses, feeds, runs with and without capture, fetches. */
#include "base/clock.h"
#include "compute/runtime/device.h"
#include "compute/runtime/device_profiler.h"
#include "compute/runtime/program_internal.h"
#include "trace/recording.h"
#include <string.h>

void *stk_program_address(const stk_program *program, stk_symbol symbol)
{
    const stk_allocation *allocation = &program->buffers.allocation[symbol.id];
    switch (allocation->kind) {
    case STK_ALLOCATION_ARENA:
        return program->arena + allocation->offset;
    case STK_ALLOCATION_VARIABLE:
        return program->variables->list[allocation->offset].data;
    case STK_ALLOCATION_CONSTANT:
        return program->constants[symbol.id];
    default:
        return NULL;
    }
}

void stk_program_bind(stk_program *program)
{
    const stk_graph *g = program->layout.graph;
    for (uint32_t n = 0; n < g->node_count; n++) {
        const stk_graph_node *node = &g->nodes[n];
        stk_instruction      *instruction = &program->instructions[n];
        void **in = (void **)instruction->call.in, **out = (void **)instruction->call.out;
        for (int i = 0; i < node->input_count; i++)
            in[i] = stk_program_address(program, node->in[i]);
        for (int o = 0; o < node->output_count; o++)
            out[o] = stk_program_address(program, node->out[o]);
        instruction->call.scratch = program->arena + program->buffers.scratch[n];
        instruction->skip = (node->op->traits & STK_OP_VIEW) && in[0] == out[0];
    }
}

stk_status stk_program_bind_ports(stk_program *program, stk_error *err)
{
    const stk_graph *g = program->layout.graph;
    size_t           inputs = 0;
    for (uint32_t i = 1; i < g->symbol_count; i++)
        inputs += g->symbols[i].role == STK_SYMBOL_INPUT;
    stk_program_port *ports =
        stk_arena_array(&program->memory, inputs + g->output_count + 1, sizeof *ports, err);
    if (!ports) return STK_E_NOMEM;
    program->inputs = ports;
    for (uint32_t i = 1; i < g->symbol_count; i++)
        if (g->symbols[i].role == STK_SYMBOL_INPUT)
            program->inputs[program->input_count++] =
                (stk_program_port){g->symbols[i].name, {i}, stk_type_bytes(&g->symbols[i].type)};
    program->outputs = ports + inputs;
    for (uint32_t i = 0; i < g->output_count; i++)
        program->outputs[program->output_count++] =
            (stk_program_port){g->outputs[i].name, g->outputs[i].symbol,
                               stk_type_bytes(&stk_graph_symbol_of(g, g->outputs[i].symbol)->type)};
    return STK_OK;
}

static size_t find_port(const stk_program_port *ports, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(ports[i].name, name) == 0) return i;
    return SIZE_MAX;
}

size_t stk_program_find_input(const stk_program *program, const char *name)
{
    return find_port(program->inputs, program->input_count, name);
}

size_t stk_program_find_output(const stk_program *program, const char *name)
{
    return find_port(program->outputs, program->output_count, name);
}

static stk_status no_input(const stk_program *program, const char *name, stk_error *err)
{
    return stk_fail(err, STK_E_NOTFOUND, program->name, name, "the program has no such input");
}

static stk_status no_output(const stk_program *program, const char *name, stk_error *err)
{
    return stk_fail(err, STK_E_NOTFOUND, program->name, name, "the program has no such output");
}

static stk_status check_size(const stk_program *program, const stk_program_port *port, size_t size,
                             stk_error *err)
{
    char text[96];
    if (size == port->bytes) return STK_OK;
    const stk_tensor_type *type = &stk_graph_symbol_of(program->layout.graph, port->symbol)->type;
    return stk_fail(err, STK_E_SHAPE, program->name, port->name,
                    "%zu bytes given for %s%s, which has %zu", size, stk_dtype_name(type->dtype),
                    stk_shape_text(&type->shape, text, sizeof text), port->bytes);
}

stk_status stk_program_feed_at(stk_program *program, size_t input, const void *data, size_t size,
                               bool async, stk_error *err)
{
    if (input >= program->input_count) return no_input(program, NULL, err);
    const stk_program_port *port = &program->inputs[input];
    STK_TRY(check_size(program, port, size, err));
    const stk_backend *backend = program->device->backend;
    void              *to = stk_program_address(program, port->symbol);
    if (backend->upload_async)
        return backend->upload_async(program->device, to, data, size, async, err);
    backend->upload(program->device, to, data, size);
    return STK_OK;
}

static stk_status feed_input(stk_program *program, const char *input, const void *data, size_t size,
                             bool async, stk_error *err)
{
    const size_t index = stk_program_find_input(program, input);
    return index == SIZE_MAX ? no_input(program, input, err)
                             : stk_program_feed_at(program, index, data, size, async, err);
}

stk_status stk_program_feed(stk_program *program, const char *input, const void *data, size_t size,
                            stk_error *err)
{
    return feed_input(program, input, data, size, false, err);
}

stk_status stk_program_feed_async(stk_program *program, const char *input, const void *data,
                                  size_t size, stk_error *err)
{
    return feed_input(program, input, data, size, true, err);
}

stk_status stk_program_output_at(const stk_program *program, size_t output, size_t size,
                                 const void **address, stk_error *err)
{
    if (output >= program->output_count) return no_output(program, NULL, err);
    const stk_program_port *port = &program->outputs[output];
    STK_TRY(check_size(program, port, size, err));
    *address = stk_program_address(program, port->symbol);
    return STK_OK;
}

stk_status stk_program_output(const stk_program *program, const char *output, size_t size,
                              const void **address, stk_error *err)
{
    const size_t index = stk_program_find_output(program, output);
    return index == SIZE_MAX ? no_output(program, output, err)
                             : stk_program_output_at(program, index, size, address, err);
}

stk_status stk_program_fetch(stk_program *program, const char *output, void *data, size_t size,
                             stk_error *err)
{
    const void *from = NULL;
    STK_TRY(stk_program_output(program, output, size, &from, err));
    program->device->backend->download(program->device, data, from, size);
    return stk_device_sync(program->device, err);
}

stk_status stk_program_input_type(const stk_program *program, const char *input, stk_dtype *dtype,
                                  stk_shape *shape, stk_error *err)
{
    const size_t index = stk_program_find_input(program, input);
    if (index == SIZE_MAX) return no_input(program, input, err);
    const stk_symbol symbol = program->inputs[index].symbol;
    *dtype = stk_symbol_dtype(program->layout.graph, symbol);
    *shape = stk_symbol_shape(program->layout.graph, symbol);
    return STK_OK;
}

stk_status stk_program_output_type(const stk_program *program, const char *output, stk_dtype *dtype,
                                   stk_shape *shape, stk_error *err)
{
    const size_t index = stk_program_find_output(program, output);
    if (index == SIZE_MAX) return no_output(program, output, err);
    const stk_symbol symbol = program->outputs[index].symbol;
    *dtype = stk_symbol_dtype(program->layout.graph, symbol);
    *shape = stk_symbol_shape(program->layout.graph, symbol);
    return STK_OK;
}

static stk_status check_results(const stk_program *program, const stk_instruction *instruction,
                                stk_error *err)
{
    const stk_kernel_call *call = &instruction->call;
    stk_device            *device = program->device;
    for (int o = 0; o < call->instance.output_count; o++) {
        const stk_tensor_type *type = &call->instance.out[o];
        size_t bytes = device->backend->format_bytes(device, type, call->out_format[o]);
        if (!call->out[o] || device->backend->finite(device, type, call->out[o], bytes)) continue;
        return stk_fail(err, STK_E_RANGE, instruction->op->name, call->instance.name,
                        "result %d has elements that are not finite", o);
    }
    return STK_OK;
}

/* Launches deferred calls and closes the tag that they were recorded under. */
static stk_status flush(stk_program *program, stk_error *err)
{
    const stk_backend *backend = program->device->backend;
    const stk_status   st = backend->flush ? backend->flush(program->device, err) : STK_OK;
    if (program->deferred) stk_device_profiler_pop_tag(program, program->deferred);
    program->deferred = NULL;
    return st;
}

/* An asynchronous device is timed by events in its stream, without waiting. Deferred instructions
 * are launched as one group under the tag of the first. */
static stk_status run_instruction(stk_program *program, stk_instruction *instruction, bool watched,
                                  uint64_t *tag, stk_error *err)
{
    const bool     waits = program->timing && !program->device->profiler;
    const uint64_t start = waits ? stk_clock_ns() : 0;
    if (!instruction->kernel->deferred) STK_TRY(flush(program, err));
    *tag = watched && !program->deferred ? stk_device_profiler_push_tag(program, instruction) : 0;
    stk_status st = instruction->kernel->run(&instruction->call, err);
    if (watched && instruction->kernel->deferred)
        program->deferred = instruction;
    else if (watched)
        stk_device_profiler_pop_tag(program, instruction);
    if (waits) {
        STK_TRY(stk_device_sync(program->device, err));
        instruction->total_ns += stk_clock_ns() - start;
        instruction->runs++;
    }
    if (st || !program->check) return st;
    STK_TRY(flush(program, err));
    return check_results(program, instruction, err);
}

/* Descriptions of instructions must outlive the program, so the trace interns them. */
static void describe_instructions(stk_program *program, stk_trace_thread *thread)
{
    if (program->trace_number == thread->trace->number) return;
    program->trace_number = thread->trace->number;
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        stk_instruction   *instruction = &program->instructions[i];
        const stk_trace_op op = {.name = instruction->op->name,
                                 .layer = instruction->call.instance.name,
                                 .kernel = instruction->kernel->name,
                                 .flops = instruction->cost.flops,
                                 .bytes = instruction->cost.bytes};
        if (!instruction->skip) instruction->trace_op = stk_trace_intern_op(thread, &op);
    }
}

static uint64_t record_span(stk_trace_thread *thread, const stk_instruction *instruction,
                            uint64_t begin, uint64_t tag)
{
    if (!instruction->trace_op) return begin;
    return tag ? stk_trace_record_launch(thread, STK_STAGE_COMPUTE, instruction->trace_op, begin,
                                         tag)
               : stk_trace_record_op(thread, STK_STAGE_COMPUTE, instruction->trace_op, begin);
}

/* One clock read per operation: each span begins where the previous one ended. */
static stk_status run_traced(stk_program *program, stk_trace_thread *thread, stk_error *err)
{
    uint64_t begin = stk_trace_now(), tag = 0;
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        stk_instruction *instruction = &program->instructions[i];
        if (instruction->skip) continue;
        stk_trace_push_range(thread, instruction->op->name);
        const stk_status st = run_instruction(program, instruction, true, &tag, err);
        stk_trace_pop_range(thread);
        STK_TRY(st);
        begin = record_span(thread, instruction, begin, tag);
    }
    return STK_OK;
}

static stk_status run_plain(stk_program *program, stk_error *err)
{
    uint64_t unused;
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        stk_instruction *instruction = &program->instructions[i];
        if (!instruction->skip)
            STK_TRY(run_instruction(program, instruction, program->timing, &unused, err));
    }
    return STK_OK;
}

/* Copies assigned values that were computed elsewhere into their variables. */
static stk_status copy_assigned(stk_program *program, stk_error *err)
{
    for (size_t i = 0; i < program->buffers.copy_count; i++) {
        const stk_buffer_assignment_copy *copy = &program->buffers.copies[i];
        stk_variable                     *to = &program->variables->list[copy->variable];
        STK_TRY(program->device->backend->reorder(program->device, &to->type, to->format,
                                                  stk_program_address(program, copy->from),
                                                  to->format, to->data, err));
    }
    return STK_OK;
}

/* Each instruction has its own tag if it is timed or traced, else the run has one. Deferred calls
 * are flushed even after an error, since their memory may be freed later. */
static stk_status run_uncaptured(stk_program *program, stk_trace_thread *ops, stk_error *err)
{
    const bool one_tag = !ops && !program->timing;
    stk_error  unasked;
    if (one_tag) (void)stk_device_profiler_push_tag(program, NULL);
    stk_status st = ops ? run_traced(program, ops, err) : run_plain(program, err);
    stk_status flushed = flush(program, st ? &unasked : err);
    if (!st) st = flushed;
    if (!st) st = copy_assigned(program, err);
    if (one_tag) stk_device_profiler_pop_tag(program, NULL);
    return st;
}

/* Operations of an instruction are contiguous in the capture. Deferred calls count for the last
 * deferred instruction. */
static stk_status capture_instructions(stk_program *program, stk_error *err)
{
    const stk_backend *backend = program->device->backend;
    uint64_t           unused;
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        stk_instruction *instruction = &program->instructions[i];
        if (!instruction->kernel->deferred) STK_TRY(flush(program, err));
        if (i && backend->capture_size)
            instruction[-1].capture_end = (uint32_t)backend->capture_size(program->device);
        if (!instruction->skip) STK_TRY(run_instruction(program, instruction, false, &unused, err));
    }
    STK_TRY(flush(program, err));
    if (program->instruction_count && backend->capture_size)
        program->instructions[program->instruction_count - 1].capture_end =
            (uint32_t)backend->capture_size(program->device);
    return copy_assigned(program, err);
}

static void drop_capture(stk_program *program)
{
    program->device->backend->capture_free(program->device, program->capture);
    program->capture = NULL;
}

/* A capture whose instructions failed is still instantiated by the device. It is dropped, or the
 * next run would launch a part of the program and succeed. */
static stk_status capture_run(stk_program *program, stk_error *err)
{
    const stk_backend *backend = program->device->backend;
    stk_error          unasked;
    STK_TRY(backend->capture_begin(program->device, err));
    stk_status st = capture_instructions(program, err);
    if (st && backend->flush) (void)!backend->flush(program->device, &unasked);
    stk_status ended =
        backend->capture_end(program->device, &program->capture, st ? &unasked : err);
    if (st && program->capture) drop_capture(program);
    return st ? st : ended;
}

/* The host's launch is a span of its own, linked to the device's work by tag. */
static stk_status launch_capture(stk_program *program, stk_trace_thread *thread, stk_error *err)
{
    const uint64_t begin = stk_span_begin(thread);
    if (thread) stk_trace_push_range(thread, program->name);
    const uint64_t   tag = stk_device_profiler_push_tag(program, NULL);
    const stk_status st =
        program->device->backend->capture_launch(program->device, program->capture, err);
    stk_device_profiler_pop_tag(program, NULL);
    if (!thread) return st;
    stk_trace_pop_range(thread);
    stk_device_profiler_record_launch(program, thread, begin, tag);
    return st;
}

/* Libraries initialize themselves in the first run of a kernel, which must not be captured. */
static stk_status run_captured(stk_program *program, stk_trace_thread *thread, stk_error *err)
{
    if (!program->ran_once) {
        const stk_status st = run_uncaptured(program, NULL, err);
        program->ran_once = !st;
        return st;
    }
    const bool capture_traced = stk_device_profiler_traces_kernels(program->device);
    if (program->capture && capture_traced && !program->capture_traced)
        drop_capture(program); /* its kernels would not be reported */
    program->capture_traced = capture_traced || (program->capture && program->capture_traced);
    if (!program->capture) STK_TRY(capture_run(program, err));
    return launch_capture(program, thread, err);
}

/* Separate launches are slower than a captured run, so only the first runs are timed. */
static bool is_timed_run(stk_program *program)
{
    enum { TIMED_RUNS = 32 };
    if (!program->timing) return false;
    return !program->device->backend->capture_begin || program->timed_runs++ < TIMED_RUNS;
}

static stk_status run(stk_program *program, stk_trace_thread *thread, stk_error *err)
{
    const stk_trace_level level = thread ? stk_trace_get_level(thread->trace) : STK_TRACE_OFF;
    const bool            kernels = stk_device_profiler_traces_kernels(program->device);
    const bool            timed = is_timed_run(program);
    stk_trace_thread     *ops = level >= STK_TRACE_OPS ? thread : NULL;
    const bool uncaptured = (ops && !kernels) || timed || program->check || program->eager;
    if (ops) describe_instructions(program, ops);
    if (program->device->backend->capture_begin && !uncaptured)
        return run_captured(program, thread, err);
    return run_uncaptured(program, ops, err);
}

stk_status stk_program_run(stk_program *program, stk_trace_thread *thread, stk_error *err)
{
    stk_device_profiler_begin_run(program, thread);
    const stk_status st = run(program, thread, err);
    stk_device_profiler_end_run(program);
    return st;
}

stk_memory_plan stk_program_memory(const stk_program *program)
{
    return program->buffers.report;
}

size_t stk_program_instruction_count(const stk_program *program)
{
    return program->instruction_count;
}

stk_program_instruction stk_program_instruction_at(const stk_program *program, size_t index)
{
    const stk_instruction *instruction = &program->instructions[index];
    if (index == 0 && program->timing) stk_device_profiler_poll(program->device, false);
    const char *detail =
        instruction->kernel->detail ? instruction->kernel->detail(&instruction->call) : NULL;
    return (stk_program_instruction){.operation = instruction->op->name,
                                     .name = instruction->call.instance.name,
                                     .kernel = instruction->kernel->name,
                                     .detail = detail ? detail : "",
                                     .phase = instruction->phase,
                                     .flops = instruction->cost.flops,
                                     .bytes = instruction->cost.bytes,
                                     .runs = instruction->runs,
                                     .nanoseconds = instruction->total_ns};
}

void stk_program_time(stk_program *program, bool on)
{
    if (program->timing && !on) stk_device_profiler_poll(program->device, true);
    if (!program->timing && on) program->timed_runs = 0;
    program->timing = on;
}
