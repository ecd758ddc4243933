/* Where the order of a shuffle comes from. */
#ifndef STK_PIPELINE_OPERATORS_SHUFFLE_SEED_H
#define STK_PIPELINE_OPERATORS_SHUFFLE_SEED_H

#include "pipeline/runtime/run_node.h"

#include <stoker/dataset_operators.h>

/* A seed drawn when the dataset is made, shared by all that is rewritten of it: orders that nobody
 * gave a seed for and that must still agree from pass to pass. Not in the fingerprint. */
STK_NODISCARD stk_status stk_implicit_seed_attach(stk_dataset *data, stk_error *err);
uint64_t                 stk_implicit_seed_get(const stk_dataset *data);
/* The drawn seed of a checkpoint takes its place: the order goes on as it was. */
void stk_implicit_seed_set(const stk_dataset *data, uint64_t seed);

/* Whether options need a drawn seed. */
static inline bool stk_shuffle_seed_is_drawn(const stk_shuffle_options *options)
{
    return !options->seeded && options->same_each_epoch;
}

/* The seed of one epoch. plan has the drawn seed, where one is needed; salt is the shuffle's own;
 * at is a node of that epoch and lineage. */
uint64_t stk_shuffle_seed_of(const stk_dataset *plan, const stk_shuffle_options *options,
                             uint64_t salt, const stk_node *at);

#endif
