/* A node: an operator while it runs. Nodes form the plan's tree; the consumer pulls at the root,
 * each node pulls at its inputs. One thread at a time uses a node: the consumer, or the puller of
 * the queue above it. */
#ifndef STK_PIPELINE_RUNTIME_RUN_NODE_H
#define STK_PIPELINE_RUNTIME_RUN_NODE_H

#include "pipeline/plan/operator.h"
#include "pipeline/runtime/runtime.h"
#include "pipeline/runtime/state_bytes.h"

/* The source of all randomness of an iterator. */
typedef struct stk_seed {
    uint64_t seed;
    uint64_t
        generation; /* iterators that the dataset had before, so that no two epochs are equal */
} stk_seed;

struct stk_node {
    stk_dataset       *plan; /* one reference */
    stk_run           *run;
    stk_node_counters *counters;      /* of this operator; outlive the node */
    void              *state;         /* private to the operator */
    uint64_t           epoch;         /* epochs that this operator began before, in this iterator */
    uint64_t           lineage;       /* distinguishes instances; mixed into seeds */
    stk_seed           seed;          /* equal in all nodes of an iterator */
    int                depth;         /* nodes between it and the consumer */
    stk_node          *consumer;      /* pulls at this node and outlives it; NULL at the root */
    bool               ending;        /* atomic: being freed */
    bool               waits;         /* its next blocks on I/O */
    bool               done;          /* next returned the end */
    uint64_t           given;         /* results so far, errors included */
    uint64_t           items, errors; /* not yet added to the counters */
    uint32_t           until_sample;  /* calls until the next timed one */
    bool               watched;       /* the consumer is being timed */
    uint64_t           watched_ns;    /* time of this node in that measurement */
    stk_node          *inputs[];      /* one per input of the plan; NULL until opened */
};

/* Typed access to the operator's parameters and state. */
#define STK_PARAMS(type, node) ((const type *)(node)->plan->params)
#define STK_STATE(type, node) ((type *)(node)->state)

/* The context in which a node opens. */
typedef struct stk_node_context {
    uint64_t           epoch;
    uint64_t           lineage;
    stk_seed           seed;
    int                depth;
    stk_node          *consumer; /* NULL at the root */
    stk_node_counters *parent;   /* counters of the consumer, NULL at the root */
    size_t             slot;     /* index of this node in the consumer's inputs */
} stk_node_context;

/* Opens plan and its inputs, unless the operator opens those itself. *out is NULL on failure. */
STK_NODISCARD stk_status stk_node_open(stk_node **out, stk_run *run, stk_dataset *plan,
                                       stk_node_context context, stk_error *err);
/* Opens input index at the node's own epoch and lineage. */
STK_NODISCARD stk_status stk_node_open_input(stk_node *node, size_t index, stk_error *err);
/* The same as another epoch: pass is mixed into the lineage, epoch is the input's. (The node's
 * epoch, 0) equals stk_node_open_input. */
STK_NODISCARD stk_status stk_node_open_epoch(stk_node *node, size_t index, uint64_t epoch,
                                             uint64_t pass, stk_error *err);
/* Opens a nested dataset (flat_map) as instance number of node. */
STK_NODISCARD stk_status stk_node_open_inner(stk_node **out, stk_node *node, stk_dataset *plan,
                                             uint64_t number, stk_error *err);
/* Frees the node and its inputs. NULL is fine. */
void stk_node_free(stk_node *node);
void stk_node_close_input(stk_node *node, size_t index);

/* Returns the next element, owned by the caller; NULL at the end and after it. An error stands for
 * one element; the next call continues after it. */
STK_NODISCARD stk_status stk_node_next(stk_node *node, stk_element **out, stk_error *err);
static inline stk_status stk_node_pull(stk_node *node, stk_element **out, stk_error *err)
{
    return stk_node_next(node->inputs[0], out, err);
}

/* STK_E_CANCELLED if the run is cancelled, or this node or a consumer of it is being freed. Loops
 * in next that may find nothing must poll it: freeing a queue waits for the threads inside. */
STK_NODISCARD stk_status stk_node_check(const stk_node *node, stk_error *err);

/* Skips up to count results (elements or errors) with as little work as possible. Fewer only at the
 * end. Fails only if it cannot continue at all. */
STK_NODISCARD stk_status stk_node_discard(stk_node *node, uint64_t count, uint64_t *discarded,
                                          stk_error *err);

/* The same by pulling each: for operators without a faster way. */
STK_NODISCARD stk_status stk_node_discard_each(stk_node *node, uint64_t count, uint64_t *discarded,
                                               stk_error *err);

/* Skips up to count elements; stops at an error, with *passed elements before it. Fewer without an
 * error only at the end. */
STK_NODISCARD stk_status stk_node_skip(stk_node *node, uint64_t count, uint64_t *passed,
                                       stk_error *err);

/* Saves the node's position. Restoring it in a fresh node of the same plan, epoch and lineage
 * continues after the last returned result. An operator's save writes its own state, then its
 * inputs by stk_node_save. Operators without save and restore are saved as the number of results
 * and restored by discarding as many. */
STK_NODISCARD stk_status stk_node_save(stk_node *node, stk_state_out *out, stk_error *err);
STK_NODISCARD stk_status stk_node_restore(stk_node *node, stk_state_in *in, stk_error *err);
/* Whether another run of plan may return its elements in another order. */
bool stk_node_is_relaxed(const stk_run *run, const stk_dataset *plan);
/* For operators restored by replaying their input: STK_E_UNSUPPORTED if the order may then differ.
 */
STK_NODISCARD stk_status stk_node_check_replay(const stk_node *node, stk_error *err);
/* Save and restore of input 0, for operators without state. */
STK_NODISCARD stk_status stk_node_save_input(stk_node *node, stk_state_out *out, stk_error *err);
STK_NODISCARD stk_status stk_node_restore_input(stk_node *node, stk_state_in *in, stk_error *err);

/* The seed of this operator in this iterator, equal on any number of threads. with_epoch: a new one
 * per epoch. */
uint64_t stk_node_seed(const stk_node *node, bool with_epoch);
/* The call context of a function for input index. */
stk_call stk_node_call(const stk_node *node, uint64_t index);
/* The same for a function that was an operator before passes fused it. */
stk_call stk_node_call_as(const stk_node *node, uint64_t salt, uint64_t index);

#endif
