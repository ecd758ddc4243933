/* The plan: datasets as nodes, operators as tables of functions. An operator is one file in ops/
 * that fills a stk_operator; nothing else knows its parameters, save the passes that rewrite it. */
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

/* What makes an operator safe to move, cache or run ahead. */
typedef enum stk_operator_traits {
    STK_OPERATOR_LAZY_INPUTS = 1, /* opens its inputs itself */
    STK_OPERATOR_RANDOM = 2,      /* its order or values change from epoch to epoch */
    STK_OPERATOR_RUNS_AHEAD = 4,  /* has a queue of its own: no prefetch is needed after it */
    STK_OPERATOR_BLOCKING = 8,    /* its next waits for something other than its input */
    STK_OPERATOR_RELAXED = 16,    /* gives its elements as they are ready */
    STK_OPERATOR_FOLLOWS =
        32, /* does so when the pipeline's options say so, or may hold one that does */
    STK_OPERATOR_JUMPS = 64 /* of itself it fails for no element, and elements that are discarded
                         are not looked at and leave nothing behind */
} stk_operator_traits;

/* Mutable state that all iterators of one dataset share: the passes made so far, a cache. */
typedef struct stk_resource stk_resource;
struct stk_resource {
    uint32_t references; /* atomic */
    void (*release)(stk_resource *resource);
};

stk_resource *stk_resource_ref(stk_resource *resource);
void          stk_resource_unref(stk_resource *resource);

/* What is known of the content of files. */
typedef struct stk_content {
    uint64_t hash;
    bool     incomplete; /* some cannot be looked at: nothing can be said of the whole */
} stk_content;

struct stk_operator {
    const char *name;
    const char *identity; /* of fingerprints and salts: the name it had first; NULL: name */
    stk_stage   stage;    /* STK_STAGE_READ or STK_STAGE_PREPROCESS */
    unsigned    traits;

    /* The plan. params_bytes of parameters are copied into the dataset; what they own goes with
     * them and is released by release_params (may be NULL) with the last dataset that shares them.
     * check looks at parameters and inputs, sets data->spec (memory from data->arena) and may set
     * data->resource. cardinality may be NULL: unknown. describe appends parameters as text, for
     * explain and fingerprints: two stages that give other elements must differ here, but for where
     * files lie, which goes through stk_describe_location. brief appends what a report has room
     * for; NULL: as describe. traits_of adds traits that depend on the parameters; may be NULL. */
    size_t params_bytes;
    void (*release_params)(void *params);
    stk_status (*check)(stk_dataset *data, stk_error *err);
    int64_t (*cardinality)(const stk_dataset *data);
    stk_status (*describe)(const stk_dataset *data, stk_blob *out, stk_error *err);
    stk_status (*brief)(const stk_dataset *data, stk_blob *out, stk_error *err);
    unsigned (*traits_of)(const stk_dataset *data);
    /* A source whose files can be looked at: mixes in what tells their content from that of other
     * files, wherever they lie. NULL: the place that describe names has to do. */
    stk_status (*content)(const stk_dataset *data, stk_content *content, stk_error *err);
    /* Element index of one pass by itself, its memory in ledger (NULL: in none); NULL: not
     * possible. STK_E_RANGE past the end. */
    stk_status (*at)(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err);
    /* A source of files: how many; NULL: it is none. keep_files makes a source like data of every
     * count-th file from number first; NULL: its elements are the names, so a shard does. */
    size_t (*file_count)(const stk_dataset *data);
    stk_status (*keep_files)(const stk_dataset *data, size_t count, size_t first, stk_dataset **out,
                             stk_error *err);

    /* The run. state_bytes of zeroed state per running node. close is called even when open failed
     * half-way; it must not look at inputs, which may be gone. See runtime/run_node.h for the
     * calls' meaning; save, restore and discard may be NULL. */
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

/* Stages on top of each other in one plan: each takes some of the stack of the thread that pulls.
 */
enum { STK_PLAN_DEPTH_MAX = 1000 };

typedef struct stk_shared_params
    stk_shared_params; /* shared by a dataset and its rewritten copies */

struct stk_dataset {
    uint32_t            references; /* atomic */
    const stk_operator *op;
    stk_shared_params  *shared;
    const void         *params; /* inside shared */
    size_t              input_count;
    stk_dataset       **inputs;
    int                 depth; /* stages on the longest way to a source, itself included */
    stk_element_spec    spec;
    stk_arena           arena;
    int64_t             cardinality;
    uint64_t            fingerprint;    /* of it and all below, wherever files lie */
    uint64_t            locations_hash; /* of the places it names itself; 0: none */
    uint64_t      salt; /* of its randomness: what it was before rewriting, wherever data lies */
    unsigned      traits;
    bool          jumps;    /* STK_OPERATOR_JUMPS holds for it and all below */
    stk_resource *resource; /* NULL when it has none */
    uint32_t      passes;   /* atomic: iterators started over it so far */
};

/* Makes a dataset of op over inputs (new references are taken). params is copied and what it owns
 * is taken over, also on failure. *out is NULL on failure. */
STK_NODISCARD stk_status stk_dataset_make(stk_dataset **out, const stk_operator *op,
                                          const void *params, stk_dataset *const *inputs,
                                          size_t input_count, stk_error *err);

/* The same with *data as the only input, which the new dataset replaces; on failure *data stays. */
STK_NODISCARD stk_status stk_dataset_append(stk_dataset **data, const stk_operator *op,
                                            const void *params, stk_error *err);

/* A dataset like data with other inputs; shares parameters, resource and salt. */
STK_NODISCARD stk_status stk_dataset_with_inputs(stk_dataset **out, const stk_dataset *data,
                                                 stk_dataset *const *inputs, stk_error *err);

/* The same where the inputs give other elements than data's did: the resource, which may hold
 * elements, is a new one. */
STK_NODISCARD stk_status stk_dataset_over(stk_dataset **out, const stk_dataset *data,
                                          stk_dataset *const *inputs, stk_error *err);

/* data's spec := a copy of spec. For check. */
STK_NODISCARD stk_status stk_dataset_set_spec(stk_dataset *data, const stk_element_spec *spec,
                                              stk_error *err);

/* That function can work on elements of input; an error names data's operator as well. For check.
 */
STK_NODISCARD stk_status stk_dataset_accepts(const stk_dataset *data, const stk_function *function,
                                             const stk_element_spec *input, stk_error *err);
/* The same, and data's spec := that of the function's results. */
STK_NODISCARD stk_status stk_dataset_set_output(stk_dataset *data, const stk_function *function,
                                                const stk_element_spec *input, stk_error *err);

/* What tells the elements of data from those of the same stages over other files, for what is kept
 * of them: names, sizes and some beginnings. 0: files cannot be looked at, so it is not known. */
STK_NODISCARD stk_status stk_dataset_content(const stk_dataset *data, uint64_t *out,
                                             stk_error *err);

/* Appends where something lies: seen by people, no part of what the stage is. For describe. */
STK_NODISCARD stk_status stk_describe_location(stk_blob *out, const char *path, stk_error *err);
/* Appends what tells the stage from others without a part in its random numbers: what is learnt
 * does not change with the names of classes. For describe. */
STK_NODISCARD stk_status stk_describe_names(stk_blob *out, uint64_t names, stk_error *err);
/* Takes the places, or the names, out of a description; returns their hash, 0 when there are none.
 */
uint64_t stk_describe_take_locations(stk_blob *text);
uint64_t stk_describe_take_names(stk_blob *text);
/* A stage's parameters for people, appended; brief: as much as a report has room for. */
STK_NODISCARD stk_status stk_describe_stage(const stk_dataset *data, bool brief, stk_blob *out,
                                            stk_error *err);

/* stk_dataset_at with its memory in ledger. */
STK_NODISCARD stk_status stk_dataset_read(const stk_dataset *data, uint64_t index,
                                          stk_ledger *ledger, stk_element **out, stk_error *err);

/* Appends text, printf style. For describe. */
STK_NODISCARD stk_status stk_describe(stk_blob *out, stk_error *err, const char *format, ...)
    STK_PRINTF(3, 4);
/* " 0.5", exactly and in every locale the same. */
STK_NODISCARD stk_status stk_describe_real(stk_blob *out, double number, stk_error *err);
/* "name" or "name[details]", with "@version" where it has one. */
STK_NODISCARD stk_status stk_describe_function(stk_blob *out, const stk_function *function,
                                               stk_error *err);

/* Traits of data and of all below it together. */
unsigned stk_dataset_traits_below(const stk_dataset *data);

#endif
