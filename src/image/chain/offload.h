/* What of a chain another than its studio can do: the decoding, and all framing up to the first
 * operation that must see pixels. */
#ifndef STK_IMAGE_CHAIN_OFFLOAD_H
#define STK_IMAGE_CHAIN_OFFLOAD_H

#include "image/chain/chain.h"
#include "image/resize/resize_weights.h"

#include <stoker/pictures.h>

typedef struct stk_foresight {
    stk_axis            across, down; /* what request points to */
    stk_picture_request request;      /* all but out and status */
    size_t              rest;         /* steps that it does; the others are a chain on its pixels */
} stk_foresight;

/* Allocates nothing yet. */
void stk_foresight_init(stk_foresight *foresight, stk_ledger *ledger);
void stk_foresight_release(stk_foresight *foresight);

/* False where it is better left to stk_chain_run, which then also says what is wrong. */
bool stk_chain_foresee(const stk_chain *chain, const stk_chain_source *source,
                       const stk_random *randoms, stk_foresight *out);

#endif
