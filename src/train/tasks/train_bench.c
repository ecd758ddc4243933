/* Training steps without a run. */
#include "base/checked.h"
#include "train/input/resident.h"
#include "train/profile/observer.h"
#include <stdlib.h>
#include <stoker/presets.h>
#include <stoker/train_bench.h>
#include <string.h>

struct stk_train_bench {
    const stk_train_recipe *recipe;
    bool                    inference;
    stk_faults             *faults; /* NULL: none */
    stk_data_cache         *cache;  /* NULL: no data */
    stk_session            *session;
    stk_loader             *loader; /* NULL: no data */
    uint8_t                *images; /* generated, from the device's allocator */
    size_t                  image_bytes;
    stk_edit               *edits;  /* edits without effect, for steps that need some; else NULL */
    void                   *labels; /* int64, or probabilities */
    int64_t                 step;
    stk_meter              *meter;
    stk_observer           *observer;
    stk_trace              *trace;
    stk_trace_thread       *thread;
    void (*log)(void *context, const char *line); /* NULL: dropped */
    void                *log_context;
    bool                 measured;                 /* the current step is measured */
    stk_train_bench_part part;                     /* of the last step */
    uint64_t             device_ns, attributed_ns; /* as in a trainer */
    bool                 there;                    /* generated images were uploaded */
};

static int64_t rows_of(const stk_train_bench *b)
{
    return b->inference ? b->recipe->data.eval_batch : b->recipe->data.batch;
}

/* Non-zero numbers: some kernels are faster on zeros. */
static void fill(stk_train_bench *b, size_t bytes, bool soft)
{
    const int64_t classes = b->recipe->model.classes;
    uint64_t      number = 1;
    for (size_t i = 0; i < bytes; i++) {
        number = number * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
        b->images[i] = (uint8_t)(number >> 56);
    }
    for (int64_t i = 0; i < rows_of(b); i++)
        if (soft)
            ((float *)b->labels)[i * classes + i % classes] = 1;
        else
            ((int64_t *)b->labels)[i] = i % classes;
}

static stk_status generate(stk_train_bench *b, stk_error *err)
{
    const stk_train_recipe *r = b->recipe;
    const stk_preset       *preset = stk_preset_find(r->data.preset);
    const bool              soft = stk_loader_soft(r, b->inference);
    const size_t            side = (size_t)r->data.size, rows = (size_t)rows_of(b);
    size_t                  bytes = side * side * (preset ? (size_t)preset->channels : 3), labels;
    if (stk_mul_overflows(bytes, rows, &bytes) ||
        stk_mul_overflows(rows, (size_t)r->model.classes * sizeof(int64_t), &labels))
        return stk_fail(err, STK_E_LIMIT, "bench", "data.batch", "%zu images are too many", rows);
    const stk_allocator *kind = stk_device_host_memory(stk_session_device(b->session));
    b->images = kind ? kind->alloc(kind->context, bytes) : malloc(bytes);
    b->image_bytes = bytes;
    b->labels = calloc(1, soft ? labels : rows * sizeof(int64_t));
    if (!b->images || !b->labels)
        return stk_fail(err, STK_E_NOMEM, "bench", NULL, "no memory for a batch of %zu bytes",
                        bytes);
    fill(b, bytes, soft);
    return STK_OK;
}

static stk_loader_options loader_options(const stk_train_bench *b, const stk_train_data *data,
                                         const stk_train_bench_options *o)
{
    return (stk_loader_options){.recipe = b->recipe,
                                .data = data,
                                .resident = stk_session_resident(b->session, false),
                                .size = b->recipe->data.size,
                                .seed = (uint64_t)b->recipe->train.seed + 1,
                                .kept = stk_session_steps_in_flight(b->session) + 1,
                                .memory = stk_device_host_memory(stk_session_device(b->session)),
                                .device = stk_session_device(b->session),
                                .cancel = o->cancel,
                                .trace = o->trace,
                                .faults = b->faults,
                                .cache = b->cache,
                                .log = o->log,
                                .log_context = o->log_context};
}

/* Opened once residency is decided. */
static stk_status open_cache(stk_train_bench *b, const stk_train_data *data,
                             const stk_train_bench_options *o, stk_error *err)
{
    stk_train_recipe             recipe = *b->recipe;
    const stk_data_cache_options options = {.recipe = &recipe,
                                            .data = data,
                                            .faults = b->faults,
                                            .log = o->log,
                                            .log_context = o->log_context};
    recipe.data.resident =
        stk_session_resident(b->session, false) ? STK_RESIDENT_ON : STK_RESIDENT_OFF;
    return stk_data_cache_open(&b->cache, &options, err);
}

static stk_status open_loader(stk_train_bench *b, const stk_train_data *data,
                              const stk_train_bench_options *o, stk_error *err)
{
    if (!data) return STK_OK;
    STK_TRY(open_cache(b, data, o, err));
    const stk_loader_options options = loader_options(b, data, o);
    return stk_loader_open(&b->loader, &options, err);
}

static stk_status reside(stk_train_bench *b, const stk_train_data *data,
                         const stk_train_bench_options *o, stk_error *err)
{
    stk_loader_options options = loader_options(b, data, o);
    options.memory = NULL;
    options.kept = 0;
    return data && !b->inference ? stk_session_make_resident(b->session, &options, err) : STK_OK;
}

static stk_status generate_edits(stk_train_bench *b, stk_error *err)
{
    const stk_resident *resident = stk_session_resident(b->session, false);
    if (!resident && !stk_loader_mixes_on_device(b->recipe, b->inference, false) &&
        !stk_loader_paints_on_device(b->recipe, b->inference))
        return STK_OK;
    b->edits = calloc((size_t)rows_of(b), sizeof *b->edits);
    if (!b->edits) return stk_fail(err, STK_E_NOMEM, "bench", NULL, "no memory for edits");
    for (int64_t i = 0; i < rows_of(b); i++)
        b->edits[i] = stk_edit_none((int32_t)(resident ? i % resident->count : i));
    return STK_OK;
}

static stk_status open_all(stk_train_bench *b, const stk_train_data *data,
                           const stk_train_bench_options *o, stk_error *err)
{
    const int64_t size = b->recipe->data.size;
    STK_TRY(stk_trace_attach(o->trace, "bench", &b->thread, err));
    b->trace = o->trace;
    b->log = o->log;
    b->log_context = o->log_context;
    STK_TRY(stk_meter_new(&b->meter, &(stk_meter_options){.thread = b->thread, .trace = b->trace},
                          err));
    STK_TRY(stk_faults_open(&b->faults, o->inject, ".", err));
    STK_TRY(stk_session_open(&b->session, b->recipe, !b->inference, o->cancel, err));
    if (data) STK_TRY(stk_session_weigh(b->session, data, err));
    STK_TRY(generate(b, err));
    stk_session_inject(b->session, b->faults);
    STK_TRY(reside(b, data, o, err));
    STK_TRY(generate_edits(b, err));
    STK_TRY(b->inference ? stk_session_ready_evaluate(b->session, size, err)
                         : stk_session_ready(b->session, size, err));
    stk_session_drop_copies(b->session);
    const stk_observer_options observed = {.data = data,
                                           .recipe = b->recipe,
                                           .session = b->session,
                                           .meter = b->meter,
                                           .warm_up = STK_TRAIN_WARM_UP};
    STK_TRY(stk_observer_new(&b->observer, &observed, err));
    return open_loader(b, data, o, err);
}

stk_status stk_train_bench_open(stk_train_bench **out, const stk_train_recipe *recipe,
                                const stk_train_data *data, const stk_train_bench_options *options,
                                stk_error *err)
{
    static const stk_train_bench_options defaults = {0};
    *out = NULL;
    if (!options) options = &defaults;
    stk_train_bench *b = calloc(1, sizeof *b);
    if (!b) return stk_fail(err, STK_E_NOMEM, "bench", NULL, "no memory");
    b->recipe = recipe;
    b->inference = options->inference;
    stk_status st = open_all(b, data, options, err);
    if (st) {
        stk_train_bench_free(b);
        return st;
    }
    *out = b;
    return STK_OK;
}

static void free_images(stk_train_bench *b)
{
    if (!b->session) return;
    const stk_allocator *kind = stk_device_host_memory(stk_session_device(b->session));
    if (kind && b->images)
        kind->free(kind->context, b->images, b->image_bytes);
    else
        free(b->images);
}

void stk_train_bench_free(stk_train_bench *bench)
{
    if (!bench) return;
    stk_observer_free(bench->observer);
    stk_faults_hurry(bench->faults);
    stk_session_drain(bench->session);
    stk_loader_free(bench->loader);
    stk_data_cache_free(bench->cache);
    free_images(bench);
    stk_session_free(bench->session);
    stk_meter_free(bench->meter);
    stk_faults_free(bench->faults);
    free(bench->labels);
    free(bench->edits);
    free(bench);
}

/* As in training: with steps in flight, waits for an earlier one. */
static stk_status take_results(stk_train_bench *b, size_t left, stk_error *err)
{
    stk_instruction_result result;
    while (stk_session_under_way(b->session) > left) {
        STK_TRY(stk_session_result(b->session, b->measured ? b->meter : NULL, &result, err));
        b->device_ns = result.device_ns;
        b->attributed_ns += result.device_ns;
    }
    return STK_OK;
}

/* Logs once if a requested part of a trace is unavailable. */
static void log_notice(stk_train_bench *b)
{
    stk_error notice;
    char      line[640];
    if (b->log && stk_device_notice(stk_session_device(b->session), &notice))
        b->log(b->log_context, stk_error_line(&notice, line, sizeof line));
}

static stk_status compute(stk_train_bench *b, const stk_loader_batch *batch, stk_error *err)
{
    const stk_train_recipe *r = b->recipe;
    if (b->inference) return stk_session_evaluate(b->session, batch, r->data.size, NULL, err);
    const stk_instruction_input input = {.size = r->data.size,
                                         .meter = b->measured ? b->meter : NULL,
                                         .step = b->step,
                                         .now = {.momentum = r->train.momentum},
                                         .update = (b->step + 1) % r->train.accumulate == 0};
    b->step++;
    stk_trace_thread *thread = stk_trace_at(b->trace, b->thread, STK_TRACE_STAGES);
    STK_TRY(stk_session_step(b->session, batch, &input, b->measured ? thread : NULL, err));
    log_notice(b);
    return take_results(b, (size_t)stk_session_steps_in_flight(b->session), err);
}

/* Does what a run does after a step. */
static stk_status finish(stk_train_bench *b, stk_error *err)
{
    stk_meter *meter = b->measured ? b->meter : NULL;
    stk_meter_enter(meter, STK_STAGE_OUTPUT);
    if (stk_faults_call(b->faults)) stk_faults_work(b->faults);
    if (!stk_faults_write_due(b->faults, b->step)) return STK_OK;
    stk_meter_enter(meter, STK_STAGE_WRITE);
    return stk_faults_write(b->faults, err);
}

stk_status stk_train_bench_step(stk_train_bench *bench, stk_train_bench_part part, stk_error *err)
{
    const bool       there = stk_session_resident(bench->session, false) != NULL;
    stk_loader_batch batch = {rows_of(bench), there ? NULL : bench->images, bench->labels,
                              bench->edits};
    bench->measured = part == STK_TRAIN_BENCH_BOTH;
    if (part != bench->part) STK_TRY(take_results(bench, 0, err));
    bench->part = part;
    if (part != STK_TRAIN_BENCH_COMPUTE) {
        if (!bench->loader)
            return stk_fail(err, STK_E_INVALID, "bench", NULL, "it was opened without data");
        STK_TRY(stk_loader_next_measured(bench->loader, bench->measured ? bench->meter : NULL,
                                         &batch, err));
        if (!batch.rows)
            return stk_fail(err, STK_E_NOTFOUND, "bench", bench->recipe->data.path,
                            "the data gives no batch of %lld images", (long long)rows_of(bench));
    }
    if (part == STK_TRAIN_BENCH_INPUT) return STK_OK;
    STK_TRY(compute(bench, &batch, err));
    if (part == STK_TRAIN_BENCH_BOTH) STK_TRY(finish(bench, err));
    if (!bench->measured) return STK_OK;
    stk_meter_attribute(bench->meter, STK_STAGE_COMPUTE,
                        bench->attributed_ns ? bench->attributed_ns : bench->device_ns,
                        STK_STAGE_HOST_TO_DEVICE);
    bench->attributed_ns = 0;
    stk_meter_end_step(bench->meter, bench->step - 1, (uint32_t)rows_of(bench));
    stk_meter_leave(bench->meter); /* until the next measured step */
    stk_observer_step(bench->observer, bench->loader, bench->recipe->data.size);
    return STK_OK;
}

stk_status stk_train_bench_window(stk_train_bench *bench, int64_t steps, stk_error *err)
{
    if (!bench->there) STK_TRY(stk_train_bench_step(bench, STK_TRAIN_BENCH_COMPUTE, err));
    bench->there = true;
    return stk_session_repeat(bench->session, bench->recipe->data.size, steps, err);
}

stk_status stk_train_bench_profile(stk_train_bench *bench, stk_profile *out, stk_error *err)
{
    stk_device_synchronize(stk_session_device(bench->session));
    stk_observer_look(bench->observer, bench->loader, bench->recipe->data.size);
    STK_TRY(stk_observer_profile(bench->observer, out, err));
    if (bench->faults)
        stk_inject_text(&bench->faults->wanted, out->run.inject, sizeof out->run.inject);
    return STK_OK;
}

const char *stk_train_bench_cache(const stk_train_bench *bench)
{
    return bench->cache ? bench->cache->choice.why : "none: there is no data";
}

stk_meter *stk_train_bench_meter(stk_train_bench *bench)
{
    return bench->meter;
}

stk_program *stk_train_bench_program(stk_train_bench *bench)
{
    return stk_session_program(bench->session, bench->recipe->data.size);
}

const char *stk_train_bench_backend(const stk_train_bench *bench)
{
    return stk_device_name(stk_session_device(bench->session));
}

int stk_train_bench_threads(const stk_train_bench *bench)
{
    return stk_device_threads(stk_session_device(bench->session));
}
