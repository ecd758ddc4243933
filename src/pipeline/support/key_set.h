/* A growing set of byte strings: the elements that unique has seen. Exact: it stores the strings,
 * not only hashes. All memory is in the ledger, as a cache. */
#ifndef STK_PIPELINE_SUPPORT_KEY_SET_H
#define STK_PIPELINE_SUPPORT_KEY_SET_H

#include <stdbool.h>
#include <stoker/blob.h>
#include <stoker/buffer.h>

typedef struct stk_key_set {
    stk_blob    keys;  /* all keys in sequence, each after its length */
    stk_buffer *table; /* offsets of keys by hash; NULL: empty */
    size_t      slots; /* of the table: a power of 2 */
    size_t      count;
} stk_key_set;

/* Allocates nothing yet. ledger must outlive the set. */
void stk_key_set_init(stk_key_set *set, stk_ledger *ledger);
void stk_key_set_release(stk_key_set *set);

/* Adds key; *added: it is new. On failure the set is unchanged. */
STK_NODISCARD stk_status stk_key_set_add(stk_key_set *set, stk_bytes key, bool *added,
                                         stk_error *err);

/* Serialises the set, and loads it into an empty set; *valid is false if the bytes are damaged. */
stk_bytes                stk_key_set_bytes(const stk_key_set *set);
STK_NODISCARD stk_status stk_key_set_load(stk_key_set *set, stk_bytes saved, bool *valid,
                                          stk_error *err);

#endif
