/* Moves the last changes of images to the device. */
#include "tune/actions/actions.h"

static void propose(const stk_tune_action *self, const stk_action_context *c,
                    stk_tune_candidates *out)
{
    if (!c->device || c->asked->knobs.augment != STK_AUGMENT_HOST) return;
    stk_tune_candidate one = stk_action_candidate(self, "augment on the device, not on the host");
    stk_action_set(&one, "knobs.augment", "device");
    stk_action_predict_by_exposure(&one, c, STK_STAGE_PREPROCESS, STK_STAGE_HOST_TO_DEVICE);
    stk_tune_candidates_add(out, &one);
}

const stk_tune_action stk_action_augment = {.info = {"augment", "augment on the device",
                                                     STK_STAGE_PREPROCESS, STK_TUNE_EQUAL,
                                                     "knobs.augment"},
                                            .propose = propose};
