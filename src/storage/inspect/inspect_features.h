/* Statistics over records: keys, types, sizes, and the classes of label-like keys. */
#ifndef STK_STORAGE_INSPECT_INSPECT_FEATURES_H
#define STK_STORAGE_INSPECT_INSPECT_FEATURES_H

#include "storage/inspect/inspect_tally.h"
#include "storage/inspect/inspect_value.h"

#include <stoker/inspect.h>

/* One key. */
typedef struct stk_inspect_key {
    stk_inspect_feature seen;        /* its name is terminated and lives in the arena */
    size_t              name_length; /* names may hold zero bytes */
    uint64_t            last_record; /* the last record with the key, from 1 */
    uint32_t            sniffed;     /* byte strings whose content was inspected */
    bool                counted;     /* min_count and max_count hold something */
    bool                is_label;    /* its values are counted in tally */
    stk_tally           tally;
} stk_inspect_key;

typedef struct stk_inspect_schema {
    stk_arena   arena;
    stk_blob    keys;     /* of stk_inspect_key, in the order first seen */
    stk_blob    buckets;  /* hash table: uint32_t, index of the key + 1 */
    size_t      expected; /* the likely next key: records repeat each other */
    uint64_t    records;
    const char *label; /* the requested key, or NULL; borrowed */
} stk_inspect_schema;

/* Allocates nothing yet. label must outlive the schema. */
void stk_inspect_schema_init(stk_inspect_schema *schema, const char *label, stk_ledger *ledger);
void stk_inspect_schema_release(stk_inspect_schema *schema);

/* Adds one record. */
STK_NODISCARD stk_status stk_inspect_schema_add(stk_inspect_schema *schema,
                                                stk_inspect_values *values, stk_error *err);
/* Adds all of other, as if its records came after those of schema. */
STK_NODISCARD stk_status stk_inspect_schema_merge(stk_inspect_schema       *schema,
                                                  const stk_inspect_schema *other, stk_error *err);

static inline size_t stk_inspect_schema_count(const stk_inspect_schema *schema)
{
    return schema->keys.size / sizeof(stk_inspect_key);
}

static inline stk_inspect_key *stk_inspect_schema_at(const stk_inspect_schema *schema, size_t index)
{
    return (stk_inspect_key *)(void *)schema->keys.data + index;
}

/* The key whose values are classes: the requested one, else by its name; NULL: none. */
stk_inspect_key *stk_inspect_schema_label(const stk_inspect_schema *schema);

#endif
