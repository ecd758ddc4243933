/* The encoding of checkpoints: numbers, strings and elements in sequence. Every length is checked
 * against the bytes left, so damaged bytes are always an error. */
#ifndef STK_PIPELINE_RUNTIME_STATE_BYTES_H
#define STK_PIPELINE_RUNTIME_STATE_BYTES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stoker/blob.h>
#include <stoker/element.h>

typedef struct stk_state_out {
    stk_blob *blob;
} stk_state_out;

typedef struct stk_state_in {
    stk_bytes   left;
    const char *component; /* for messages */
    stk_ledger *ledger;    /* for elements */
    int         nested;    /* nesting depth of datasets inside elements */
} stk_state_in;

enum { STK_STATE_NESTED_MAX = 8 };

STK_NODISCARD stk_status stk_state_put_u64(stk_state_out *out, uint64_t number, stk_error *err);
STK_NODISCARD stk_status stk_state_put_i64(stk_state_out *out, int64_t number, stk_error *err);
STK_NODISCARD stk_status stk_state_put_bytes(stk_state_out *out, stk_bytes bytes, stk_error *err);
/* Values and origin. A dataset inside an element must consist of given elements (window and
 * group_by_window); others are STK_E_UNSUPPORTED. NULL is fine. */
STK_NODISCARD stk_status stk_state_put_element(stk_state_out *out, const stk_element *element,
                                               stk_error *err);
STK_NODISCARD stk_status stk_state_put_spec(stk_state_out *out, const stk_element_spec *spec,
                                            stk_error *err);

STK_NODISCARD stk_status stk_state_get_u64(stk_state_in *in, uint64_t *number, stk_error *err);
STK_NODISCARD stk_status stk_state_get_i64(stk_state_in *in, int64_t *number, stk_error *err);
/* Reads a number up to max; STK_E_DATALOSS otherwise. */
STK_NODISCARD stk_status stk_state_get_count(stk_state_in *in, uint64_t max, uint64_t *number,
                                             stk_error *err);
STK_NODISCARD stk_status stk_state_get_bool(stk_state_in *in, bool *truth, stk_error *err);
/* A view of the input bytes. */
STK_NODISCARD stk_status stk_state_get_bytes(stk_state_in *in, stk_bytes *bytes, stk_error *err);
STK_NODISCARD stk_status stk_state_get_element(stk_state_in *in, stk_element **out, stk_error *err);
/* Reads a spec, allocated in arena. */
STK_NODISCARD stk_status stk_state_get_spec(stk_state_in *in, stk_element_spec *spec,
                                            stk_arena *arena, stk_error *err);

/* Returns STK_E_DATALOSS: "the checkpoint is damaged (what)". */
stk_status stk_state_damaged(const stk_state_in *in, const char *what, stk_error *err);

#endif
