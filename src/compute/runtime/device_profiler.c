/* Tags are consecutive numbers. A ring of entries maps the latest of them to instructions. */
#include "compute/runtime/device_profiler.h"
#include "base/clock.h"
#include "base/hash.h"
#include "compute/runtime/kernel_name.h"
#include "trace/recording.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 1 << 13, INTERNED = 1 << 12, STREAMS = 2 };

static const char *const stream_names[STREAMS] = {"compute", "copies"};

/* Owner of a tag. */
typedef struct entry {
    uint64_t            tag;
    stk_program        *program;     /* NULL: freed */
    stk_instruction    *instruction; /* NULL: a whole run */
    stk_instruction    *last;        /* of a group launched together */
    const stk_trace_op *op;          /* owned by the trace; NULL: not traced */
    bool                timed;
    uint32_t            activity_count; /* of a captured run: operations reported so far */
} entry;

struct stk_device_profiler {
    stk_device      *device;
    entry            entries[ENTRIES];
    uint64_t         tag; /* the last one issued */
    stk_device_times times;
    uint64_t         begin_ns; /* of the current run */

    uint64_t          trace; /* number of the attached trace; 0: none */
    stk_trace_thread *thread;
    stk_trace_thread *streams[STREAMS];
    uint64_t          last_ns[STREAMS];   /* end of the last span of each row */
    bool              tracing;            /* runs are being traced */
    bool kernels_traced, kernels_refused; /* single kernels are reported; the backend refused */
    bool has_notice;
    stk_error notice;
    struct {
        uint64_t            hash; /* 0: free */
        const stk_trace_op *op;
    } interned[INTERNED]; /* ops that the trace knows */
};

stk_status stk_device_profiler_new(stk_device *device, stk_error *err)
{
    device->profiler = NULL;
    if (!device->backend->push_tag) return STK_OK;
    stk_device_profiler *profiler = calloc(1, sizeof *profiler);
    if (!profiler)
        return stk_fail(err, STK_E_NOMEM, "backend", device->backend->name, "no memory to watch");
    profiler->device = device;
    profiler->times.known = true;
    device->profiler = profiler;
    return STK_OK;
}

void stk_device_profiler_free(stk_device *device)
{
    free(device->profiler);
    device->profiler = NULL;
}

bool stk_device_profiler_traces_kernels(const stk_device *device)
{
    return device->profiler && device->profiler->kernels_traced;
}

static entry *find(stk_device_profiler *p, uint64_t tag)
{
    entry *e = &p->entries[tag % ENTRIES];
    return tag && e->tag == tag && e->program ? e : NULL;
}

/* Timestamps converted between two clocks may overlap slightly; spans of a row must not. */
static void record_activity(stk_device_profiler *p, const stk_device_activity *a, stk_stage stage,
                            const stk_trace_op *op)
{
    uint64_t *last = &p->last_ns[a->on_copy_stream];
    uint64_t  begin = a->begin_ns > *last ? a->begin_ns : *last;
    uint64_t  end = a->end_ns > begin ? a->end_ns : begin;
    if (!p->streams[a->on_copy_stream] || !op || a->end_ns < p->thread->trace->begin.ns) return;
    stk_trace_record_device(p->streams[a->on_copy_stream], stage, op, begin, end, a->tag);
    *last = end;
}

/* Equal ops are interned once, since the trace's table only grows. */
static const stk_trace_op *intern_op(stk_device_profiler *p, const stk_trace_op *op)
{
    uint64_t hash = stk_hash64(0, op->name, strlen(op->name) + 1);
    hash = stk_hash64(hash, op->layer, strlen(op->layer) + 1);
    hash = stk_hash64(hash, op->kernel, strlen(op->kernel) + 1);
    hash = stk_hash64_number(hash, (uint64_t)op->bytes) | 1;
    if (!p->thread) return NULL;
    for (uint64_t i = 0, at = hash; i < INTERNED / 2; i++, at++) {
        const size_t slot = at % INTERNED;
        if (p->interned[slot].hash == hash) return p->interned[slot].op;
        if (p->interned[slot].hash) continue;
        p->interned[slot].op = stk_trace_intern_op(p->thread, op);
        p->interned[slot].hash = hash;
        return p->interned[slot].op;
    }
    return NULL;
}

static void time_instruction(stk_instruction *instruction, uint64_t ns)
{
    instruction->total_ns += ns;
    instruction->runs++;
}

static double bytes_of_entry(const entry *e)
{
    double bytes = 0;
    for (const stk_instruction *s = e->instruction; s <= e->last; s++)
        if (!s->skip) bytes += s->cost.bytes;
    return bytes;
}

static void time_instructions(const entry *e, uint64_t ns)
{
    const double all = bytes_of_entry(e);
    if (e->instruction == e->last || !(all > 0)) {
        time_instruction(e->instruction, ns);
        return;
    }
    for (stk_instruction *s = e->instruction; s <= e->last; s++)
        if (!s->skip) time_instruction(s, (uint64_t)((double)ns * s->cost.bytes / all));
}

static void handle_work(stk_device_profiler *p, entry *e, const stk_device_activity *a)
{
    const uint64_t ns = a->end_ns > a->begin_ns ? a->end_ns - a->begin_ns : 0;
    p->times.work_ns += ns;
    if (!e) return;
    if (e->instruction && e->timed) time_instructions(e, ns);
    if (!p->kernels_traced) record_activity(p, a, STK_STAGE_COMPUTE, e->op);
}

/* The instruction that device operation index of a captured run belongs to. */
static const stk_instruction *instruction_of(const stk_program *program, uint32_t index)
{
    uint32_t low = 0, high = program->instruction_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (program->instructions[middle].capture_end > index)
            high = middle;
        else
            low = middle + 1;
    }
    return low < program->instruction_count ? &program->instructions[low] : NULL;
}

/* Number of device operations of an instruction in a captured run. */
static uint32_t activities_of(const stk_program *program, const stk_instruction *instruction)
{
    return instruction->capture_end -
           (instruction == program->instructions ? 0 : instruction[-1].capture_end);
}

static void handle_kernel(stk_device_profiler *p, entry *e, const stk_device_activity *a)
{
    static const char *const names[] = {[STK_ACTIVITY_COPY_IN] = "Memcpy HtoD",
                                        [STK_ACTIVITY_COPY_OUT] = "Memcpy DtoH",
                                        [STK_ACTIVITY_COPY] = "Memcpy DtoD",
                                        [STK_ACTIVITY_FILL] = "Memset"};
    char                     name[STK_KERNEL_NAME];
    const stk_instruction   *instruction = e ? e->instruction : NULL;
    uint32_t                 kernel_count = a->kernels_of_tag;
    stk_trace_op             op = {.layer = "", .kernel = "", .bytes = (double)a->bytes};
    stk_stage                stage = STK_STAGE_COMPUTE;
    if (a->kind == STK_ACTIVITY_COPY_IN) stage = STK_STAGE_HOST_TO_DEVICE;
    if (a->kind == STK_ACTIVITY_COPY_OUT) stage = STK_STAGE_DEVICE_TO_HOST;
    if (stage == STK_STAGE_HOST_TO_DEVICE && a->end_ns > a->begin_ns)
        p->times.copy_ns += a->end_ns - a->begin_ns;
    if (!p->tracing) return;
    if (e && !instruction && e->program->capture) {
        instruction = instruction_of(e->program, e->activity_count++);
        kernel_count = instruction ? activities_of(e->program, instruction) : 0;
    }
    op.name =
        a->kind == STK_ACTIVITY_KERNEL ? stk_kernel_name_shorten(a->name, name) : names[a->kind];
    if (instruction) {
        op.layer = instruction->call.instance.name;
        op.kernel = instruction->op->name;
        if (a->kind == STK_ACTIVITY_KERNEL && kernel_count == 1 && !instruction->kernel->deferred) {
            op.flops = instruction->cost.flops;
            op.bytes = instruction->cost.bytes;
        }
    }
    record_activity(p, a, stage, intern_op(p, &op));
}

static void handle_activity(void *context, const stk_device_activity *activity)
{
    stk_device_profiler *p = context;
    entry               *e = find(p, activity->tag);
    if (activity->kind == STK_ACTIVITY_TAGGED_WORK)
        handle_work(p, e, activity);
    else
        handle_kernel(p, e, activity);
}

static void poll(stk_device_profiler *p, bool all)
{
    p->device->backend->poll_activity(p->device, all, handle_activity, p);
}

/* Gives a new trace rows for both streams. Without memory for a row its spans are dropped. */
static void attach_trace(stk_device_profiler *p, stk_trace_thread *thread)
{
    stk_error unasked;
    char      device[32];
    p->tracing = thread != NULL;
    if (!thread || p->trace == thread->trace->number) return;
    p->trace = thread->trace->number;
    p->thread = thread;
    memset(p->interned, 0, sizeof p->interned);
    snprintf(device, sizeof device, "%.20s:0", p->device->backend->name);
    for (int i = STREAMS - 1; i >= 0; i--) {
        p->last_ns[i] = 0;
        if (stk_trace_attach_device(thread->trace, device, stream_names[i], &p->streams[i],
                                    &unasked))
            p->streams[i] = NULL;
    }
}

/* A refusal is permanent, so tracing is requested once. */
static void set_kernel_tracing(stk_device_profiler *p, bool on)
{
    const stk_backend *backend = p->device->backend;
    if (on == p->kernels_traced || (on && p->kernels_refused)) return;
    if (!on) poll(p, true);
    stk_status st = backend->trace_kernels
                        ? backend->trace_kernels(p->device, on, &p->notice)
                        : stk_fail(&p->notice, STK_E_UNSUPPORTED, "trace", "level=3",
                                   "the backend %s does not report its kernels", backend->name);
    if (st) p->kernels_refused = p->has_notice = true;
    p->kernels_traced = on && !st;
}

void stk_device_profiler_begin_run(stk_program *program, stk_trace_thread *thread)
{
    stk_device_profiler *p = program->device->profiler;
    if (!p) return;
    poll(p, false);
    set_kernel_tracing(p, thread && stk_trace_get_level(thread->trace) >= STK_TRACE_KERNELS);
    attach_trace(p, thread);
    p->begin_ns = stk_clock_ns();
}

void stk_device_profiler_end_run(stk_program *program)
{
    stk_device_profiler *p = program->device->profiler;
    if (!p) return;
    p->times.launch_ns += stk_clock_ns() - p->begin_ns;
    p->times.runs++;
}

static const stk_trace_op *op_of_run(stk_device_profiler *p, const stk_program *program)
{
    const stk_trace_op op = {
        .name = program->name, .layer = "", .kernel = program->capture ? "captured" : ""};
    return p->tracing ? intern_op(p, &op) : NULL;
}

uint64_t stk_device_profiler_push_tag(stk_program *program, stk_instruction *instruction)
{
    stk_device_profiler *p = program->device->profiler;
    if (!p) return 0;
    const uint64_t tag = ++p->tag;
    p->entries[tag % ENTRIES] = (entry){
        .tag = tag,
        .program = program,
        .instruction = instruction,
        .last = instruction,
        .op = instruction ? (p->tracing ? instruction->trace_op : NULL) : op_of_run(p, program),
        .timed = program->timing};
    p->device->backend->push_tag(p->device, tag);
    return tag;
}

/* A group of instructions launched together is one device span. */
static const stk_trace_op *op_of_group(stk_device_profiler *p, const entry *e)
{
    char               layers[64];
    const stk_trace_op op = {.name = e->instruction->op->name,
                             .layer = layers,
                             .kernel = e->instruction->kernel->name,
                             .bytes = bytes_of_entry(e)};
    snprintf(layers, sizeof layers, "and %u more", (unsigned)(e->last - e->instruction));
    return p->tracing ? intern_op(p, &op) : NULL;
}

void stk_device_profiler_pop_tag(const stk_program *program, stk_instruction *last)
{
    stk_device_profiler *p = program->device->profiler;
    if (!p) return;
    entry *e = &p->entries[p->tag % ENTRIES];
    p->device->backend->pop_tag(p->device);
    e->last = last;
    if (e->instruction && last != e->instruction) e->op = op_of_group(p, e);
}

void stk_device_profiler_record_launch(stk_program *program, stk_trace_thread *thread,
                                       uint64_t begin, uint64_t tag)
{
    stk_device_profiler *p = program->device->profiler;
    const stk_trace_op  *op = p ? op_of_run(p, program) : NULL;
    if (op) (void)stk_trace_record_launch(thread, STK_STAGE_COMPUTE, op, begin, tag);
}

void stk_device_profiler_poll(stk_device *device, bool all)
{
    if (device->profiler) poll(device->profiler, all);
}

void stk_device_profiler_remove_program(stk_program *program)
{
    stk_device_profiler *p = program->device->profiler;
    if (!p) return;
    poll(p, true);
    for (size_t i = 0; i < ENTRIES; i++)
        if (p->entries[i].program == program) p->entries[i].program = NULL;
}

void stk_device_synchronize(stk_device *device)
{
    stk_device_profiler *p = device->profiler;
    if (!p) return;
    poll(p, true);
    set_kernel_tracing(p, false);
    p->tracing = false;
}

bool stk_device_notice(stk_device *device, stk_error *out)
{
    stk_device_profiler *p = device->profiler;
    if (!p || !p->has_notice) return false;
    *out = p->notice;
    p->has_notice = false;
    return true;
}

stk_device_times stk_device_read_times(const stk_device *device)
{
    return device->profiler ? device->profiler->times : (stk_device_times){0};
}
