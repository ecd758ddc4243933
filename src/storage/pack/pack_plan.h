/* Which item goes into which shard: decided once, before anything is read, and by nothing but the
 * listing and the options, so that a second run makes the same plan. */
#ifndef STK_STORAGE_PACK_PACK_PLAN_H
#define STK_STORAGE_PACK_PACK_PLAN_H

#include "base/arena.h"
#include "storage/pack/pack_schema.h"

typedef struct stk_pack_shard {
    uint64_t first, count; /* a run of the plan's order */
    uint64_t bytes;        /* of source content */
    uint32_t split;
    uint32_t index; /* within its split */
} stk_pack_shard;

typedef struct stk_pack_plan_split {
    const char *name;
    uint64_t    items, bytes;
    uint32_t    first_shard, shard_count;
} stk_pack_plan_split;

typedef struct stk_pack_plan {
    stk_arena            arena; /* all below */
    uint64_t            *order; /* item numbers, split after split, as they will be written */
    uint64_t             count;
    uint64_t             bytes;
    uint64_t             largest; /* bytes of one item */
    stk_pack_plan_split *splits;
    size_t               split_count;
    stk_pack_shard      *shards;
    size_t               shard_count;
    stk_pack_schema      schema;
    uint64_t             fingerprint; /* of the listing and the options */
} stk_pack_plan;

/* name is the data set's. On failure the plan must still be released. */
STK_NODISCARD stk_status stk_pack_plan_init(stk_pack_plan *plan, const stk_source *source,
                                            const char *name, const stk_pack_options *options,
                                            stk_ledger *ledger, stk_error *err);
void                     stk_pack_plan_release(stk_pack_plan *plan);

#endif
