/* Value counts: a hash map from an integer or a byte string to a count. */
#ifndef STK_STORAGE_INSPECT_INSPECT_TALLY_H
#define STK_STORAGE_INSPECT_INSPECT_TALLY_H

#include "base/arena.h"

#include <stdbool.h>
#include <stoker/blob.h>

/* With more distinct values than this they are not classes: the tally drops them. */
enum { STK_TALLY_VALUES_MAX = 65536, STK_TALLY_TEXT_BYTES_MAX = 256 };

typedef struct stk_tally_entry {
    const uint8_t *text;  /* of a byte string; NULL for an integer */
    int64_t        value; /* the integer, or the length of text */
    uint64_t       count; /* 0: free bucket */
} stk_tally_entry;

typedef struct stk_tally {
    stk_blob   buckets;    /* a power of two of stk_tally_entry */
    stk_arena *arena;      /* for texts; not owned */
    size_t     used;       /* distinct values */
    bool       overflowed; /* too many, or too long ones */
} stk_tally;

/* Allocates nothing yet. */
void stk_tally_init(stk_tally *tally, stk_arena *arena);
void stk_tally_release(stk_tally *tally);

/* Adds count to an integer, or to a byte string when text is not NULL. */
STK_NODISCARD stk_status stk_tally_add(stk_tally *tally, const uint8_t *text, int64_t value,
                                       uint64_t count, stk_error *err);
/* Adds all of other. */
STK_NODISCARD stk_status stk_tally_merge(stk_tally *tally, const stk_tally *other, stk_error *err);

/* Sorts the entries by value, integers first, and returns them; nothing may be added after. */
const stk_tally_entry *stk_tally_sort(stk_tally *tally);

#endif
