/* The seed of a random operator: its own if given, else the pipeline's. It differs per epoch and
 * iterator, unless each epoch repeats the first. */
#ifndef STK_PIPELINE_SUPPORT_SEEDS_H
#define STK_PIPELINE_SUPPORT_SEEDS_H

#include "base/hash.h"
#include "base/philox.h"
#include "pipeline/runtime/run_node.h"

static inline uint64_t stk_draw_seed(const stk_node *node, bool seeded, uint64_t seed,
                                     bool same_each_epoch)
{
    if (same_each_epoch)
        return seeded ? stk_hash64_number(0, seed)
                      : stk_hash64_number(node->seed.seed, node->plan->salt);
    if (!seeded) return stk_node_seed(node, true);
    const uint64_t own = stk_hash64_number(stk_hash64_number(0, seed), node->lineage);
    return stk_hash64_number(stk_hash64_number(own, node->epoch), node->seed.generation);
}

/* Number index of the stream of seed, uniform in [0, 1). */
static inline double stk_draw(uint64_t seed, uint64_t index)
{
    stk_random random = stk_random_for(seed, 0, index, 0);
    return stk_random_double(&random);
}

#endif
