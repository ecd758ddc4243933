/* A chain of image operations on one image, run in as few passes over its pixels as possible.
 * Crops, resizes and flips are composed and applied once (to encoded images by decoding only the
 * needed region), and the last pass writes the result to its destination. Results are bit-identical
 * to running each operation alone. */
#ifndef STK_IMAGE_CHAIN_CHAIN_H
#define STK_IMAGE_CHAIN_CHAIN_H

#include "image/ops/image_op.h"

typedef struct stk_chain_decode {
    stk_image_limits limits;
    int              channels; /* 1 or 3 */
    bool             recover;
    bool             stored_orientation;
    bool             pillow_16bit;
    /* Decode at 1/2, 1/4 or 1/8 if a crop is shrunk twice or more. Not bit-identical, hence opt-in.
     */
    bool shrink;
    bool blank; /* skip decoding, all pixels are 0: to measure the rest */
} stk_chain_decode;

typedef struct stk_chain_op {
    const stk_image_op *op;
    const void         *params;
    double              probability; /* of applying it; below 1 it costs the first random draw */
} stk_chain_op;

/* An image: encoded (with a decode in the chain) or pixels. */
typedef struct stk_chain_source {
    stk_bytes  encoded;
    stk_bytes  restarts; /* may be empty */
    stk_pixels pixels;   /* if encoded.data is NULL; never written */
} stk_chain_source;

/* Allocates the destination of the result. Called once, when its size is known. */
typedef struct stk_chain_target {
    stk_status (*allocate)(void *context, const stk_shape *shape, stk_dtype dtype, void **data,
                           stk_error *err);
    void *context;
} stk_chain_target;

typedef struct stk_image_workspace
    stk_image_workspace; /* reusable decoder, resizer and canvas of one thread */
STK_NODISCARD stk_status stk_image_workspace_new(stk_image_workspace **out, stk_ledger *ledger,
                                                 stk_error *err);
void stk_image_workspace_free(stk_image_workspace *workspace); /* NULL is fine */
/* The ledger of the workspace; borrowed. */
stk_ledger *stk_image_workspace_ledger(const stk_image_workspace *workspace);

typedef struct stk_chain {
    const stk_chain_decode *decode; /* NULL: sources are pixels */
    const stk_chain_op     *steps;
    size_t                  count;
    uint64_t               *ticks; /* timers of the parts (part.h); NULL: not timed */
} stk_chain;

/* Runs the chain; randoms has one stream per step. The component of an error is the operation. */
STK_NODISCARD stk_status stk_chain_run(const stk_chain *chain, stk_image_workspace *workspace,
                                       const stk_chain_source *source, const stk_random *randoms,
                                       const stk_chain_target *target, stk_decode_outcome *outcome,
                                       stk_error *err);

/* Computes shape and type of the results for sources of size (-1: unknown). An impossible order (a
 * pixel op after an output op) is STK_E_INVALID. */
STK_NODISCARD stk_status stk_chain_measure(const stk_chain *chain, const stk_image_size *source,
                                           stk_image_size *out, stk_error *err);

#endif
