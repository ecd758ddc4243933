/* Internals of image functions, shared by image_function.c and image_many.c. */
#ifndef STK_PIPELINE_FUNCTIONS_IMAGE_CONTEXT_H
#define STK_PIPELINE_FUNCTIONS_IMAGE_CONTEXT_H

#include "image/chain/workspace_pool.h"
#include "pipeline/functions/builtin.h"
#include "pipeline/functions/image_function.h"

typedef struct stk_image_context {
    int              value;
    int              restarts; /* value with the restart index; -1: none */
    bool             decodes;
    stk_chain_decode decode;
    stk_chain_op     steps[STK_IMAGE_OPS_MAX];
    size_t           count;
    void            *params;    /* of the only step; NULL in joined functions, which borrow them */
    stk_function    *joined[2]; /* lenders of the parameters */
    size_t           seeds;     /* operators that passes joined */
    uint8_t          seed_of[STK_IMAGE_OPS_MAX]; /* which of the seeds a step uses */
    stk_image_workspace_pool *workspaces;
    uint64_t                  own_recovered; /* atomic */
    uint64_t                 *recovered;     /* own counter, or that of the joined decode */
    stk_spec_keep             keep;
} stk_image_context;

/* Destination of the result: its row of the batch, or own memory. */
typedef struct stk_image_target {
    const stk_call *call;
    int             value;
    stk_value       made;
} stk_image_target;

/* For stk_chain_target.allocate. */
stk_status stk_image_output(void *target, const stk_shape *shape, stk_dtype dtype, void **data,
                            stk_error *err);

stk_chain  stk_image_chain_of(const stk_image_context *c);
stk_status stk_image_find_source(const stk_image_context *c, const stk_element *element,
                                 stk_chain_source *out, stk_error *err);
/* Writes one random stream per step. */
void stk_image_draw(const stk_image_context *c, const stk_call *call, stk_random *randoms);

/* The callbacks. */
stk_status stk_image_map(void *context, const stk_call *call, stk_element **element,
                         stk_error *err);
stk_status stk_image_map_many(void *context, const stk_decode_device *images, stk_many_item *items,
                              size_t count, stk_error *err);

#endif
