/* The tools of one thread. */
#include "image/chain/workspace.h"

#include <stdlib.h>

stk_status stk_image_workspace_new(stk_image_workspace **out, stk_ledger *ledger, stk_error *err)
{
    *out = NULL;
    stk_image_workspace *workspace = calloc(1, sizeof *workspace);
    if (!workspace) return stk_fail(err, STK_E_NOMEM, "image", NULL, "no memory for a decoder");
    workspace->ledger = stk_ledger_ref(ledger);
    stk_canvas_buffers_init(&workspace->buffers, ledger);
    stk_blob_init(&workspace->blank, ledger, STK_MEMORY_DECODE);
    stk_status st = stk_decoder_new(&workspace->decoder, ledger, err);
    if (!st) st = stk_resizer_new(&workspace->resizer, ledger, err);
    if (st) {
        stk_image_workspace_free(workspace);
        return st;
    }
    *out = workspace;
    return STK_OK;
}

stk_ledger *stk_image_workspace_ledger(const stk_image_workspace *workspace)
{
    return workspace->ledger;
}

void stk_image_workspace_free(stk_image_workspace *workspace)
{
    if (!workspace) return;
    stk_decoder_free(workspace->decoder);
    stk_resizer_free(workspace->resizer);
    stk_canvas_buffers_release(&workspace->buffers);
    stk_blob_release(&workspace->blank);
    stk_ledger_unref(workspace->ledger);
    free(workspace);
}
