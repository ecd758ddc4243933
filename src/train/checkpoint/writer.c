/* The writer's thread. There is one job, which is in one of two rings or with who took it from
 * there: idle, waiting to be filled, or ready, waiting to be written. So nothing is shared but the
 * rings and the counters, and a second snapshot waits without any more memory. */
#include "base/arena.h"
#include "base/clock.h"
#include "base/ring.h"
#include "base/threads.h"
#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/folder.h"
#include "train/checkpoint/snapshot.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    stk_snapshot *snapshot;
    stk_arena     texts; /* what the three below lead to */
    const char   *models[STK_WRITER_MODELS];
    int           model_count; /* 0: only a checkpoint */
    const char   *prefix;
    const char  **metadata;
    int           failures; /* since the last flush */
    stk_error     last;     /* of those */
} job;

struct stk_checkpoint_writer {
    stk_writer_options options; /* written before the thread starts */
    stk_ring          *idle, *ready;
    stk_thread         thread;
    job                job; /* whose it is: see above */
    _Atomic uint64_t   files, bytes, busy_ns, waited_ns;
    char               folder[];
};

static void note(stk_checkpoint_writer *writer, stk_status st, const stk_error *why)
{
    if (!st) return;
    writer->job.failures++;
    writer->job.last = *why;
    if (writer->options.failed) writer->options.failed(writer->options.context, why);
}

static uint64_t model_bytes(const stk_snapshot *snapshot)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < stk_snapshot_count(snapshot); i++) {
        const stk_snapshot_entry *entry = stk_snapshot_at(snapshot, i);
        if (entry->role == STK_VARIABLE_PARAMETER || entry->role == STK_VARIABLE_STATISTIC)
            bytes += entry->bytes;
    }
    return bytes;
}

/* Content only: headers are small beside it. */
static void account(stk_checkpoint_writer *writer, uint64_t ns)
{
    const job     *j = &writer->job;
    const uint64_t models = (uint64_t)j->model_count;
    const uint64_t model = models ? models * model_bytes(j->snapshot) : 0;
    atomic_fetch_add(&writer->files, models + 1);
    atomic_fetch_add(&writer->bytes,
                     j->snapshot->data.size + j->snapshot->state.input.size + model);
    atomic_fetch_add(&writer->busy_ns, ns);
}

/* The model first: a process killed in between repeats the step, and the model's file is then
 * written again; the other way round the checkpoint would tell of a best model that is not there.
 */
static void write_job(stk_checkpoint_writer *writer)
{
    const stk_writer_options *o = &writer->options;
    const job                *j = &writer->job;
    stk_trace_thread         *trace = stk_trace_here(o->trace, "checkpoint", STK_TRACE_STAGES);
    const uint64_t            begin = stk_span_begin(trace);
    stk_error                 err;
    for (int i = 0; i < j->model_count; i++)
        note(writer,
             stk_snapshot_write_model(j->snapshot, o->fs, j->models[i], j->prefix, j->metadata,
                                      &err),
             &err);
    note(writer, stk_snapshot_write(j->snapshot, o->fs, o->folder, o->keep, &err), &err);
    stk_span_end(trace, STK_STAGE_WRITE, "write checkpoint", begin, 0);
}

static void *run(void *context)
{
    stk_checkpoint_writer *writer = context;
    void                  *taken;
    while (stk_ring_pop(writer->ready, &taken, NULL)) {
        const uint64_t begin = stk_clock_ns();
        write_job(writer);
        account(writer, stk_clock_ns() - begin);
        (void)stk_ring_push(writer->idle, taken, NULL);
    }
    return NULL;
}

static stk_status start(stk_checkpoint_writer *writer, stk_error *err)
{
    const stk_writer_options *o = &writer->options;
    STK_TRY(stk_checkpoint_sweep(o->fs, o->folder, err));
    STK_TRY(stk_snapshot_new(&writer->job.snapshot, o->ledger, err));
    STK_TRY(stk_ring_new(&writer->idle, 1, err));
    STK_TRY(stk_ring_new(&writer->ready, 1, err));
    (void)stk_ring_try_push(writer->idle, &writer->job);
    return stk_thread_start(&writer->thread, "checkpoint", run, writer, err);
}

stk_status stk_checkpoint_writer_start(stk_checkpoint_writer   **out,
                                       const stk_writer_options *options, stk_error *err)
{
    const size_t           length = strlen(options->folder);
    stk_checkpoint_writer *writer = calloc(1, sizeof *writer + length + 1);
    *out = NULL;
    if (!writer)
        return stk_fail(err, STK_E_NOMEM, "checkpoint", options->folder, "no memory for a writer");
    memcpy(writer->folder, options->folder, length + 1);
    writer->options = *options;
    writer->options.folder = writer->folder;
    stk_arena_init(&writer->job.texts, options->ledger, STK_MEMORY_OUTPUT);
    const stk_status st = start(writer, err);
    if (st) {
        stk_checkpoint_writer_free(writer);
        return st;
    }
    *out = writer;
    return STK_OK;
}

static stk_status copy_text(job *j, const char *text, const char **copy, stk_error *err)
{
    *copy = NULL;
    if (!text) return STK_OK;
    *copy = stk_arena_text(&j->texts, text, strlen(text), err);
    return *copy ? STK_OK : err->status;
}

static stk_status copy_metadata(job *j, const char *const *metadata, stk_error *err)
{
    size_t count = 0;
    while (metadata && metadata[count])
        count += 2;
    j->metadata = stk_arena_array(&j->texts, count + 1, sizeof *j->metadata, err);
    if (!j->metadata) return err->status;
    for (size_t i = 0; i < count; i++)
        STK_TRY(copy_text(j, metadata[i], &j->metadata[i], err));
    j->metadata[count] = NULL;
    return STK_OK;
}

static stk_status fill(job *j, stk_variables *variables, const stk_run_state *state,
                       const char *const *models, const char *prefix, const char *const *metadata,
                       stk_error *err)
{
    stk_arena_release(&j->texts);
    for (j->model_count = 0; models && j->model_count < STK_WRITER_MODELS; j->model_count++) {
        if (!models[j->model_count]) break;
        STK_TRY(copy_text(j, models[j->model_count], &j->models[j->model_count], err));
    }
    STK_TRY(copy_text(j, prefix, &j->prefix, err));
    STK_TRY(copy_metadata(j, metadata, err));
    return stk_snapshot_take(j->snapshot, variables, state, err);
}

stk_status stk_checkpoint_writer_put(stk_checkpoint_writer *writer, stk_variables *variables,
                                     const stk_run_state *state, const char *const *models,
                                     const char *prefix, const char *const *metadata,
                                     stk_error *err)
{
    stk_error unasked;
    void     *taken;
    if (!err) err = &unasked; /* helpers pass on the status it holds */
    const uint64_t begin = stk_clock_ns();
    (void)stk_ring_pop(writer->idle, &taken, NULL);
    atomic_fetch_add(&writer->waited_ns, stk_clock_ns() - begin);
    const stk_status st = fill(taken, variables, state, models, prefix, metadata, err);
    (void)stk_ring_push(st ? writer->idle : writer->ready, taken, NULL);
    return st;
}

stk_status stk_checkpoint_writer_flush(stk_checkpoint_writer *writer, int *failures, stk_error *err)
{
    void *taken;
    (void)stk_ring_pop(writer->idle, &taken, NULL);
    job             *j = taken;
    const stk_status st = j->failures ? j->last.status : STK_OK;
    if (st && err) *err = j->last;
    if (failures) *failures = j->failures;
    j->failures = 0;
    (void)stk_ring_push(writer->idle, taken, NULL);
    return st;
}

stk_writer_account stk_checkpoint_writer_read(const stk_checkpoint_writer *writer)
{
    return (stk_writer_account){.files = atomic_load(&writer->files),
                                .bytes = atomic_load(&writer->bytes),
                                .busy_ns = atomic_load(&writer->busy_ns),
                                .waited_ns = atomic_load(&writer->waited_ns)};
}

void stk_checkpoint_writer_free(stk_checkpoint_writer *writer)
{
    if (!writer) return;
    if (writer->ready) stk_ring_close(writer->ready);
    stk_thread_join(&writer->thread);
    stk_ring_free(writer->ready);
    stk_ring_free(writer->idle);
    stk_arena_release(&writer->job.texts);
    stk_snapshot_free(writer->job.snapshot);
    free(writer);
}
