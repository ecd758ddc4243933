/* Seeds of shuffles. */
#ifndef STK_PIPELINE_OPERATORS_SHUFFLE_SEED_H
#define STK_PIPELINE_OPERATORS_SHUFFLE_SEED_H

#include "pipeline/runtime/run_node.h"

#include <stoker/dataset_operators.h>

/* The implicit seed: drawn when the dataset is made, shared by all its rewrites. For orders without
 * a given seed that must agree between epochs. Not in the fingerprint. */
STK_NODISCARD stk_status stk_implicit_seed_attach(stk_dataset *data, stk_error *err);
uint64_t                 stk_implicit_seed_get(const stk_dataset *data);
/* Replaces it by the implicit seed of a checkpoint: the order continues. */
void stk_implicit_seed_set(const stk_dataset *data, uint64_t seed);

/* Whether options need an implicit seed. */
static inline bool stk_shuffle_seed_is_drawn(const stk_shuffle_options *options)
{
    return !options->seeded && options->same_each_epoch;
}

/* The seed of one epoch. plan has the implicit seed, if needed; salt is the shuffle's; at is a node
 * of that epoch and lineage. */
uint64_t stk_shuffle_seed_of(const stk_dataset *plan, const stk_shuffle_options *options,
                             uint64_t salt, const stk_node *at);

#endif
