/* A set of byte strings that only grows: what unique has seen. Exact: it holds the strings, not
 * their hashes. All memory is in the ledger, as a cache. */
#ifndef STK_PIPELINE_SUPPORT_KEY_SET_H
#define STK_PIPELINE_SUPPORT_KEY_SET_H

#include <stdbool.h>
#include <stoker/blob.h>
#include <stoker/buffer.h>

typedef struct stk_key_set {
    stk_blob    keys;  /* all of them, one after the other, each with its length */
    stk_buffer *table; /* where a key begins, by its hash; NULL while there is none */
    size_t      slots; /* of table: a power of 2 */
    size_t      count;
} stk_key_set;

/* Allocates nothing yet. ledger must outlive the set. */
void stk_key_set_init(stk_key_set *set, stk_ledger *ledger);
void stk_key_set_release(stk_key_set *set);

/* *added tells whether key is new. On failure the set is as before. */
STK_NODISCARD stk_status stk_key_set_add(stk_key_set *set, stk_bytes key, bool *added,
                                         stk_error *err);

/* The set as bytes, and adding such bytes to an empty set: *sound is false when they are damaged.
 */
stk_bytes                stk_key_set_bytes(const stk_key_set *set);
STK_NODISCARD stk_status stk_key_set_load(stk_key_set *set, stk_bytes saved, bool *valid,
                                          stk_error *err);

#endif
