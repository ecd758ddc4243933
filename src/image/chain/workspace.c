/* The tools of one thread. */
#include "image/chain/workspace.h"

#include <stdlib.h>

stk_status stk_image_workspace_new(stk_image_workspace **out, stk_ledger *ledger, stk_error *err)
{
    *out = NULL;
    stk_image_workspace *studio = calloc(1, sizeof *studio);
    if (!studio) return stk_fail(err, STK_E_NOMEM, "image", NULL, "no memory for a decoder");
    studio->ledger = stk_ledger_ref(ledger);
    stk_canvas_buffers_init(&studio->easel, ledger);
    stk_blob_init(&studio->blank, ledger, STK_MEMORY_DECODE);
    stk_status st = stk_decoder_new(&studio->decoder, ledger, err);
    if (!st) st = stk_resizer_new(&studio->resizer, ledger, err);
    if (st) {
        stk_image_workspace_free(studio);
        return st;
    }
    *out = studio;
    return STK_OK;
}

stk_ledger *stk_image_workspace_ledger(const stk_image_workspace *studio)
{
    return studio->ledger;
}

void stk_image_workspace_free(stk_image_workspace *studio)
{
    if (!studio) return;
    stk_decoder_free(studio->decoder);
    stk_resizer_free(studio->resizer);
    stk_canvas_buffers_release(&studio->easel);
    stk_blob_release(&studio->blank);
    stk_ledger_unref(studio->ledger);
    free(studio);
}
