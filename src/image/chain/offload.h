/* What of a chain another than its studio can do: the decoding, and all framing up to the first
 * operation that must see pixels. */
#ifndef STK_IMAGE_CHAIN_OFFLOAD_H
#define STK_IMAGE_CHAIN_OFFLOAD_H

#include "image/chain/chain.h"
#include "image/resize/resize_weights.h"

#include <stoker/decode_device.h>

typedef struct stk_decode_offload {
    stk_axis           across, down; /* what request points to */
    stk_decode_request request;      /* all but out and status */
    size_t             rest;         /* steps that it does; the others are a chain on its pixels */
} stk_decode_offload;

/* Allocates nothing yet. */
void stk_decode_offload_init(stk_decode_offload *foresight, stk_ledger *ledger);
void stk_decode_offload_release(stk_decode_offload *foresight);

/* False where it is better left to stk_chain_run, which then also says what is wrong. */
bool stk_chain_split_offload(const stk_chain *chain, const stk_chain_source *source,
                             const stk_random *randoms, stk_decode_offload *out);

#endif
