/* stoker/dataset_operators.h - operators on datasets. Each call replaces *data by a dataset that
 * ends in the new operator and owns the former one. On failure *data is unchanged. Options may be
 * NULL. docs/pipeline.md has a page on each operator, with its cost and determinism. */
#ifndef STOKER_DATASET_OPERATORS_H
#define STOKER_DATASET_OPERATORS_H

#include <stoker/dataset.h>
#include <stoker/filesystem.h>
#include <stoker/function.h>

STK_BEGIN_DECLS

/* Order of the results of an operator. */
typedef enum stk_order {
    STK_ORDER_DEFAULT, /* the pipeline's option: exact if not set */
    STK_ORDER_EXACT,
    STK_ORDER_RELAXED /* the same elements in the order of completion */
} stk_order;

enum { STK_AUTO = -1 };

typedef struct stk_map_options {
    int64_t   parallel; /* max concurrent calls; 0 or STK_AUTO: tuned; 1: sequential */
    stk_order order;
} stk_map_options;

/* Calls function on every element. A failed call is the error of that element; iteration continues
 * after it. */
STK_API STK_NODISCARD stk_status stk_dataset_map(stk_dataset **data, stk_function *function,
                                                 const stk_map_options *options, stk_error *err);
/* Keeps the elements for which function (a predicate) returns true. */
STK_API STK_NODISCARD stk_status stk_dataset_filter(stk_dataset **data, stk_function *function,
                                                    stk_error *err);
/* Concatenates the datasets that function (expand) makes, one per element. */
STK_API STK_NODISCARD stk_status stk_dataset_flat_map(stk_dataset **data, stk_function *function,
                                                      stk_error *err);

typedef struct stk_interleave_options {
    int64_t   cycle;    /* datasets open at a time; 0 or STK_AUTO: chosen by cores */
    int64_t   block;    /* consecutive elements of one dataset; 0 means 1 */
    int64_t   parallel; /* 0: sequential; STK_AUTO or n: open datasets run ahead */
    stk_order order;
} stk_interleave_options;

STK_API STK_NODISCARD stk_status stk_dataset_interleave(stk_dataset **data, stk_function *function,
                                                        const stk_interleave_options *options,
                                                        stk_error                    *err);

typedef struct stk_batch_options {
    bool drop_remainder;
} stk_batch_options;

/* Stacks size elements of equal shapes into one. */
STK_API STK_NODISCARD stk_status stk_dataset_batch(stk_dataset **data, int64_t size,
                                                   const stk_batch_options *options,
                                                   stk_error               *err);

typedef struct stk_padded_batch_options {
    bool             drop_remainder;
    const stk_shape *shapes;      /* one per value; -1: the maximum of the batch. NULL: all -1 */
    const stk_value *padding;     /* one scalar per value, of its type; NULL: 0 and "" */
    size_t           value_count; /* of both arrays */
} stk_padded_batch_options;

STK_API STK_NODISCARD stk_status stk_dataset_padded_batch(stk_dataset **data, int64_t size,
                                                          const stk_padded_batch_options *options,
                                                          stk_error                      *err);
/* Batches elements of different leading dimensions as ragged values. */
STK_API STK_NODISCARD stk_status stk_dataset_ragged_batch(stk_dataset **data, int64_t size,
                                                          const stk_batch_options *options,
                                                          stk_error               *err);
/* Batches dense elements of one value as sparse values of row_shape (-1: the maximum of the batch).
 */
STK_API STK_NODISCARD stk_status stk_dataset_sparse_batch(stk_dataset **data, int64_t size,
                                                          const stk_shape *row_shape,
                                                          stk_error       *err);
STK_API STK_NODISCARD stk_status stk_dataset_unbatch(stk_dataset **data, stk_error *err);
/* Splits and joins batches to the given sizes, used in turn; size 0 makes an empty batch. */
STK_API STK_NODISCARD stk_status stk_dataset_rebatch(stk_dataset **data, const int64_t *sizes,
                                                     size_t count, const stk_batch_options *options,
                                                     stk_error *err);

typedef struct stk_window_options {
    int64_t shift;  /* from the start of one to the start of the next; 0 or STK_AUTO: size */
    int64_t stride; /* in elements, within a window */
    bool    drop_remainder;
} stk_window_options;

/* Windows of size elements, each a dataset. options NULL: shift is size, stride 1. */
STK_API STK_NODISCARD stk_status stk_dataset_window(stk_dataset **data, int64_t size,
                                                    const stk_window_options *options,
                                                    stk_error                *err);
/* Collects elements of equal key into windows of window_size(key) elements; window_size is a key
 * function called on an element that holds the key (NULL: fixed_size). Each full window goes
 * through reduce, an expand function called on an element of (key, dataset). */
STK_API STK_NODISCARD stk_status stk_dataset_group_by_window(stk_dataset **data, stk_function *key,
                                                             stk_function *reduce,
                                                             int64_t       fixed_size,
                                                             stk_function *window_size,
                                                             stk_error    *err);

typedef struct stk_bucket_options {
    const int64_t   *boundaries;
    size_t           boundary_count;
    const int64_t   *batch_sizes;
    size_t           batch_size_count; /* must be boundary_count + 1 */
    bool             pad_to_boundary;
    bool             no_padding; /* shapes within a bucket must be equal */
    bool             drop_remainder;
    const stk_shape *shapes;  /* as in padded_batch */
    const stk_value *padding; /* as in padded_batch */
    size_t           value_count;
} stk_bucket_options;

/* Padded batches of elements of similar length; length is a key function. */
STK_API STK_NODISCARD stk_status stk_dataset_bucket_by_length(stk_dataset             **data,
                                                              stk_function             *length,
                                                              const stk_bucket_options *options,
                                                              stk_error                *err);

typedef struct stk_shuffle_options {
    uint64_t seed;            /* used if seeded */
    bool     seeded;          /* false: the pipeline's seed, else a new one per iterator */
    bool     same_each_epoch; /* repeat the order of the first epoch */
} stk_shuffle_options;

enum { STK_BUFFER_EPOCH = -2 }; /* a shuffle buffer of the whole epoch */

STK_API STK_NODISCARD stk_status stk_dataset_shuffle(stk_dataset **data, int64_t buffer,
                                                     const stk_shuffle_options *options,
                                                     stk_error                 *err);
/* All elements of a source with random access, in an exactly uniform random order, in O(1) memory.
 * The input may contain only map and operators that stk_dataset_at supports. */
STK_API STK_NODISCARD stk_status stk_dataset_global_shuffle(stk_dataset              **data,
                                                            const stk_shuffle_options *options,
                                                            stk_error                 *err);
/* The same with balanced classes: every class appears equally often. labels (count, copied) has the
 * class of each element, 0 to classes - 1. An epoch has count / classes elements of each class,
 * rounded up, in random order. Each class cycles through its own random permutations across epochs:
 * small classes repeat, large ones take turns. */
STK_API STK_NODISCARD stk_status stk_dataset_balance(stk_dataset **data, const int64_t *labels,
                                                     uint64_t count, int64_t classes,
                                                     const stk_shuffle_options *options,
                                                     stk_error                 *err);
/* count -1: infinitely. */
STK_API STK_NODISCARD stk_status stk_dataset_repeat(stk_dataset **data, int64_t count,
                                                    stk_error *err);
/* count -1: all. */
STK_API STK_NODISCARD stk_status stk_dataset_take(stk_dataset **data, int64_t count,
                                                  stk_error *err);
/* count -1: everything. */
STK_API STK_NODISCARD stk_status stk_dataset_skip(stk_dataset **data, int64_t count,
                                                  stk_error *err);
STK_API STK_NODISCARD stk_status stk_dataset_shard(stk_dataset **data, int64_t shards,
                                                   int64_t index, stk_error *err);
/* All elements except those of stk_dataset_shard: the training part when one shard is held out. */
STK_API STK_NODISCARD stk_status stk_dataset_shard_others(stk_dataset **data, int64_t shards,
                                                          int64_t index, stk_error *err);

/* How stk_dataset_autoshard divides the data. */
typedef enum stk_autoshard {
    STK_AUTOSHARD_AUTO, /* FILE where possible, else DATA */
    STK_AUTOSHARD_FILE, /* by files: each is read by one worker */
    STK_AUTOSHARD_DATA, /* by elements: each worker reads all and keeps its own */
    STK_AUTOSHARD_OFF
} stk_autoshard;

/* Rewrites *data to the shard of worker index of workers. FILE is STK_E_INVALID if a source has
 * fewer files than workers, and STK_E_UNSUPPORTED if a source has no files or the data is cached on
 * disk. DATA inserts a shard below the first batch above the source, or at the end. */
STK_API STK_NODISCARD stk_status stk_dataset_autoshard(stk_dataset **data, stk_autoshard mode,
                                                       int64_t workers, int64_t index,
                                                       stk_error *err);

/* Operators of several inputs: zip, concatenate, sample_from and choose_from. Each makes a dataset
 * in *out (NULL on failure) that takes new references to its inputs. The caller keeps its own, so
 * out must not be a place in inputs. */

/* The values of all inputs in one element; ends with the shortest input. */
STK_API STK_NODISCARD stk_status stk_dataset_zip(stk_dataset **out, stk_dataset *const *inputs,
                                                 size_t count, stk_error *err);
/* All elements of one input, then all of the next. */
STK_API STK_NODISCARD stk_status stk_dataset_concatenate(stk_dataset       **out,
                                                         stk_dataset *const *inputs, size_t count,
                                                         stk_error *err);
/* Prepends the element's index, counted from start, to its values. */
STK_API STK_NODISCARD stk_status stk_dataset_enumerate(stk_dataset **data, int64_t start,
                                                       stk_error *err);
/* Calls function (scan) in order with the state that the previous call left. */
STK_API STK_NODISCARD stk_status stk_dataset_scan(stk_dataset **data, stk_element *initial,
                                                  stk_function *function, stk_error *err);
/* Ends before the first element for which function (a predicate) returns false. */
STK_API STK_NODISCARD stk_status stk_dataset_take_while(stk_dataset **data, stk_function *function,
                                                        stk_error *err);
/* Keeps the first of equal elements, which have one value of int32, int64 or bytes. */
STK_API STK_NODISCARD stk_status stk_dataset_unique(stk_dataset **data, stk_error *err);

typedef struct stk_sample_options {
    const double *weights;       /* one per input, not negative; NULL: equal */
    size_t        weight_count;  /* must be the number of inputs, unless weights is NULL */
    bool          stop_on_empty; /* ends with the first exhausted input */
    uint64_t      seed;
    bool          seeded;
    bool          same_each_epoch;
} stk_sample_options;

STK_API STK_NODISCARD stk_status stk_dataset_sample_from(stk_dataset       **out,
                                                         stk_dataset *const *inputs, size_t count,
                                                         const stk_sample_options *options,
                                                         stk_error                *err);

typedef struct stk_choose_options {
    bool stop_on_empty; /* ends when an input is chosen that has no more */
} stk_choose_options;

/* The next element of the input that choices names, by int64 scalars counted from 0. */
STK_API STK_NODISCARD stk_status stk_dataset_choose_from(stk_dataset       **out,
                                                         stk_dataset *const *inputs, size_t count,
                                                         stk_dataset              *choices,
                                                         const stk_choose_options *options,
                                                         stk_error                *err);

typedef struct stk_resample_options {
    const double *target;  /* class_count probabilities */
    const double *initial; /* NULL: estimated while running */
    size_t        class_count;
    uint64_t      seed;
    bool          seeded;
} stk_resample_options;

/* Drops elements until their classes (a key function) have the distribution target. */
STK_API STK_NODISCARD stk_status stk_dataset_rejection_resample(stk_dataset **data,
                                                                stk_function *class_of,
                                                                const stk_resample_options *options,
                                                                stk_error                  *err);

typedef struct stk_cache_options {
    const char           *directory; /* NULL: in memory */
    const stk_filesystem *fs;        /* NULL: local */
} stk_cache_options;

STK_API STK_NODISCARD stk_status stk_dataset_cache(stk_dataset            **data,
                                                   const stk_cache_options *options,
                                                   stk_error               *err);

typedef struct stk_snapshot_options {
    const char           *directory;
    const stk_filesystem *fs;
    int                   compression;     /* a stk_compression: NONE, GZIP, ZSTD; AUTO is ZSTD */
    uint64_t              chunk_bytes;     /* 0 means 64 MB */
    double                pending_seconds; /* age at which an unfinished snapshot is discarded; 0
                                              means 86400 */
} stk_snapshot_options;

STK_API STK_NODISCARD stk_status stk_dataset_snapshot(stk_dataset               **data,
                                                      const stk_snapshot_options *options,
                                                      stk_error                  *err);
/* Runs up to count elements ahead of the consumer; STK_AUTO: tuned. */
STK_API STK_NODISCARD stk_status stk_dataset_prefetch(stk_dataset **data, int64_t count,
                                                      stk_error *err);
/* Skips elements that are errors. log_warning logs each. */
STK_API STK_NODISCARD stk_status stk_dataset_ignore_errors(stk_dataset **data, bool log_warning,
                                                           stk_error *err);

typedef struct stk_quarantine_options {
    const char           *file;     /* list of the bad elements, a JSON line each */
    const stk_filesystem *fs;       /* NULL: local */
    double                max_rate; /* fraction of bad elements that stops the run; 0 means 0.01 */
    uint64_t              min_elements; /* elements before the rate is checked; 0 means 1000 */
} stk_quarantine_options;

/* Skips elements that are errors, writes each to file with its location and reason, and stops the
 * run with STK_E_LIMIT if the rate is too high. */
STK_API STK_NODISCARD stk_status stk_dataset_quarantine(stk_dataset                 **data,
                                                        const stk_quarantine_options *options,
                                                        stk_error                    *err);

/* Options of the pipeline below; the outermost ones win. */
typedef struct stk_pipeline_options {
    stk_order order; /* of every operator without its own */
    unsigned  passes_off;
} stk_pipeline_options;

STK_API STK_NODISCARD stk_status stk_dataset_options(stk_dataset               **data,
                                                     const stk_pipeline_options *options,
                                                     stk_error                  *err);

STK_END_DECLS
#endif
