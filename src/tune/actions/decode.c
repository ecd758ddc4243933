/* Shares the decoding of JPEGs with the device, or gives it all of it. */
#include "tune/actions/actions.h"

static void add(const stk_tune_action *self, const stk_action_context *c, const char *place,
                const char *title, stk_tune_candidates *out)
{
    stk_tune_candidate one = stk_action_candidate(self, "%s", title);
    stk_action_set(&one, "knobs.decode", "%s", place);
    stk_action_predict_by_exposure(&one, c, STK_STAGE_PREPROCESS, STK_STAGE_PREPROCESS);
    stk_tune_candidates_add(out, &one);
}

static void propose(const stk_tune_action *self, const stk_action_context *c,
                    stk_tune_candidates *out)
{
    const stk_decode_place now = c->recipe->knobs.decode;
    if (!c->device || c->recipe->data.resident == STK_RESIDENT_ON) return;
    if (now == STK_DECODE_CPU) add(self, c, "shared", "decode JPEGs on the device, too", out);
    if (now == STK_DECODE_SHARED) add(self, c, "gpu", "decode JPEGs on the device alone", out);
    if (now != STK_DECODE_CPU) add(self, c, "cpu", "decode JPEGs on the CPU alone", out);
}

const stk_tune_action stk_action_decode = {
    .info = {"decode", "who decodes JPEGs: the CPU, the device, both", STK_STAGE_PREPROCESS,
             STK_TUNE_EQUAL, "knobs.decode"},
    .propose = propose};
