/* Keeps all images on the device and augments them there. */
#include "tune/actions/actions.h"

static void propose(const stk_tune_action *self, const stk_action_context *c,
                    stk_tune_candidates *out)
{
    if (!c->device || c->asked->data.resident != STK_RESIDENT_OFF) return;
    stk_tune_candidate one = stk_action_candidate(self, "keep the images on the device");
    stk_action_set(&one, "data.resident", "auto");
    stk_action_predict_by_exposure(&one, c, STK_STAGE_READ, STK_STAGE_HOST_TO_DEVICE);
    stk_tune_candidates_add(out, &one);
}

const stk_tune_action stk_action_resident = {.info = {"resident", "keep the images on the device",
                                                      STK_STAGE_HOST_TO_DEVICE, STK_TUNE_EQUAL,
                                                      "data.resident"},
                                             .propose = propose};
