/* Seeds of shuffles: given, implicit, or of the iterator. */
#include "pipeline/operators/shuffle_seed.h"

#include "base/clock.h"
#include "base/hash.h"

#include <stdlib.h>
#include <sys/random.h>

typedef struct drawn_seed {
    stk_resource resource; /* first: plans hold this */
    uint64_t     seed;     /* atomic */
} drawn_seed;

static void release(stk_resource *resource)
{
    free(resource);
}

stk_status stk_implicit_seed_attach(stk_dataset *data, stk_error *err)
{
    if (data->resource) return STK_OK; /* a rewritten copy */
    drawn_seed *drawn = calloc(1, sizeof *drawn);
    if (!drawn) return stk_fail(err, STK_E_NOMEM, data->op->name, NULL, "no memory for a seed");
    drawn->resource = (stk_resource){.references = 1, .release = release};
    if (getrandom(&drawn->seed, sizeof drawn->seed, 0) != (ssize_t)sizeof drawn->seed)
        drawn->seed = stk_clock_ns();
    data->resource = &drawn->resource;
    return STK_OK;
}

uint64_t stk_implicit_seed_get(const stk_dataset *data)
{
    return __atomic_load_n(&((drawn_seed *)data->resource)->seed, __ATOMIC_RELAXED);
}

void stk_implicit_seed_set(const stk_dataset *data, uint64_t seed)
{
    __atomic_store_n(&((drawn_seed *)data->resource)->seed, seed, __ATOMIC_RELAXED);
}

/* A given seed is mixed with everything that distinguishes epochs, but not with the iterator's
 * seed: it must give the same order in every iterator. */
uint64_t stk_shuffle_seed_of(const stk_dataset *plan, const stk_shuffle_options *options,
                             uint64_t salt, const stk_node *at)
{
    if (stk_shuffle_seed_is_drawn(options)) return stk_implicit_seed_get(plan);
    if (!options->seeded) return stk_node_call_as(at, salt, 0).seed;
    if (options->same_each_epoch) return stk_hash64_number(options->seed, 0);
    uint64_t seed = stk_hash64_number(options->seed, at->epoch);
    seed = stk_hash64_number(seed, at->lineage);
    return stk_hash64_number(seed, at->seed.generation);
}
