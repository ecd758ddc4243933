/* The prefix of a chain that a decode device can run: the decode and all geometry before the first
 * pixel op. */
#ifndef STK_IMAGE_CHAIN_OFFLOAD_H
#define STK_IMAGE_CHAIN_OFFLOAD_H

#include "image/chain/chain.h"
#include "image/resize/resize_weights.h"

#include <stoker/decode_device.h>

typedef struct stk_decode_offload {
    stk_axis           across, down; /* pointed to by request */
    stk_decode_request request;      /* complete except out and status */
    size_t             rest;         /* steps that the device runs; the rest is a chain on its
                                        pixels */
} stk_decode_offload;

/* Allocates nothing yet. */
void stk_decode_offload_init(stk_decode_offload *foresight, stk_ledger *ledger);
void stk_decode_offload_release(stk_decode_offload *foresight);

/* False if stk_chain_run should run all of it and report any error. */
bool stk_chain_split_offload(const stk_chain *chain, const stk_chain_source *source,
                             const stk_random *randoms, stk_decode_offload *out);

#endif
