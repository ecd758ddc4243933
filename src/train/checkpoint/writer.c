/* The writer's thread. There is one job, which is in one of two rings or held by the thread that
 * took it: idle (to be filled) or ready (to be written). The holder of the job owns everything that
 * is not atomic. So only rings and counters are shared, and a second snapshot waits without extra
 * memory.
 *
 * A model that cannot be written is owed: its snapshot stays in memory and is retried with every
 * job, until it is written or replaced by a newer one. Meanwhile a run must not lose the source of
 * a model it has recorded. The checkpoint of that step is therefore not removed, and if it was not
 * written, no other checkpoint is. */
#include "base/clock.h"
#include "base/ring.h"
#include "base/threads.h"
#include "train/checkpoint/checkpoint_snapshot.h"
#include "train/checkpoint/folder.h"
#include "train/checkpoint/job.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct stk_checkpoint_writer {
    stk_writer_options options; /* written before the thread starts */
    stk_ring          *idle, *ready;
    stk_thread         thread;
    stk_writer_job     job, owed; /* see above for ownership */
    bool               owed_kept; /* that step's checkpoint is on disk */
    int                failures;  /* since the last flush */
    stk_error          last;      /* the newest of them */
    _Atomic int64_t    written;
    _Atomic uint64_t   files, bytes, busy_ns, waited_ns;
    char               folder[];
};

/* Records count files as failed. */
static void note(stk_checkpoint_writer *writer, int count, const stk_error *why)
{
    if (!count) return;
    writer->failures += count;
    writer->last = *why;
    if (writer->options.failed) writer->options.failed(writer->options.context, why);
}

/* Models that fail stay in the job; returns the last failure. */
static stk_status write_models(const stk_checkpoint_writer *writer, stk_writer_job *job,
                               stk_error *err)
{
    const stk_filesystem *fs = writer->options.fs;
    const int             count = job->model_count;
    stk_status            st = STK_OK;
    job->model_count = 0;
    for (int i = 0; i < count; i++) {
        const char      *path = job->models[i];
        const stk_status now =
            stk_snapshot_write_model(job->snapshot, fs, path, job->prefix, job->metadata, err);
        if (!now) continue;
        job->models[job->model_count++] = path;
        st = now;
    }
    return st;
}

/* Takes models written by now, or replaced by newer ones, out of the failures. before: how many
 * were owed. */
static void forgive(stk_checkpoint_writer *writer, int before)
{
    const int paid = before - writer->owed.model_count;
    writer->failures -= paid < writer->failures ? paid : writer->failures;
}

static stk_status pay(stk_checkpoint_writer *writer, stk_error *err)
{
    const int        before = writer->owed.model_count;
    const stk_status st = write_models(writer, &writer->owed, err);
    forgive(writer, before);
    return st;
}

static stk_status write_checkpoint(stk_checkpoint_writer *writer, stk_error *err)
{
    const stk_writer_options *o = &writer->options;
    const stk_writer_job     *j = &writer->job;
    const stk_status          owed = pay(writer, err);
    if (owed && !writer->owed_kept) return owed;
    if (o->before) STK_TRY(o->before(o->context, j->ticket, err));
    STK_TRY(stk_snapshot_write(j->snapshot, o->fs, o->folder, owed ? INT64_MAX : o->keep, err));
    atomic_store(&writer->written, j->snapshot->state.step);
    return STK_OK;
}

static void owe(stk_checkpoint_writer *writer, bool kept)
{
    const stk_writer_job job = writer->job;
    if (writer->owed.model_count) return; /* the older model cannot be made from this checkpoint */
    writer->job = writer->owed;
    writer->owed = job;
    writer->owed_kept = kept;
}

/* Writes the checkpoint first: after a kill in between, the resumed run makes the models from
 * it. */
static void write_job(stk_checkpoint_writer *writer)
{
    stk_writer_job   *j = &writer->job;
    stk_trace_thread *trace =
        stk_trace_current_at(writer->options.trace, "checkpoint", STK_TRACE_STAGES);
    const uint64_t begin = stk_span_begin(trace);
    stk_error      err;
    atomic_fetch_add(&writer->files, (uint64_t)j->model_count + 1);
    atomic_fetch_add(&writer->bytes, stk_writer_job_bytes(j));
    const int owed = writer->owed.model_count;
    stk_writer_job_leave_to(&writer->owed, j);
    forgive(writer, owed);
    const stk_status st = write_checkpoint(writer, &err);
    note(writer, st != STK_OK, &err);
    if (write_models(writer, j, &err)) {
        note(writer, j->model_count, &err);
        owe(writer, !st);
    }
    stk_span_end(trace, STK_STAGE_WRITE, "write checkpoint", begin, 0);
}

static void *run(void *context)
{
    stk_checkpoint_writer *writer = context;
    void                  *taken;
    while (stk_ring_pop(writer->ready, &taken, NULL)) {
        const uint64_t begin = stk_clock_ns();
        write_job(writer);
        atomic_fetch_add(&writer->busy_ns, stk_clock_ns() - begin);
        (void)stk_ring_push(writer->idle, taken, NULL);
    }
    return NULL;
}

static stk_status start(stk_checkpoint_writer *writer, stk_error *err)
{
    const stk_writer_options *o = &writer->options;
    STK_TRY(stk_writer_job_init(&writer->job, o->ledger, err));
    STK_TRY(stk_writer_job_init(&writer->owed, o->ledger, err));
    STK_TRY(stk_checkpoint_sweep(o->fs, o->folder, err));
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
    writer->written = -1;
    const stk_status st = start(writer, err);
    if (st) {
        stk_checkpoint_writer_free(writer);
        return st;
    }
    *out = writer;
    return STK_OK;
}

stk_status stk_checkpoint_writer_put(stk_checkpoint_writer *writer, stk_variables *variables,
                                     const stk_run_state *state, const char *const *models,
                                     const char *prefix, const char *const *metadata,
                                     stk_error *err)
{
    stk_error unasked;
    void     *taken;
    if (!err) err = &unasked; /* helpers return the status it holds */
    const uint64_t begin = stk_clock_ns();
    (void)stk_ring_pop(writer->idle, &taken, NULL);
    atomic_fetch_add(&writer->waited_ns, stk_clock_ns() - begin);
    stk_writer_job  *job = taken;
    const stk_status st = stk_writer_job_fill(job, variables, state, models, prefix, metadata, err);
    if (!st && writer->options.ticket)
        job->ticket = writer->options.ticket(writer->options.context);
    (void)stk_ring_push(st ? writer->idle : writer->ready, taken, NULL);
    return st;
}

stk_status stk_checkpoint_writer_flush(stk_checkpoint_writer *writer, int *failures, stk_error *err)
{
    stk_error why;
    void     *taken;
    (void)stk_ring_pop(writer->idle, &taken, NULL);
    if (pay(writer, &why)) writer->last = why;
    const stk_status st = writer->failures ? writer->last.status : STK_OK;
    if (st && err) *err = writer->last;
    if (failures) *failures = writer->failures;
    writer->failures = 0;
    (void)stk_ring_push(writer->idle, taken, NULL);
    return st;
}

int64_t stk_checkpoint_writer_written(const stk_checkpoint_writer *writer)
{
    return atomic_load(&writer->written);
}

stk_writer_stats stk_checkpoint_writer_read(const stk_checkpoint_writer *writer)
{
    return (stk_writer_stats){.files = atomic_load(&writer->files),
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
    stk_writer_job_release(&writer->owed);
    stk_writer_job_release(&writer->job);
    free(writer);
}
