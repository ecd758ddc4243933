/* A running stage. Nodes form a tree like the plan's; the consumer pulls at the root, each node
 * pulls at its inputs. A node is used by one thread at a time: the consumer, or whoever holds the
 * pull of the queue (runtime/node_queue.h) above it. */
#ifndef STK_PIPELINE_RUNTIME_RUN_NODE_H
#define STK_PIPELINE_RUNTIME_RUN_NODE_H

#include "pipeline/plan/operator.h"
#include "pipeline/runtime/runtime.h"
#include "pipeline/runtime/state_bytes.h"

/* Where all randomness of an iterator comes from. */
typedef struct stk_seed {
    uint64_t seed;
    uint64_t generation; /* iterators started over the dataset before: no two passes are alike */
} stk_seed;

struct stk_node {
    stk_dataset       *plan; /* one reference */
    stk_run           *run;
    stk_node_counters *counters; /* counters of this stage; outlive the node */
    void              *state;    /* the operator's own */
    uint64_t           epoch;    /* how often this stage was begun before, in this iterator */
    uint64_t           lineage;  /* tells apart instances: mixed into seeds */
    stk_seed           seed;     /* the same in all nodes of an iterator */
    int                depth;    /* stages between it and the consumer */
    stk_node *consumer;      /* the node that pulls at it, which outlives it; NULL at the root */
    bool      ending;        /* it is being freed; atomic */
    bool      waits;         /* its next waits for bytes */
    bool      done;          /* next gave the end */
    uint64_t  given;         /* results so far, errors included */
    uint64_t  items, errors; /* not yet in the account */
    uint32_t  until_sample;  /* calls until the next one that is timed */
    bool      watched;       /* the stage above is being timed: */
    uint64_t  watched_ns;    /* what of it is spent here */
    stk_node *inputs[];      /* as many as the plan has; NULL until opened */
};

/* What the operator's parameters and state are. */
#define STK_PARAMS(type, node) ((const type *)(node)->plan->params)
#define STK_STATE(type, node) ((type *)(node)->state)

/* Where a node is begun. */
typedef struct stk_node_context {
    uint64_t  epoch;
    uint64_t  lineage;
    stk_seed  seed;
    int       depth;
    stk_node *consumer; /* NULL at the root */
    stk_node_counters
          *parent; /* of the stage that consumes it, NULL at the root; and which of its */
    size_t slot;   /* inputs this is */
} stk_node_context;

/* Opens plan and, unless its operator opens them itself, all inputs. *out is NULL on failure. */
STK_NODISCARD stk_status stk_node_open(stk_node **out, stk_run *run, stk_dataset *plan,
                                       stk_node_context context, stk_error *err);
/* Opens input index at the node's own epoch and lineage. */
STK_NODISCARD stk_status stk_node_open_input(stk_node *node, size_t index, stk_error *err);
/* The same as another pass of it: pass is mixed into the lineage, epoch is the input's. A pass of
 * (node's epoch, 0) is the same as stk_node_open_input. */
STK_NODISCARD stk_status stk_node_open_epoch(stk_node *node, size_t index, uint64_t epoch,
                                             uint64_t pass, stk_error *err);
/* Opens a dataset that came up while running (flat_map), as instance number of node. */
STK_NODISCARD stk_status stk_node_open_inner(stk_node **out, stk_node *node, stk_dataset *plan,
                                             uint64_t number, stk_error *err);
/* Closes it and its inputs. NULL is fine. */
void stk_node_free(stk_node *node);
void stk_node_close_input(stk_node *node, size_t index);

/* The next element, owned by the caller; NULL at the end, and from then on always. An error is one
 * element's; the next call goes on after it. */
STK_NODISCARD stk_status stk_node_next(stk_node *node, stk_element **out, stk_error *err);
static inline stk_status stk_node_pull(stk_node *node, stk_element **out, stk_error *err)
{
    return stk_node_next(node->inputs[0], out, err);
}

/* STK_E_CANCELLED when the caller asked to stop, or the node or one that consumes it is being
 * freed. For loops in next that may find nothing for ever: whoever frees a queue waits for those in
 * it. */
STK_NODISCARD stk_status stk_node_check(const stk_node *node, stk_error *err);

/* Passes over up to count results (elements or errors) without computing more than it must. Fewer
 * than count only at the end. Gives an error only when it cannot go on at all. */
STK_NODISCARD stk_status stk_node_discard(stk_node *node, uint64_t count, uint64_t *discarded,
                                          stk_error *err);

/* The same by asking for each: for an operator's discard where it knows no better. */
STK_NODISCARD stk_status stk_node_discard_each(stk_node *node, uint64_t count, uint64_t *discarded,
                                               stk_error *err);

/* Passes over up to count elements, as skip does: an error among them is given, and *passed is how
 * many came before it. Fewer than count without an error only at the end. */
STK_NODISCARD stk_status stk_node_skip(stk_node *node, uint64_t count, uint64_t *passed,
                                       stk_error *err);

/* The node's place, written so that restore in a freshly opened node of the same plan, epoch and
 * lineage goes on with the result after the last one given. The operator's save writes what is its
 * own and then its inputs by stk_node_save; an operator without save and restore is saved as the
 * number of results given, and restored by discarding as many. */
STK_NODISCARD stk_status stk_node_save(stk_node *node, stk_state_out *out, stk_error *err);
STK_NODISCARD stk_status stk_node_restore(stk_node *node, stk_state_in *in, stk_error *err);
/* True when running plan again may give its elements in another order. */
bool stk_node_is_relaxed(const stk_run *run, const stk_dataset *plan);
/* For stages that are restored by running their input again: STK_E_UNSUPPORTED when it may then
 * come in another order. */
STK_NODISCARD stk_status stk_node_check_replay(const stk_node *node, stk_error *err);
/* Input 0, for operators whose own state is none. */
STK_NODISCARD stk_status stk_node_save_input(stk_node *node, stk_state_out *out, stk_error *err);
STK_NODISCARD stk_status stk_node_restore_input(stk_node *node, stk_state_in *in, stk_error *err);

/* A seed for this stage in this iterator: the same on any number of threads. With_epoch tells
 * whether every epoch has its own. */
uint64_t stk_node_seed(const stk_node *node, bool with_epoch);
/* What a function called by this node for its index-th input sees. */
stk_call stk_node_call(const stk_node *node, uint64_t index);
/* The same for a function that was a stage of its own before the plan was rewritten. */
stk_call stk_node_call_as(const stk_node *node, uint64_t salt, uint64_t index);

#endif
