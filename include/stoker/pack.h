/* stoker/pack.h - any source to sharded TFRecords, resumable.
 * The work happens in "OUT.partial"; the folder OUT appears, whole, at the end. A run that was
 * killed is continued by the next one with the same source and options: finished shards are kept,
 * and the result has the same bytes as one uninterrupted run, on any number of threads. */
#ifndef STOKER_PACK_H
#define STOKER_PACK_H

#include <stdbool.h>
#include <stoker/source.h>
#include <stoker/tfrecord.h>
#include <stoker/trace.h>

STK_BEGIN_DECLS

typedef struct stk_pack_split {
    const char *name;
    double      fraction; /* of the source's items; all together 1 */
} stk_pack_split;

typedef struct stk_pack_progress {
    uint64_t items_done, items_total;
    uint64_t bytes_done, bytes_total; /* of source content */
} stk_pack_progress;

typedef struct stk_pack_options {
    const char     *name;        /* of the data set; NULL means OUT's last component */
    uint64_t        shard_bytes; /* aimed at; 0 means 100 MB (10^8) */
    stk_compression compression; /* of the shards; AUTO means none */
    bool            keep_order;  /* else shuffled once over the whole split, by seed */
    uint64_t        seed;
    /* Splits the source anew; with none the source's own splits are kept. */
    const stk_pack_split *splits;
    size_t                split_count;
    int                   threads;    /* 0 means one per allowed core */
    bool                  restart;    /* throw away an unfinished run of other content */
    const stk_filesystem *filesystem; /* where OUT is; NULL means the local one */
    stk_ledger           *ledger;     /* NULL makes one with the default ceiling */
    const stk_cancel     *cancel;
    stk_trace            *trace;
    /* Called on the calling thread, at most about ten times a second. */
    void (*progress)(void *context, const stk_pack_progress *progress);
    void *progress_context;
} stk_pack_options;

typedef struct stk_pack_result {
    uint64_t items, shards;
    uint64_t bytes_in, bytes_out;
    uint64_t shards_kept; /* found finished from an earlier run */
    uint64_t splits;
    bool     already_done; /* OUT held the result of the same pack: nothing was written */
} stk_pack_result;

/* Packs every item of source into the folder out_path. An existing folder that is neither empty nor
 * the same pack is STK_E_EXISTS; an unfinished run of other content is STK_E_EXISTS unless restart,
 * which throws away what a pack wrote and nothing else. An empty folder becomes "OUT.partial" until
 * the end. What shows in the listing already (an image of no bytes, a split of no items, a class
 * name with a line break) fails before anything is written. After a failure finished shards stay in
 * "OUT.partial" for the next run. */
STK_API STK_NODISCARD stk_status stk_pack(const stk_source *source, const char *out_path,
                                          const stk_pack_options *options, stk_pack_result *result,
                                          stk_error *err);

STK_END_DECLS
#endif
