/* The tools of one thread. */
#include "image/chain/workspace.h"

#include <stdlib.h>

stk_status stk_studio_new(stk_studio **out, stk_ledger *ledger, stk_error *err)
{
    *out = NULL;
    stk_studio *studio = calloc(1, sizeof *studio);
    if (!studio) return stk_fail(err, STK_E_NOMEM, "image", NULL, "no memory for a decoder");
    studio->ledger = stk_ledger_ref(ledger);
    stk_easel_init(&studio->easel, ledger);
    stk_blob_init(&studio->blank, ledger, STK_MEMORY_DECODE);
    stk_status st = stk_decoder_new(&studio->decoder, ledger, err);
    if (!st) st = stk_resizer_new(&studio->resizer, ledger, err);
    if (st) {
        stk_studio_free(studio);
        return st;
    }
    *out = studio;
    return STK_OK;
}

stk_ledger *stk_studio_ledger(const stk_studio *studio)
{
    return studio->ledger;
}

void stk_studio_free(stk_studio *studio)
{
    if (!studio) return;
    stk_decoder_free(studio->decoder);
    stk_resizer_free(studio->resizer);
    stk_easel_release(&studio->easel);
    stk_blob_release(&studio->blank);
    stk_ledger_unref(studio->ledger);
    free(studio);
}
