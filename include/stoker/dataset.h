/* stoker/dataset.h - describe an input pipeline.
 * A dataset is a plan: an immutable chain of operators. Building one reads no data. A stk_iterator
 * runs it; any number of iterators may share one. Sources make a dataset (dataset_sources.h);
 * operators (dataset_operators.h) put one on top of *data and replace *data by the result:
 *
 *     stk_dataset *data = NULL;
 *     STK_TRY(stk_dataset_tfrecord(&data, NULL, "train-*", NULL, err));
 *     STK_TRY(stk_dataset_shuffle(&data, 10000, NULL, err));
 *     STK_TRY(stk_dataset_batch(&data, 256, NULL, err));
 *
 * On failure *data is unchanged and still owned by the caller. */
#ifndef STOKER_DATASET_H
#define STOKER_DATASET_H

#include <stoker/blob.h>
#include <stoker/element.h>

STK_BEGIN_DECLS

enum { STK_CARDINALITY_INFINITE = -1, STK_CARDINALITY_UNKNOWN = -2 };

/* Number of elements of one epoch, or one of the values above. Runs nothing. */
STK_API int64_t stk_dataset_cardinality(const stk_dataset *data);

/* The known types and shapes of the elements. Borrowed for the lifetime of the dataset. */
STK_API const stk_element_spec *stk_dataset_spec(const stk_dataset *data);

/* A hash of the operators and their parameters; equal plans have equal fingerprints on every
 * machine. */
STK_API uint64_t stk_dataset_fingerprint(const stk_dataset *data);

/* Computes element index of one epoch alone (random access). Works where every operator below
 * allows it: range, tensors, slices, indexed sources; map, batch, take, skip, shard, zip,
 * concatenate, enumerate. Otherwise STK_E_UNSUPPORTED names the operator. An index past the end is
 * STK_E_RANGE. */
STK_API STK_NODISCARD stk_status stk_dataset_at(const stk_dataset *data, uint64_t index,
                                                stk_element **out, stk_error *err);

/* Optimisation passes over the plan. None changes values or order. */
typedef enum stk_pass {
    STK_PASS_NOOP = 1,          /* drop take(-1), skip(0), repeat(1), shard(1, 0), identity maps */
    STK_PASS_MAP_FUSION = 2,    /* map, map: one operator */
    STK_PASS_FILTER_FUSION = 4, /* filter, filter: one operator */
    STK_PASS_MAP_FILTER = 8,    /* map and filter: one operator */
    STK_PASS_MAP_BATCH = 16,    /* map, batch: elements are computed into their batch */
    STK_PASS_SHUFFLE_REPEAT = 32, /* shuffle, repeat: the next epoch fills the buffer early */
    STK_PASS_PARALLEL_BATCH = 64, /* batches over 1 MiB are copied by several threads */
    STK_PASS_PREFETCH = 128,      /* the last operator runs ahead of the consumer */
    STK_PASS_IO_PREFETCH = 256,   /* blocking sources run ahead on the I/O engine */
    STK_PASS_CACHE = 512,         /* repeated data that fits is cached in memory */
    STK_PASS_IMAGE = 1024,        /* decode, crop, resize, flip, cast of one image: one pass */
    STK_PASS_ALL = 2047
} stk_pass;

/* "noop", "map_fusion", ...: a literal; NULL for an unknown pass. */
STK_API const char *stk_pass_name(stk_pass pass);

/* Appends the plan to out, a line per operator, source first. With passes, appends the plan after
 * each pass that changed it, under the name of the pass. */
STK_API STK_NODISCARD stk_status stk_dataset_explain(stk_dataset *data, unsigned passes,
                                                     stk_blob *out, stk_error *err);

/* A probable mistake in a plan, and its fix. */
typedef struct stk_warning {
    const char *rule;         /* a literal: "shuffle_after_batch" */
    char        stage[64];    /* the operator concerned */
    char        message[320]; /* what is wrong and what to write instead */
} stk_warning;

/* Writes up to capacity warnings; *count is the number found. ranks: processes that share the data
 * (0 or 1: one). */
STK_API STK_NODISCARD stk_status stk_dataset_lint(const stk_dataset *data, int ranks,
                                                  stk_warning *warnings, size_t capacity,
                                                  size_t *count, stk_error *err);

STK_END_DECLS
#endif
