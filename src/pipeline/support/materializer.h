/* A stage that records its input on the first pass and gives the recording on later ones: the
 * caches and the snapshot. What is the same for all of them is here; where the elements are kept is
 * a table of functions. */
#ifndef STK_PIPELINE_SUPPORT_MATERIALIZER_H
#define STK_PIPELINE_SUPPORT_MATERIALIZER_H

#include "pipeline/runtime/run_node.h"

/* The pass of the input that was recorded: it can be run again where the recording is gone. */
typedef struct stk_materialized_epoch {
    uint64_t epoch, lineage;
    stk_seed seed;
} stk_materialized_epoch;

typedef struct stk_materializer_ops {
    /* Looks for a whole recording. *found tells; then read gives its first element, and *pass is
     * the one that was recorded. */
    stk_status (*find)(stk_node *node, bool *found, stk_materialized_epoch *pass, stk_error *err);
    /* Begins to record pass. STK_E_EXISTS when somebody else does, which is told to the consumer;
     * STK_E_BUSY the same, to be passed over in silence. */
    stk_status (*begin)(stk_node *node, const stk_materialized_epoch *pass, stk_error *err);
    /* Records *element, which it may replace by an equal one. On failure nothing is recorded any
     * more and *element is still there. */
    stk_status (*add)(stk_node *node, stk_element **element, stk_error *err);
    /* The recording is whole. */
    stk_status (*finish)(stk_node *node, stk_error *err);
    /* Drops what was recorded and all that find or begin opened. May be called at any time. */
    void (*drop)(stk_node *node);
    /* The next element of the recording; NULL at the end. */
    stk_status (*read)(stk_node *node, stk_element **out, stk_error *err);
    /* Passes over up to count elements. */
    stk_status (*skip)(stk_node *node, uint64_t count, uint64_t *skipped, stk_error *err);
    /* Whether nothing is lost when the recording is dropped, as there is another; NULL: never. */
    bool (*is_superfluous)(stk_node *node);
    const char *how; /* to avoid an incomplete recording, for the log */
} stk_materializer_ops;

typedef enum stk_materializer_mode {
    STK_MATERIALIZER_NEW,     /* nothing was asked yet */
    STK_MATERIALIZER_READING, /* the recording */
    STK_MATERIALIZER_WRITING, /* the input is given and recorded */
    STK_MATERIALIZER_PASSING, /* the input is given */
    STK_MATERIALIZER_MODES
} stk_materializer_mode;

/* First in the state of the stage. */
typedef struct stk_materializer {
    const stk_materializer_ops *ops;
    stk_materializer_mode       mode;
    bool                        quiet;    /* errors of the input were given by an earlier pass */
    bool                        complete; /* this pass was recorded to its end */
    bool     at_start; /* restored from before its begin, when there was no recording */
    uint64_t good;     /* elements given; of the recording or of the input */
    uint64_t errors;   /* of the input, given */
    stk_materialized_epoch pass;
    stk_blob               begin; /* the input's place before its first element; empty: fresh */
    stk_element           *held;  /* comes after the error that took its place */
} stk_materializer;

/* The running of such a stage: its own open sets ops. */
stk_status stk_materializer_next(stk_node *node, stk_element **out, stk_error *err);
void       stk_materializer_close(stk_node *node);
stk_status stk_materializer_save(stk_node *node, stk_state_out *out, stk_error *err);
stk_status stk_materializer_restore(stk_node *node, stk_state_in *in, stk_error *err);

#endif
