/* The plan: datasets as nodes, operators as tables of functions. An operator is one file in
 * operators/ that fills a stk_operator; only it and the passes that rewrite it know its parameters.
 */
#ifndef STK_PIPELINE_PLAN_OPERATOR_H
#define STK_PIPELINE_PLAN_OPERATOR_H

#include "base/arena.h"

#include <stoker/blob.h>
#include <stoker/dataset.h>
#include <stoker/function.h>
#include <stoker/trace.h>

typedef struct stk_operator  stk_operator;
typedef struct stk_node      stk_node;      /* runtime/run_node.h */
typedef struct stk_state_out stk_state_out; /* runtime/state_bytes.h */
typedef struct stk_state_in  stk_state_in;  /* runtime/state_bytes.h */

/* Properties that passes and the runtime rely on. */
typedef enum stk_operator_traits {
    STK_OPERATOR_LAZY_INPUTS = 1, /* opens its inputs itself */
    STK_OPERATOR_RANDOM = 2,      /* order or values change between epochs */
    STK_OPERATOR_RUNS_AHEAD = 4,  /* has its own queue: needs no prefetch after it */
    STK_OPERATOR_BLOCKING = 8,    /* its next blocks on something other than its input */
    STK_OPERATOR_RELAXED = 16,    /* returns elements as they complete */
    STK_OPERATOR_FOLLOWS =
        32, /* relaxed if the pipeline's options say so, or may contain such an operator */
    STK_OPERATOR_JUMPS = 64 /* never fails by itself, and discarded elements are neither inspected
                               nor leave state */
} stk_operator_traits;

/* Mutable state shared by all iterators of one dataset: the epochs so far, a cache. */
typedef struct stk_resource stk_resource;
struct stk_resource {
    uint32_t references; /* atomic */
    void (*release)(stk_resource *resource);
};

stk_resource *stk_resource_ref(stk_resource *resource);
void          stk_resource_unref(stk_resource *resource);

/* A hash of the content of files. */
typedef struct stk_content {
    uint64_t hash;
    bool     incomplete; /* some files are inaccessible: the hash is unusable */
} stk_content;

struct stk_operator {
    const char *name;
    const char *identity; /* of fingerprints and salts: the name it had first; NULL: name */
    stk_stage   stage;    /* STK_STAGE_READ or STK_STAGE_PREPROCESS */
    unsigned    traits;

    /* The plan. params_bytes of parameters are copied into the dataset with ownership of their
     * content; release_params (may be NULL) frees that with the last dataset that shares them.
     * check validates parameters and inputs, sets data->spec (memory from data->arena) and may set
     * data->resource. cardinality NULL: unknown. describe appends the parameters as text for
     * explain and fingerprints: operators with different results must differ here; file locations
     * go through stk_describe_location. brief is a short form for reports; NULL: describe.
     * traits_of adds traits that depend on the parameters; may be NULL. */
    size_t params_bytes;
    void (*release_params)(void *params);
    stk_status (*check)(stk_dataset *data, stk_error *err);
    int64_t (*cardinality)(const stk_dataset *data);
    stk_status (*describe)(const stk_dataset *data, stk_blob *out, stk_error *err);
    stk_status (*brief)(const stk_dataset *data, stk_blob *out, stk_error *err);
    unsigned (*traits_of)(const stk_dataset *data);
    /* For sources of files: hashes the content of its files independently of their location. NULL:
     * the location in describe must do. */
    stk_status (*content)(const stk_dataset *data, stk_content *content, stk_error *err);
    /* Computes element index of one epoch alone, its memory in ledger (may be NULL). NULL: no
     * random access. STK_E_RANGE past the end. */
    stk_status (*at)(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err);
    /* For sources of files: the number of files; NULL: not such a source. keep_files makes a source
     * like data of every count-th file from index first; NULL: elements are file names, so a shard
     * does the same. */
    size_t (*file_count)(const stk_dataset *data);
    stk_status (*keep_files)(const stk_dataset *data, size_t count, size_t first, stk_dataset **out,
                             stk_error *err);

    /* The run. Each node has state_bytes of zeroed state. close is called even if open failed;
     * inputs may be freed by then. See runtime/run_node.h for the calls; save, restore and discard
     * may be NULL. */
    size_t state_bytes;
    stk_status (*open)(stk_node *node, stk_error *err);
    stk_status (*next)(stk_node *node, stk_element **out, stk_error *err);
    void (*close)(stk_node *node);
    stk_status (*save)(stk_node *node, stk_state_out *out, stk_error *err);
    stk_status (*restore)(stk_node *node, stk_state_in *in, stk_error *err);
    stk_status (*discard)(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err);
    /* As stk_node_skip, where elements need not be made for it; may be NULL. */
    stk_status (*skip)(stk_node *node, uint64_t count, uint64_t *passed, stk_error *err);
};

/* What files know the operator by: checkpoints, caches, snapshots and tuned values. It outlasts a
 * change of the name. */
const char *stk_operator_identity(const stk_operator *op);

/* Max depth of a plan: each operator takes some stack of the pulling thread. */
enum { STK_PLAN_DEPTH_MAX = 1000 };

typedef struct stk_shared_params stk_shared_params; /* shared by a dataset and its rewrites */

struct stk_dataset {
    uint32_t            references; /* atomic */
    const stk_operator *op;
    stk_shared_params  *shared;
    const void         *params; /* inside shared */
    size_t              input_count;
    stk_dataset       **inputs;
    int                 depth; /* operators on the longest path to a source, itself included */
    stk_element_spec    spec;
    stk_arena           arena;
    int64_t             cardinality;
    uint64_t            fingerprint;    /* of the whole plan, independent of file locations */
    uint64_t            locations_hash; /* of its own file locations; 0: none */
    uint64_t      salt; /* of its random numbers; kept by rewrites, independent of locations */
    unsigned      traits;
    bool          jumps;    /* STK_OPERATOR_JUMPS holds for it and all below */
    stk_resource *resource; /* NULL: none */
    uint32_t      passes;   /* atomic: iterators started over it so far */
};

/* Makes a dataset of op over inputs (new references). Copies params and takes ownership of their
 * content, also on failure. *out is NULL on failure. */
STK_NODISCARD stk_status stk_dataset_make(stk_dataset **out, const stk_operator *op,
                                          const void *params, stk_dataset *const *inputs,
                                          size_t input_count, stk_error *err);

/* The same with *data as the only input; replaces *data. On failure *data is unchanged. */
STK_NODISCARD stk_status stk_dataset_append(stk_dataset **data, const stk_operator *op,
                                            const void *params, stk_error *err);

/* A copy of data with other inputs; shares parameters, resource and salt. */
STK_NODISCARD stk_status stk_dataset_with_inputs(stk_dataset **out, const stk_dataset *data,
                                                 stk_dataset *const *inputs, stk_error *err);

/* The same for inputs with other elements: makes a new resource, as the old one may hold elements.
 */
STK_NODISCARD stk_status stk_dataset_over(stk_dataset **out, const stk_dataset *data,
                                          stk_dataset *const *inputs, stk_error *err);

/* For check: sets data's spec to a copy of spec. */
STK_NODISCARD stk_status stk_dataset_set_spec(stk_dataset *data, const stk_element_spec *spec,
                                              stk_error *err);

/* For check: checks that function accepts elements of input; errors also name data's operator. */
STK_NODISCARD stk_status stk_dataset_accepts(const stk_dataset *data, const stk_function *function,
                                             const stk_element_spec *input, stk_error *err);
/* The same, and sets data's spec to that of the results. */
STK_NODISCARD stk_status stk_dataset_set_output(stk_dataset *data, const stk_function *function,
                                                const stk_element_spec *input, stk_error *err);

/* A hash that distinguishes the data from that of the same operators over other files: names, sizes
 * and some content. 0: unknown, files are inaccessible. */
STK_NODISCARD stk_status stk_dataset_content(const stk_dataset *data, uint64_t *out,
                                             stk_error *err);

/* For describe: appends a file location, which is displayed but not part of the fingerprint. */
STK_NODISCARD stk_status stk_describe_location(stk_blob *out, const char *path, stk_error *err);
/* For describe: appends names that distinguish operators without changing their random numbers:
 * class names do not change what is learnt. */
STK_NODISCARD stk_status stk_describe_names(stk_blob *out, uint64_t names, stk_error *err);
/* Removes the locations, or the names, from a description; returns their hash, 0 for none. */
uint64_t stk_describe_take_locations(stk_blob *text);
uint64_t stk_describe_take_names(stk_blob *text);
/* Appends an operator's parameters for display; brief: the short form for reports. */
STK_NODISCARD stk_status stk_describe_stage(const stk_dataset *data, bool brief, stk_blob *out,
                                            stk_error *err);

/* stk_dataset_at with its memory in ledger. */
STK_NODISCARD stk_status stk_dataset_read(const stk_dataset *data, uint64_t index,
                                          stk_ledger *ledger, stk_element **out, stk_error *err);

/* For describe: appends text, printf style. */
STK_NODISCARD stk_status stk_describe(stk_blob *out, stk_error *err, const char *format, ...)
    STK_PRINTF(3, 4);
/* Appends " 0.5", exactly and independent of the locale. */
STK_NODISCARD stk_status stk_describe_real(stk_blob *out, double number, stk_error *err);
/* Appends "name" or "name[details]", with "@version" if set. */
STK_NODISCARD stk_status stk_describe_function(stk_blob *out, const stk_function *function,
                                               stk_error *err);

/* The union of traits of data and everything below. */
unsigned stk_dataset_traits_below(const stk_dataset *data);

#endif
