/* The inside of image functions, shared by image_function.c and image_many.c. */
#ifndef STK_PIPELINE_FUNCTIONS_IMAGE_CONTEXT_H
#define STK_PIPELINE_FUNCTIONS_IMAGE_CONTEXT_H

#include "image/chain/workspace_pool.h"
#include "pipeline/functions/builtin.h"
#include "pipeline/functions/image_function.h"

typedef struct stk_image_context {
    int              value;
    int              restarts; /* the value that holds the index of restarts; -1: none does */
    bool             decodes;
    stk_chain_decode decode;
    stk_chain_op     steps[STK_IMAGE_OPS_MAX];
    size_t           count;
    void            *params; /* of the only step; NULL in joined functions, which borrow theirs */
    stk_function    *joined[2];                  /* those they borrow from */
    size_t           seeds;                      /* stages that were joined by passes */
    uint8_t          seed_of[STK_IMAGE_OPS_MAX]; /* which of them a step's is */
    stk_image_workspace_pool *workspaces;
    uint64_t                  own_recovered; /* atomic */
    uint64_t                 *recovered;     /* own, or of the decode that was joined */
    stk_spec_keep             keep;
} stk_image_context;

/* Where the result goes: its place in the batch, or memory of its own. */
typedef struct stk_image_target {
    const stk_call *call;
    int             value;
    stk_value       made;
} stk_image_target;

/* For stk_chain_target.place. */
stk_status stk_image_output(void *target, const stk_shape *shape, stk_dtype dtype, void **data,
                            stk_error *err);

stk_chain  stk_image_chain_of(const stk_image_context *c);
stk_status stk_image_find_source(const stk_image_context *c, const stk_element *element,
                                 stk_chain_source *out, stk_error *err);
/* One for each step. */
void stk_image_draw(const stk_image_context *c, const stk_call *call, stk_random *randoms);

/* The callbacks. */
stk_status stk_image_map(void *context, const stk_call *call, stk_element **element,
                         stk_error *err);
stk_status stk_image_map_many(void *context, const stk_decode_device *images, stk_many_item *items,
                              size_t count, stk_error *err);

#endif
