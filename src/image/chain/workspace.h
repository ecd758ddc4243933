/* Reusable memory of one thread for running chains. */
#ifndef STK_IMAGE_CHAIN_WORKSPACE_H
#define STK_IMAGE_CHAIN_WORKSPACE_H

#include "image/chain/chain.h"
#include "image/ops/canvas.h"

struct stk_image_workspace {
    stk_canvas_buffers buffers;
    stk_ledger        *ledger; /* one reference: the canvas buffers need it to the end */
    stk_decoder       *decoder;
    stk_resizer       *resizer;
    stk_blob           blank; /* zeros */
};

#endif
