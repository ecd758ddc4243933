/* The statistics of one portion of a data set: a file, or a range of items. Portions are inspected
 * in parallel and merged in order, so results do not depend on the number of threads. */
#ifndef STK_STORAGE_INSPECT_INSPECT_PART_H
#define STK_STORAGE_INSPECT_INSPECT_PART_H

#include "storage/inspect/inspect_features.h"

typedef struct stk_inspect_part {
    stk_inspect_schema schema;
    uint64_t           records, records_read, not_examples;
    uint64_t           min_record_bytes, max_record_bytes, total_record_bytes;
    uint64_t           bad_count;
    stk_inspect_bad   *bad; /* the first of them */
    size_t             bad_kept, bad_capacity;
    char             **first; /* first records as text */
    size_t             first_count;
    stk_compression    compression;
} stk_inspect_part;

void stk_inspect_part_init(stk_inspect_part *part, const stk_inspect_options *options);
void stk_inspect_part_release(stk_inspect_part *part);

/* Counts a record that was read. */
void stk_inspect_part_add_size(stk_inspect_part *part, uint64_t bytes);

/* Counts a bad record and keeps it up to the limit. */
STK_NODISCARD stk_status stk_inspect_part_add_bad(stk_inspect_part          *part,
                                                  const stk_inspect_options *options,
                                                  const char *path, uint64_t record,
                                                  uint64_t offset, const stk_error *reason,
                                                  stk_error *err);

/* Describes a record for the list of first ones, unless that is full. */
STK_NODISCARD stk_status stk_inspect_part_add_first(stk_inspect_part          *part,
                                                    const stk_inspect_options *options,
                                                    const char *title, stk_inspect_values *values,
                                                    stk_error *err);

/* Appends the content of other to part. */
STK_NODISCARD stk_status stk_inspect_part_merge(stk_inspect_part *part, stk_inspect_part *other,
                                                const stk_inspect_options *options, stk_error *err);

/* Whether an error concerns one record or file, not the whole run. */
bool stk_inspect_is_damage(stk_status status);

/* The portions to inspect. */
typedef struct stk_inspect_work {
    uint64_t                   portions;
    const stk_inspect_options *options;
    int                        threads; /* in all, at least 1 */
    /* Fills part. worker is below threads; calls with the same one do not overlap. */
    stk_status (*scan)(void *context, uint64_t portion, int worker, stk_inspect_part *part,
                       stk_error *err);
    /* In order, after the portion was merged; may be NULL. */
    void (*merged)(void *context, uint64_t portion, const stk_inspect_part *part);
    void *context;
} stk_inspect_work;

/* Inspects all portions and merges them into total. Returns the first failure, in order. */
STK_NODISCARD stk_status stk_inspect_run(const stk_inspect_work *work, stk_inspect_part *total,
                                         stk_error *err);

/* Progress of the run, summed over threads and reported now and then. */
typedef struct stk_inspect_meter {
    const stk_inspect_options *options;
    uint64_t                   done; /* atomic */
    uint64_t                   total;
    uint64_t                   told_ns; /* atomic: time of the last report */
    int                        telling; /* atomic: one thread at a time */
} stk_inspect_meter;

void stk_inspect_meter_add(stk_inspect_meter *meter, uint64_t bytes);

#endif
