/* The work of a pack. A chunk is a run of items of one shard: a pool's tasks read, convert and
 * frame chunks into memory in any order, the calling thread writes them in the plan's order and
 * reads too while it would wait. */
#include "storage/pack/pack_write.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/thread_pool.h"
#include "storage/pack/pack_bad.h"
#include "storage/pack/pack_item.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    CHUNK_BYTES = 256 << 10, /* large enough for one write, small enough for L2 */
    CHUNK_ITEMS = 512,
    CHUNKS_PER_WORKER = 4,            /* so that a slow read does not stop the others */
    FRAME_OVERHEAD = 256,             /* of a record, mostly enough */
    LARGEST_FIRST = 64 << 20,         /* a listing may claim more; that much is believed at once */
    BYTES_KEPT_MIN = 2 * CHUNK_BYTES, /* of a chunk's memory, for the next one */
    LARGEST_GROWING = 1 << 30,        /* no image has more */
    RAW_GROWTH = 24,                  /* of a photo that is stored as pixels */
    CONVERTING = 32                   /* times an image's bytes, while it is converted */
};

typedef struct worker {
    stk_packer packer;
} worker;

typedef struct packing packing;

typedef struct chunk {
    stk_task       task;
    packing       *of;
    size_t         shard;
    uint64_t       first, count; /* a run of the plan's order */
    stk_blob       frames;
    stk_blob       bad;            /* lines */
    uint64_t       bytes;          /* of source content, as the listing has it */
    uint64_t       expected_bytes; /* that the chunk will take, more or less */
    bool           last;           /* of its shard */
    stk_pack_tally tally;
    stk_status     status;
    stk_error      error;
} chunk;

struct packing {
    const stk_source       *source;
    const stk_pack_plan    *plan;
    char *const            *paths;
    const bool             *finished;
    const stk_pack_options *options;
    stk_thread_pool        *pool;
    worker                 *workers; /* each touched by the thread of its number only */
    int                     worker_count;
    chunk                  *chunks; /* a ring: chunk n of the run is chunks[n % depth] */
    size_t                  depth;
    uint64_t                growth;                  /* of an item's bytes, more or less */
    uint64_t                cut, submitted, written; /* numbers of chunks */
    uint64_t in_flight, bytes_in_flight_max;         /* expected bytes of submitted, unwritten
                                                        chunks */
    uint64_t             bytes_kept_max; /* by a written chunk, so that memory is not paged anew */
    size_t               next_shard;     /* start of the next chunk */
    uint64_t             next_item;      /* within it */
    stk_tfrecord_writer *writer;
    stk_blob             bad; /* lines of the shard being written */
    stk_pack_tally      *tally;
    stk_pack_progress    progress;
    uint64_t             reported_ns;
};

/* Of the thread that writes. */
static stk_trace_thread *recorder(const packing *p)
{
    return stk_trace_current_at(p->options->trace, "pack writer", STK_TRACE_STAGES);
}

/* The worker's own things are made on its own thread, at its first task. */
static stk_status prepare_worker(packing *p, worker *w, stk_error *err)
{
    if (w->packer.cursor) return STK_OK;
    stk_packer_release(&w->packer);
    return stk_packer_init(&w->packer, p->source, p->plan, p->options, err);
}

/* Reserves the whole chunk at once: growing buffers are copied, and take half as much again. */
static stk_status wait_for_memory(packing *p, chunk *c, stk_error *err)
{
    const uint64_t expected_bytes = c->expected_bytes + c->count * FRAME_OVERHEAD;
    if (expected_bytes > p->bytes_in_flight_max || expected_bytes > LARGEST_FIRST)
        return STK_OK;                /* only what is needed */
    if (p->growth > 1) return STK_OK; /* a guess */
    return stk_blob_reserve_exact(&c->frames, (size_t)expected_bytes, err);
}

static void fill_chunk(stk_task *task, int number)
{
    chunk   *c = (chunk *)task; /* task is its first member */
    packing *p = c->of;
    worker  *w = &p->workers[number];
    char     name[32];
    snprintf(name, sizeof name, "pack worker %d", number);
    stk_trace_thread *trace = stk_trace_current_at(p->options->trace, name, STK_TRACE_STAGES);
    const uint64_t    begin = stk_span_begin(trace);
    c->status = prepare_worker(p, w, &c->error);
    if (!c->status) c->status = wait_for_memory(p, c, &c->error);
    for (uint64_t i = 0; !c->status && i < c->count; i++) {
        c->status = stk_cancel_check(p->options->cancel, "pack", &c->error);
        if (!c->status)
            c->status =
                stk_packer_add(&w->packer, p->plan->order[c->first + i], p->options,
                               p->paths[c->shard], &c->frames, &c->bad, &c->tally, &c->error);
    }
    stk_span_end(trace, STK_STAGE_READ, "read and frame", begin, c->count);
}

/* Cuts the next chunk off the plan into c; false when all of the plan is cut. */
static bool cut_chunk(packing *p, chunk *c)
{
    const stk_pack_plan *plan = p->plan;
    while (p->next_shard < plan->shard_count && p->finished[p->next_shard])
        p->next_shard++;
    if (p->next_shard == plan->shard_count) return false;
    const stk_pack_shard *shard = &plan->shards[p->next_shard];
    c->shard = p->next_shard;
    c->first = shard->first + p->next_item;
    c->count = 0;
    c->bytes = c->expected_bytes = 0;
    c->frames.size = c->bad.size = 0;
    c->tally = (stk_pack_tally){0};
    for (; c->expected_bytes < CHUNK_BYTES && c->count < CHUNK_ITEMS && p->next_item < shard->count;
         c->count++, p->next_item++) {
        stk_source_item item;
        stk_source_item_at(p->source, plan->order[c->first + c->count], &item);
        c->bytes += item.bytes;
        c->expected_bytes += item.bytes < LARGEST_GROWING ? item.bytes * p->growth : item.bytes;
    }
    c->last = p->next_item == shard->count;
    if (c->last) {
        p->next_shard++;
        p->next_item = 0;
    }
    return true;
}

/* As many chunks as memory allows, but at least one: larger records pass one by one. */
static void submit_chunks(packing *p)
{
    while (p->submitted - p->written < p->depth) {
        chunk *c = &p->chunks[p->submitted % p->depth];
        if (p->cut == p->submitted) {
            if (!cut_chunk(p, c)) return;
            p->cut++;
        }
        if (p->in_flight && p->in_flight + c->expected_bytes > p->bytes_in_flight_max) return;
        p->in_flight += c->expected_bytes;
        stk_thread_pool_submit(p->pool, &c->task);
        p->submitted++;
    }
}

static void report(packing *p, bool always)
{
    const uint64_t now = stk_clock_ns();
    if (!p->options->progress || (!always && now - p->reported_ns < 100000000)) return;
    p->reported_ns = now;
    p->options->progress(p->options->progress_context, &p->progress);
}

static stk_status write_chunk(packing *p, const chunk *c, stk_error *err)
{
    stk_trace_thread          *trace = recorder(p);
    const uint64_t             begin = stk_span_begin(trace);
    const stk_tfrecord_options options = {.compression = p->options->compression,
                                          .ledger = p->options->ledger};
    if (!p->writer)
        STK_TRY(stk_tfrecord_writer_open(&p->writer, p->options->filesystem, p->paths[c->shard],
                                         &options, err));
    STK_TRY(stk_tfrecord_writer_write_framed(p->writer, stk_blob_bytes(&c->frames), err));
    STK_TRY(stk_blob_append(&p->bad, c->bad.data, c->bad.size, err));
    stk_span_end(trace, STK_STAGE_WRITE, "write", begin, c->frames.size);
    if (!c->last) return STK_OK;
    const uint64_t commit = stk_span_begin(trace);
    if (p->bad.size)
        STK_TRY(stk_pack_bad_note(p->paths[c->shard], stk_blob_bytes(&p->bad),
                                  p->options->filesystem, err));
    p->bad.size = 0;
    STK_TRY(stk_tfrecord_writer_commit(p->writer, err));
    stk_span_end(trace, STK_STAGE_WRITE, "commit shard", commit, c->shard);
    stk_tfrecord_writer_free(p->writer);
    p->writer = NULL;
    return STK_OK;
}

static void add_tally(stk_pack_tally *all, const stk_pack_tally *one)
{
    all->bytes_in += one->bytes_in;
    all->bytes_out += one->bytes_out;
    all->seekable += one->seekable;
    all->encoded += one->encoded;
    all->converted += one->converted;
}

static stk_status run(packing *p, stk_error *err)
{
    submit_chunks(p);
    while (p->written < p->submitted) {
        chunk *c = &p->chunks[p->written % p->depth];
        stk_thread_pool_wait(p->pool, &c->task);
        if (c->status) {
            *err = c->error;
            return c->status;
        }
        STK_TRY(write_chunk(p, c, err));
        p->written++;
        p->in_flight -= c->expected_bytes;
        if (c->frames.capacity > p->bytes_kept_max) stk_blob_release(&c->frames);
        add_tally(p->tally, &c->tally);
        p->progress.items_done += c->count;
        p->progress.bytes_done += c->bytes;
        report(p, false);
        submit_chunks(p);
    }
    report(p, true);
    return STK_OK;
}

/* Half of what is left below the ceiling is for chunks, the other half for the readers, each of
 * which holds a record and what it takes to convert it. */
static uint64_t half_of_memory(const packing *p)
{
    stk_ledger_report memory;
    stk_ledger_read(p->options->ledger, &memory);
    return (memory.ceiling_bytes - memory.bytes) / 2;
}

static int choose_threads(const packing *p)
{
    const int      asked = p->options->threads > 0 ? p->options->threads : stk_limits_cores();
    const uint64_t expected_bytes =
        half_of_memory(p) / (p->plan->schema.changes ? 1 + CONVERTING : 1);
    const uint64_t fit = p->plan->largest ? expected_bytes / p->plan->largest : UINT64_MAX;
    if (fit >= (uint64_t)asked) return asked;
    return fit ? (int)fit : 1;
}

static void choose_depth(packing *p)
{
    const uint64_t expected_bytes = half_of_memory(p);
    p->bytes_in_flight_max = expected_bytes / 2;
    p->depth = (size_t)p->worker_count * CHUNKS_PER_WORKER;
    if (expected_bytes / BYTES_KEPT_MIN < p->depth)
        p->depth = (size_t)(expected_bytes / BYTES_KEPT_MIN);
    if (!p->depth) p->depth = 1;
    p->bytes_kept_max = p->bytes_in_flight_max / p->depth;
    if (p->bytes_kept_max < BYTES_KEPT_MIN) p->bytes_kept_max = BYTES_KEPT_MIN;
}

static stk_status start(packing *p, stk_error *err)
{
    STK_TRY(stk_thread_pool_start(&p->pool, choose_threads(p) - 1, "stoker-pack", err));
    p->worker_count = stk_thread_pool_workers(p->pool);
    p->workers = calloc((size_t)p->worker_count, sizeof *p->workers);
    choose_depth(p);
    p->chunks = calloc(p->depth, sizeof *p->chunks);
    if (!p->workers || !p->chunks)
        return stk_fail(err, STK_E_NOMEM, "pack", NULL, "no memory for %zu chunks", p->depth);
    for (size_t i = 0; i < p->depth; i++) {
        p->chunks[i].task.run = fill_chunk;
        p->chunks[i].of = p;
        stk_blob_init(&p->chunks[i].frames, p->options->ledger, STK_MEMORY_OUTPUT);
        stk_blob_init(&p->chunks[i].bad, p->options->ledger, STK_MEMORY_OUTPUT);
    }
    (void)recorder(p); /* this thread works on chunks, too: its row is the writer's */
    return STK_OK;
}

/* Tasks still in flight use the chunks, so they end first. */
static void stop(packing *p)
{
    for (uint64_t n = p->written; p->pool && n < p->submitted; n++)
        stk_thread_pool_wait(p->pool, &p->chunks[n % p->depth].task);
    stk_thread_pool_free(p->pool);
    stk_tfrecord_writer_free(p->writer);
    for (size_t i = 0; p->chunks && i < p->depth; i++) {
        stk_blob_release(&p->chunks[i].frames);
        stk_blob_release(&p->chunks[i].bad);
    }
    for (int i = 0; p->workers && i < p->worker_count; i++)
        stk_packer_release(&p->workers[i].packer);
    stk_blob_release(&p->bad);
    free(p->chunks);
    free(p->workers);
}

stk_status stk_pack_write(const stk_source *source, const stk_pack_plan *plan, char *const *paths,
                          const bool *finished, const stk_pack_options *options,
                          stk_pack_tally *tally, stk_error *err)
{
    const bool raw =
        options->images.format == STK_PACK_RAW || options->images.format == STK_PACK_AUTO;
    packing p = {.source = source,
                 .plan = plan,
                 .paths = paths,
                 .finished = finished,
                 .options = options,
                 .growth = raw && plan->schema.changes ? RAW_GROWTH : 1,
                 .tally = tally,
                 .progress = {.items_total = plan->count, .bytes_total = plan->bytes}};
    for (size_t i = 0; i < plan->shard_count; i++)
        if (finished[i]) {
            p.progress.items_done += plan->shards[i].count;
            p.progress.bytes_done += plan->shards[i].bytes;
        }
    stk_blob_init(&p.bad, options->ledger, STK_MEMORY_OUTPUT);
    stk_status st = start(&p, err);
    if (!st) st = run(&p, err);
    stop(&p);
    return st;
}
