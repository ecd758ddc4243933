/* Tags are numbers that count up; a ring remembers what the last ones were given to. */
#include "compute/runtime/device_profiler.h"
#include "base/clock.h"
#include "base/hash.h"
#include "compute/runtime/kernel_name.h"
#include "trace/recording.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 1 << 13, KEPT = 1 << 12, STREAMS = 2 };

static const char *const stream_names[STREAMS] = {"compute", "copies"};

/* What a tag was given to. */
typedef struct entry {
    uint64_t            tag;
    stk_program        *program; /* NULL: gone */
    stk_instruction    *step;    /* NULL: a whole run */
    stk_instruction    *last;    /* of those that were done together */
    const stk_trace_op *op;      /* as the trace keeps it; NULL: not traced */
    bool                timed;
    uint32_t            told; /* of a run that was recorded: what the device did for it so far */
} entry;

struct stk_device_profiler {
    stk_device      *device;
    entry            entries[ENTRIES];
    uint64_t         tag; /* the last one given */
    stk_device_times times;
    uint64_t         begin_ns; /* of the run now */

    uint64_t          trace; /* number of the one below; 0: none */
    stk_trace_thread *thread;
    stk_trace_thread *streams[STREAMS];
    uint64_t          last_ns[STREAMS]; /* the end of the last span there */
    bool              traced;           /* runs are, now */
    bool              kernels, refused; /* are told; could not be */
    bool              has_notice;
    stk_error         notice;
    struct {
        uint64_t            hash; /* 0: free */
        const stk_trace_op *op;
    } kept[KEPT]; /* kernels that the trace knows */
};

stk_status stk_device_profiler_new(stk_device *device, stk_error *err)
{
    device->watch = NULL;
    if (!device->backend->enter) return STK_OK;
    stk_device_profiler *watch = calloc(1, sizeof *watch);
    if (!watch)
        return stk_fail(err, STK_E_NOMEM, "backend", device->backend->name, "no memory to watch");
    watch->device = device;
    watch->times.known = true;
    device->watch = watch;
    return STK_OK;
}

void stk_device_profiler_free(stk_device *device)
{
    free(device->watch);
    device->watch = NULL;
}

bool stk_device_profiler_traces_kernels(const stk_device *device)
{
    return device->watch && device->watch->kernels;
}

static entry *find(stk_device_profiler *w, uint64_t tag)
{
    entry *e = &w->entries[tag % ENTRIES];
    return tag && e->tag == tag && e->program ? e : NULL;
}

/* Times of two clocks that were put together may overlap by a little; rows must not. */
static void put(stk_device_profiler *w, const stk_device_activity *a, stk_stage stage,
                const stk_trace_op *op)
{
    uint64_t *last = &w->last_ns[a->beside];
    uint64_t  begin = a->begin_ns > *last ? a->begin_ns : *last;
    uint64_t  end = a->end_ns > begin ? a->end_ns : begin;
    if (!w->streams[a->beside] || !op || a->end_ns < w->thread->trace->begin.ns) return;
    stk_trace_record_device(w->streams[a->beside], stage, op, begin, end, a->tag);
    *last = end;
}

/* The same text is kept once: the trace only grows. */
static const stk_trace_op *keep(stk_device_profiler *w, const stk_trace_op *op)
{
    uint64_t hash = stk_hash64(0, op->name, strlen(op->name) + 1);
    hash = stk_hash64(hash, op->layer, strlen(op->layer) + 1);
    hash = stk_hash64(hash, op->kernel, strlen(op->kernel) + 1);
    hash = stk_hash64_number(hash, (uint64_t)op->bytes) | 1;
    if (!w->thread) return NULL;
    for (uint64_t i = 0, at = hash; i < KEPT / 2; i++, at++) {
        const size_t slot = at % KEPT;
        if (w->kept[slot].hash == hash) return w->kept[slot].op;
        if (w->kept[slot].hash) continue;
        w->kept[slot].op = stk_trace_intern_op(w->thread, op);
        w->kept[slot].hash = hash;
        return w->kept[slot].op;
    }
    return NULL;
}

static void time_step(stk_instruction *step, uint64_t ns)
{
    step->ticks_ns += ns;
    step->runs++;
}

static double bytes_together(const entry *e)
{
    double bytes = 0;
    for (const stk_instruction *s = e->step; s <= e->last; s++)
        if (!s->skip) bytes += s->cost.bytes;
    return bytes;
}

static void time_steps(const entry *e, uint64_t ns)
{
    const double all = bytes_together(e);
    if (e->step == e->last || !(all > 0)) {
        time_step(e->step, ns);
        return;
    }
    for (stk_instruction *s = e->step; s <= e->last; s++)
        if (!s->skip) time_step(s, (uint64_t)((double)ns * s->cost.bytes / all));
}

static void hear_work(stk_device_profiler *w, entry *e, const stk_device_activity *a)
{
    const uint64_t ns = a->end_ns > a->begin_ns ? a->end_ns - a->begin_ns : 0;
    w->times.work_ns += ns;
    if (!e) return;
    if (e->step && e->timed) time_steps(e, ns);
    if (!w->kernels) put(w, a, STK_STAGE_COMPUTE, e->op);
}

/* The step that the number-th thing of a recorded run belongs to. */
static const stk_instruction *step_of(const stk_program *program, uint32_t number)
{
    uint32_t low = 0, high = program->step_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (program->steps[middle].recorded_end > number)
            high = middle;
        else
            low = middle + 1;
    }
    return low < program->step_count ? &program->steps[low] : NULL;
}

/* How many things the device does for a recorded step. */
static uint32_t parts_of(const stk_program *program, const stk_instruction *step)
{
    return step->recorded_end - (step == program->steps ? 0 : step[-1].recorded_end);
}

static void hear_kernel(stk_device_profiler *w, entry *e, const stk_device_activity *a)
{
    static const char *const names[] = {[STK_DID_COPY_IN] = "Memcpy HtoD",
                                        [STK_DID_COPY_OUT] = "Memcpy DtoH",
                                        [STK_DID_COPY] = "Memcpy DtoD",
                                        [STK_DID_FILL] = "Memset"};
    char                     name[STK_KERNEL_NAME];
    const stk_instruction   *step = e ? e->step : NULL;
    uint32_t                 among = a->among;
    stk_trace_op             op = {.layer = "", .kernel = "", .bytes = (double)a->bytes};
    stk_stage                stage = STK_STAGE_COMPUTE;
    if (a->did == STK_DID_COPY_IN) stage = STK_STAGE_HOST_TO_DEVICE;
    if (a->did == STK_DID_COPY_OUT) stage = STK_STAGE_DEVICE_TO_HOST;
    if (stage == STK_STAGE_HOST_TO_DEVICE && a->end_ns > a->begin_ns)
        w->times.copy_ns += a->end_ns - a->begin_ns;
    if (!w->traced) return;
    if (e && !step && e->program->recording) {
        step = step_of(e->program, e->told++);
        among = step ? parts_of(e->program, step) : 0;
    }
    op.name = a->did == STK_DID_KERNEL ? stk_kernel_name_shorten(a->name, name) : names[a->did];
    if (step) {
        op.layer = step->call.use.name;
        op.kernel = step->op->name;
        if (a->did == STK_DID_KERNEL && among == 1 && !step->kernel->gathers) {
            op.flops = step->cost.flops;
            op.bytes = step->cost.bytes;
        }
    }
    put(w, a, stage, keep(w, &op));
}

static void hear(void *context, const stk_device_activity *activity)
{
    stk_device_profiler *w = context;
    entry               *e = find(w, activity->tag);
    if (activity->did == STK_DID_WORK)
        hear_work(w, e, activity);
    else
        hear_kernel(w, e, activity);
}

static void tell(stk_device_profiler *w, bool all)
{
    w->device->backend->tell(w->device, all, hear, w);
}

/* A trace that comes gets rows for the streams; without memory for them it does without. */
static void follow(stk_device_profiler *w, stk_trace_thread *thread)
{
    stk_error unasked;
    char      device[32];
    w->traced = thread != NULL;
    if (!thread || w->trace == thread->trace->number) return;
    w->trace = thread->trace->number;
    w->thread = thread;
    memset(w->kept, 0, sizeof w->kept);
    snprintf(device, sizeof device, "%.20s:0", w->device->backend->name);
    for (int i = STREAMS - 1; i >= 0; i--) {
        w->last_ns[i] = 0;
        if (stk_trace_attach_device(thread->trace, device, stream_names[i], &w->streams[i],
                                    &unasked))
            w->streams[i] = NULL;
    }
}

/* Asked for once: what is not there now will not come later. */
static void want_kernels(stk_device_profiler *w, bool want)
{
    const stk_backend *backend = w->device->backend;
    if (want == w->kernels || (want && w->refused)) return;
    if (!want) tell(w, true);
    stk_status st = backend->tell_kernels
                        ? backend->tell_kernels(w->device, want, &w->notice)
                        : stk_fail(&w->notice, STK_E_UNSUPPORTED, "trace", "level=3",
                                   "the backend %s tells nothing of its kernels", backend->name);
    if (st) w->refused = w->has_notice = true;
    w->kernels = want && !st;
}

void stk_device_profiler_begin_run(stk_program *program, stk_trace_thread *thread)
{
    stk_device_profiler *w = program->device->watch;
    if (!w) return;
    tell(w, false);
    want_kernels(w, thread && stk_trace_get_level(thread->trace) >= STK_TRACE_KERNELS);
    follow(w, thread);
    w->begin_ns = stk_clock_ns();
}

void stk_device_profiler_end_run(stk_program *program)
{
    stk_device_profiler *w = program->device->watch;
    if (!w) return;
    w->times.launch_ns += stk_clock_ns() - w->begin_ns;
    w->times.runs++;
}

static const stk_trace_op *op_of_run(stk_device_profiler *w, const stk_program *program)
{
    const stk_trace_op op = {
        .name = program->name, .layer = "", .kernel = program->recording ? "recorded" : ""};
    return w->traced ? keep(w, &op) : NULL;
}

uint64_t stk_device_profiler_push_tag(stk_program *program, stk_instruction *step)
{
    stk_device_profiler *w = program->device->watch;
    if (!w) return 0;
    const uint64_t tag = ++w->tag;
    w->entries[tag % ENTRIES] =
        (entry){.tag = tag,
                .program = program,
                .step = step,
                .last = step,
                .op = step ? (w->traced ? step->traced : NULL) : op_of_run(w, program),
                .timed = program->timing};
    w->device->backend->enter(w->device, tag);
    return tag;
}

/* Steps that were done together are one span of the device. */
static const stk_trace_op *op_of_several(stk_device_profiler *w, const entry *e)
{
    char               layers[64];
    const stk_trace_op op = {.name = e->step->op->name,
                             .layer = layers,
                             .kernel = e->step->kernel->name,
                             .bytes = bytes_together(e)};
    snprintf(layers, sizeof layers, "and %u more", (unsigned)(e->last - e->step));
    return w->traced ? keep(w, &op) : NULL;
}

void stk_device_profiler_pop_tag(const stk_program *program, stk_instruction *last)
{
    stk_device_profiler *w = program->device->watch;
    if (!w) return;
    entry *e = &w->entries[w->tag % ENTRIES];
    w->device->backend->leave(w->device);
    e->last = last;
    if (e->step && last != e->step) e->op = op_of_several(w, e);
}

void stk_device_profiler_record_launch(stk_program *program, stk_trace_thread *thread,
                                       uint64_t begin, uint64_t tag)
{
    stk_device_profiler *w = program->device->watch;
    const stk_trace_op  *op = w ? op_of_run(w, program) : NULL;
    if (op) (void)stk_trace_record_launch(thread, STK_STAGE_COMPUTE, op, begin, tag);
}

void stk_device_profiler_poll(stk_device *device, bool all)
{
    if (device->watch) tell(device->watch, all);
}

void stk_device_profiler_forget(stk_program *program)
{
    stk_device_profiler *w = program->device->watch;
    if (!w) return;
    tell(w, true);
    for (size_t i = 0; i < ENTRIES; i++)
        if (w->entries[i].program == program) w->entries[i].program = NULL;
}

void stk_device_synchronize(stk_device *device)
{
    stk_device_profiler *w = device->watch;
    if (!w) return;
    tell(w, true);
    want_kernels(w, false);
    w->traced = false;
}

bool stk_device_notice(stk_device *device, stk_error *out)
{
    stk_device_profiler *w = device->watch;
    if (!w || !w->has_notice) return false;
    *out = w->notice;
    w->has_notice = false;
    return true;
}

stk_device_times stk_device_read_times(const stk_device *device)
{
    return device->watch ? device->watch->times : (stk_device_times){0};
}
