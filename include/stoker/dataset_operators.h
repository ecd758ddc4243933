/* stoker/dataset_operators.h - stages that are put on top of a dataset. Each call replaces *data by
 * a dataset that ends in the new stage and holds the old one. On failure *data is as before.
 * Options may be NULL. docs/pipeline.md has a page on each, with its cost and determinism. */
#ifndef STOKER_DATASET_OPERATORS_H
#define STOKER_DATASET_OPERATORS_H

#include <stoker/dataset.h>
#include <stoker/filesystem.h>
#include <stoker/function.h>

STK_BEGIN_DECLS

/* Whether a stage gives its elements in order. */
typedef enum stk_order {
    STK_ORDER_DEFAULT, /* as the pipeline's options say: in order unless they say otherwise */
    STK_ORDER_EXACT,
    STK_ORDER_RELAXED /* the same elements, in whatever order they are ready */
} stk_order;

enum { STK_AUTO = -1 };

typedef struct stk_map_options {
    int64_t   parallel; /* most calls at a time; 0 or STK_AUTO: as many as help; 1: one at a time */
    stk_order order;
} stk_map_options;

/* Calls function on every element. A failed call is an error in that element's place; the next
 * element can be had after it. */
STK_API STK_NODISCARD stk_status stk_dataset_map(stk_dataset **data, stk_function *function,
                                                 const stk_map_options *options, stk_error *err);
/* Keeps the elements for which function (a test) says so. */
STK_API STK_NODISCARD stk_status stk_dataset_filter(stk_dataset **data, stk_function *function,
                                                    stk_error *err);
/* The elements of function's (expand) dataset of every element, one dataset after the other. */
STK_API STK_NODISCARD stk_status stk_dataset_flat_map(stk_dataset **data, stk_function *function,
                                                      stk_error *err);

typedef struct stk_interleave_options {
    int64_t   cycle;    /* datasets open at a time; 0 or STK_AUTO: chosen by cores */
    int64_t   block;    /* elements of one before the next has its turn; 0 means 1 */
    int64_t   parallel; /* 0: one at a time; STK_AUTO or n: the open ones run ahead */
    stk_order order;
} stk_interleave_options;

STK_API STK_NODISCARD stk_status stk_dataset_interleave(stk_dataset **data, stk_function *function,
                                                        const stk_interleave_options *options,
                                                        stk_error                    *err);

typedef struct stk_batch_options {
    bool drop_remainder;
} stk_batch_options;

/* Elements of equal shapes, one below the other. */
STK_API STK_NODISCARD stk_status stk_dataset_batch(stk_dataset **data, int64_t size,
                                                   const stk_batch_options *options,
                                                   stk_error               *err);

typedef struct stk_padded_batch_options {
    bool             drop_remainder;
    const stk_shape *shapes;      /* one per value; -1: the longest in the batch. NULL: all -1 */
    const stk_value *padding;     /* one scalar per value, of its type; NULL: 0 and "" */
    size_t           value_count; /* of both arrays */
} stk_padded_batch_options;

STK_API STK_NODISCARD stk_status stk_dataset_padded_batch(stk_dataset **data, int64_t size,
                                                          const stk_padded_batch_options *options,
                                                          stk_error                      *err);
/* Elements whose leading dimension differs, as ragged values. */
STK_API STK_NODISCARD stk_status stk_dataset_ragged_batch(stk_dataset **data, int64_t size,
                                                          const stk_batch_options *options,
                                                          stk_error               *err);
/* Dense elements of one value as sparse batches of row_shape (-1: the largest in the batch). */
STK_API STK_NODISCARD stk_status stk_dataset_sparse_batch(stk_dataset **data, int64_t size,
                                                          const stk_shape *row_shape,
                                                          stk_error       *err);
STK_API STK_NODISCARD stk_status stk_dataset_unbatch(stk_dataset **data, stk_error *err);
/* Batches cut anew to sizes, which are used in turn; 0 gives an empty batch. */
STK_API STK_NODISCARD stk_status stk_dataset_rebatch(stk_dataset **data, const int64_t *sizes,
                                                     size_t count, const stk_batch_options *options,
                                                     stk_error *err);

typedef struct stk_window_options {
    int64_t shift;  /* from the start of one to the start of the next; 0 or STK_AUTO: size */
    int64_t stride; /* between the elements of a window; 0 means 1 */
    bool    drop_remainder;
} stk_window_options;

/* Windows of size elements, each a dataset. */
STK_API STK_NODISCARD stk_status stk_dataset_window(stk_dataset **data, int64_t size,
                                                    const stk_window_options *options,
                                                    stk_error                *err);
/* Elements of equal key gather in windows of window_size(key) (a key function called on an element
 * that holds the key; NULL: fixed_size); a full one goes through reduce, an expand function called
 * on an element of (key, dataset). */
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
    bool             no_padding; /* batches of equal shapes are expected */
    bool             drop_remainder;
    const stk_shape *shapes;  /* as in padded_batch */
    const stk_value *padding; /* as in padded_batch */
    size_t           value_count;
} stk_bucket_options;

/* Padded batches of elements of like length; length is a key function. */
STK_API STK_NODISCARD stk_status stk_dataset_bucket_by_length(stk_dataset             **data,
                                                              stk_function             *length,
                                                              const stk_bucket_options *options,
                                                              stk_error                *err);

typedef struct stk_shuffle_options {
    uint64_t seed;            /* used when seeded */
    bool     seeded;          /* false: the pipeline's seed, or a new one for each iterator */
    bool     same_each_epoch; /* every epoch in the order of the first */
} stk_shuffle_options;

enum { STK_BUFFER_EPOCH = -2 }; /* a shuffle buffer that grows to the whole epoch */

STK_API STK_NODISCARD stk_status stk_dataset_shuffle(stk_dataset **data, int64_t buffer,
                                                     const stk_shuffle_options *options,
                                                     stk_error                 *err);
/* All elements of a source that has them by number, in an order that is exactly uniform over the
 * whole, in O(1) memory. Below it may stand only map and stages that stk_dataset_at passes through.
 */
STK_API STK_NODISCARD stk_status stk_dataset_global_shuffle(stk_dataset              **data,
                                                            const stk_shuffle_options *options,
                                                            stk_error                 *err);
/* The same, drawn so that every class comes equally often: labels (count, copied) has the class of
 * each element, 0 to classes - 1. An epoch has count / classes of each, rounded up, in a random
 * order; a class goes through its elements in one random order after the other, over the borders of
 * epochs, so that those of a small one come again and those of a large one come in turn. */
STK_API STK_NODISCARD stk_status stk_dataset_balance(stk_dataset **data, const int64_t *labels,
                                                     uint64_t count, int64_t classes,
                                                     const stk_shuffle_options *options,
                                                     stk_error                 *err);
/* count -1: for ever. */
STK_API STK_NODISCARD stk_status stk_dataset_repeat(stk_dataset **data, int64_t count,
                                                    stk_error *err);
/* count -1: all. */
STK_API STK_NODISCARD stk_status stk_dataset_take(stk_dataset **data, int64_t count,
                                                  stk_error *err);
/* count -1: none is left. */
STK_API STK_NODISCARD stk_status stk_dataset_skip(stk_dataset **data, int64_t count,
                                                  stk_error *err);
STK_API STK_NODISCARD stk_status stk_dataset_shard(stk_dataset **data, int64_t shards,
                                                   int64_t index, stk_error *err);
/* All elements but those that stk_dataset_shard gives: what is left when some are held back. */
STK_API STK_NODISCARD stk_status stk_dataset_shard_others(stk_dataset **data, int64_t shards,
                                                          int64_t index, stk_error *err);

/* How stk_dataset_autoshard parts the data. */
typedef enum stk_autoshard {
    STK_AUTOSHARD_AUTO, /* FILE where possible, else DATA */
    STK_AUTOSHARD_FILE, /* by files: each is read by one worker */
    STK_AUTOSHARD_DATA, /* by elements: each worker reads all and drops the others' */
    STK_AUTOSHARD_OFF
} stk_autoshard;

/* Rewrites *data to what worker number index of workers shall have of it. FILE is STK_E_INVALID
 * when a source has fewer files than there are workers, and STK_E_UNSUPPORTED when something below
 * is no source of files, or is kept on disk. DATA puts a shard below the first batch above the
 * source, or at the end. */
STK_API STK_NODISCARD stk_status stk_dataset_autoshard(stk_dataset **data, stk_autoshard mode,
                                                       int64_t workers, int64_t index,
                                                       stk_error *err);

/* Operators of several inputs: zip, concatenate, sample_from and choose_from. Each makes a dataset
 * in *out (NULL on failure) that takes new references to its inputs. The caller keeps its own, so
 * out must not be a place in inputs. */

/* The values of all inputs side by side; ends with the shortest. */
STK_API STK_NODISCARD stk_status stk_dataset_zip(stk_dataset **out, stk_dataset *const *inputs,
                                                 size_t count, stk_error *err);
/* All elements of one input, then all of the next. */
STK_API STK_NODISCARD stk_status stk_dataset_concatenate(stk_dataset       **out,
                                                         stk_dataset *const *inputs, size_t count,
                                                         stk_error *err);
/* Puts the element's number, from start, before its values. */
STK_API STK_NODISCARD stk_status stk_dataset_enumerate(stk_dataset **data, int64_t start,
                                                       stk_error *err);
/* function (scan) is called in order with the state it left. */
STK_API STK_NODISCARD stk_status stk_dataset_scan(stk_dataset **data, stk_element *initial,
                                                  stk_function *function, stk_error *err);
/* Ends before the first element for which function (a test) says no. */
STK_API STK_NODISCARD stk_status stk_dataset_take_while(stk_dataset **data, stk_function *function,
                                                        stk_error *err);
/* The first of equal elements; one value of int32, int64 or bytes. */
STK_API STK_NODISCARD stk_status stk_dataset_unique(stk_dataset **data, stk_error *err);

typedef struct stk_sample_options {
    const double *weights;       /* one per input, not negative; NULL: all equal */
    size_t        weight_count;  /* must be the number of inputs, unless weights is NULL */
    bool          stop_on_empty; /* ends with the first input that has no more */
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

/* Drops elements so that their classes (key function) come as target says. */
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
    double                pending_seconds; /* an unfinished one is given up after; 0 means 86400 */
} stk_snapshot_options;

STK_API STK_NODISCARD stk_status stk_dataset_snapshot(stk_dataset               **data,
                                                      const stk_snapshot_options *options,
                                                      stk_error                  *err);
/* Runs up to count elements ahead; STK_AUTO: as far as helps. */
STK_API STK_NODISCARD stk_status stk_dataset_prefetch(stk_dataset **data, int64_t count,
                                                      stk_error *err);
/* Passes over elements that are errors. log_warning prints each on the iterator's log. */
STK_API STK_NODISCARD stk_status stk_dataset_ignore_errors(stk_dataset **data, bool log_warning,
                                                           stk_error *err);

typedef struct stk_quarantine_options {
    const char           *file;     /* where bad elements are written down, one JSON line each */
    const stk_filesystem *fs;       /* NULL: local */
    double                max_rate; /* fraction of bad elements that stops the run; 0 means 0.01 */
    uint64_t              min_elements; /* elements seen before the rate counts; 0 means 1000 */
} stk_quarantine_options;

/* Passes over elements that are errors, writes each down with its place and reason, and stops the
 * run (STK_E_LIMIT) when too many are. */
STK_API STK_NODISCARD stk_status stk_dataset_quarantine(stk_dataset                 **data,
                                                        const stk_quarantine_options *options,
                                                        stk_error                    *err);

/* Settings of the pipeline below it; those of the outermost stage win. */
typedef struct stk_pipeline_options {
    stk_order order; /* of every stage that does not say itself */
    unsigned  passes_off;
} stk_pipeline_options;

STK_API STK_NODISCARD stk_status stk_dataset_options(stk_dataset               **data,
                                                     const stk_pipeline_options *options,
                                                     stk_error                  *err);

STK_END_DECLS
#endif
