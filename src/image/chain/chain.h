/* A chain of image operations on one image, run in as few passes over its pixels as the
 * operations allow: windows, sizes and flips are gathered and carried out together (for encoded
 * images by decoding only what is needed), and the last pass writes the result where it is to be.
 * The result is the same, to the bit, as running each operation by itself. */
#ifndef STK_IMAGE_CHAIN_CHAIN_H
#define STK_IMAGE_CHAIN_CHAIN_H

#include "image/ops/image_op.h"

typedef struct stk_chain_decode {
    stk_image_limits limits;
    int              channels; /* 1 or 3 */
    bool             recover;
    bool             stored_orientation;
    bool             pillow_16bit;
    /* Where a crop is to be shrunk twice or more, decode it at 1/2, 1/4 or 1/8 already: not the
     * same to the bit, and for that reason asked for by name. */
    bool shrink;
    bool blank; /* do not decode: all pixels are 0. What the rest costs can be measured so */
} stk_chain_decode;

typedef struct stk_chain_op {
    const stk_image_op *op;
    const void         *params;
    double              probability; /* that it is done at all; the first thing its random draws
                                        where it is below 1 */
} stk_chain_op;

/* An image: encoded (with a decode in the chain) or pixels. */
typedef struct stk_chain_source {
    stk_bytes  encoded;
    stk_bytes  restarts; /* may be empty */
    stk_pixels pixels;   /* where encoded.data is NULL; never written to */
} stk_chain_source;

/* Where the result goes. Called once, when its size is known. */
typedef struct stk_chain_target {
    stk_status (*allocate)(void *context, const stk_shape *shape, stk_dtype dtype, void **data,
                           stk_error *err);
    void *context;
} stk_chain_target;

typedef struct stk_image_workspace
    stk_image_workspace; /* decoder, resizer and canvas that are reused; one thread's */
STK_NODISCARD stk_status stk_image_workspace_new(stk_image_workspace **out, stk_ledger *ledger,
                                                 stk_error *err);
void stk_image_workspace_free(stk_image_workspace *workspace); /* NULL is fine */
/* The ledger it was made with. */
stk_ledger *stk_image_workspace_ledger(const stk_image_workspace *workspace);

typedef struct stk_chain {
    const stk_chain_decode *decode; /* NULL: sources are pixels */
    const stk_chain_op     *steps;
    size_t                  count;
    uint64_t               *ticks; /* NULL: not timed; else each part's time is added (part.h) */
} stk_chain;

/* randoms has one per step. Errors name the operation as their stage. */
STK_NODISCARD stk_status stk_chain_run(const stk_chain *chain, stk_image_workspace *workspace,
                                       const stk_chain_source *source, const stk_random *randoms,
                                       const stk_chain_target *target, stk_decode_outcome *outcome,
                                       stk_error *err);

/* The shape and type of results for sources of size (all -1 where unknown). An order that cannot
 * work (paint after finish) is STK_E_INVALID. */
STK_NODISCARD stk_status stk_chain_measure(const stk_chain *chain, const stk_image_size *source,
                                           stk_image_size *out, stk_error *err);

#endif
