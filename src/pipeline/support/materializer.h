/* Materialisation: an operator that stores its input in the first epoch and returns the stored
 * elements in later ones. Shared by the caches and the snapshot; a table of functions says where
 * elements are stored. */
#ifndef STK_PIPELINE_SUPPORT_MATERIALIZER_H
#define STK_PIPELINE_SUPPORT_MATERIALIZER_H

#include "pipeline/runtime/run_node.h"

/* The materialised epoch of the input: it can be replayed if the stored elements are lost. */
typedef struct stk_materialized_epoch {
    uint64_t epoch, lineage;
    stk_seed seed;
} stk_materialized_epoch;

typedef struct stk_materializer_ops {
    /* Looks for a complete store. If *found, read starts at its first element and *pass is its
     * epoch. */
    stk_status (*find)(stk_node *node, bool *found, stk_materialized_epoch *pass, stk_error *err);
    /* Starts storing epoch pass. STK_E_EXISTS if another process stores it, reported to the
     * consumer; STK_E_BUSY the same, ignored silently. */
    stk_status (*begin)(stk_node *node, const stk_materialized_epoch *pass, stk_error *err);
    /* Stores *element, which it may replace by an equal one. On failure nothing more is stored and
     * *element is unchanged. */
    stk_status (*add)(stk_node *node, stk_element **element, stk_error *err);
    /* Completes the store. */
    stk_status (*finish)(stk_node *node, stk_error *err);
    /* Drops the store and everything that find or begin opened. May be called at any time. */
    void (*drop)(stk_node *node);
    /* Reads the next stored element; NULL at the end. */
    stk_status (*read)(stk_node *node, stk_element **out, stk_error *err);
    /* Skips up to count stored elements. */
    stk_status (*skip)(stk_node *node, uint64_t count, uint64_t *skipped, stk_error *err);
    /* Whether dropping the store loses nothing because another one exists; NULL: never. */
    bool (*is_superfluous)(stk_node *node);
    const char *how; /* advice against incomplete stores, for the log */
} stk_materializer_ops;

typedef enum stk_materializer_mode {
    STK_MATERIALIZER_NEW,     /* no request yet */
    STK_MATERIALIZER_READING, /* returns stored elements */
    STK_MATERIALIZER_WRITING, /* returns and stores the input */
    STK_MATERIALIZER_PASSING, /* returns the input */
    STK_MATERIALIZER_MODES
} stk_materializer_mode;

/* Head of the operator's state. */
typedef struct stk_materializer {
    const stk_materializer_ops *ops;
    stk_materializer_mode       mode;
    bool                        quiet;    /* an earlier epoch returned the input's errors */
    bool                        complete; /* this epoch is stored completely */
    bool                        at_start; /* restored to its start, when no store existed */
    uint64_t                    good;     /* elements returned, of the store or of the input */
    uint64_t                    errors;   /* errors of the input returned */
    stk_materialized_epoch      pass;
    stk_blob     begin; /* the input's position before its first element; empty: fresh */
    stk_element *held;  /* returned after the error that precedes it */
} stk_materializer;

/* Functions for the operator's table; its own open sets ops. */
stk_status stk_materializer_next(stk_node *node, stk_element **out, stk_error *err);
void       stk_materializer_close(stk_node *node);
stk_status stk_materializer_save(stk_node *node, stk_state_out *out, stk_error *err);
stk_status stk_materializer_restore(stk_node *node, stk_state_in *in, stk_error *err);

#endif
