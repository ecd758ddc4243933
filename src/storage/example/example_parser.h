/* A prepared set of requested features: names in a hash table, defaults copied. Immutable. */
#ifndef STK_STORAGE_EXAMPLE_EXAMPLE_PARSER_H
#define STK_STORAGE_EXAMPLE_EXAMPLE_PARSER_H

#include "base/arena.h"

#include <stoker/example.h>

/* A hash table of the names of requested features or lists. Allocated in the arena. */
typedef struct stk_key_table {
    const stk_bytes *keys;
    size_t           count;
    uint32_t        *slots; /* index + 1 into keys; 0 is free */
    size_t           mask;  /* slots - 1, a power of two less one */
    uint64_t         seed;
} stk_key_table;

/* Borrows keys. Duplicate keys are STK_E_INVALID. */
STK_NODISCARD stk_status stk_key_table_init(stk_key_table *table, stk_arena *arena,
                                            const stk_bytes *keys, size_t count, stk_error *err);
/* The key's index, or table->count if unknown. */
size_t stk_key_table_find(const stk_key_table *table, const uint8_t *key, size_t size);

typedef struct stk_example_feature {
    stk_bytes        name;
    stk_feature_kind kind;
    stk_dtype        dtype;
    stk_shape        shape;
    size_t           stride;        /* values: the product of shape; 1 for VARLEN */
    size_t           element_bytes; /* of one value */
    bool             has_default;
    const void      *fill; /* DENSE: stride values. DENSE_PADDED: one */
} stk_example_feature;

struct stk_example_parser {
    stk_arena            arena;
    stk_example_feature *features;
    size_t               count;
    stk_key_table        names;
};

#endif
