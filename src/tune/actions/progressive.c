/* Small images in the first epochs. */
#include "tune/actions/actions.h"

enum { SIZE_MIN = 64 };

static void propose(const stk_tune_action *self, const stk_action_context *c,
                    stk_tune_candidates *out)
{
    const stk_train_recipe *r = c->recipe;
    if (r->data.size >= SIZE_MIN && r->progressive.size_from >= 1) {
        stk_tune_candidate one = stk_action_candidate(self, "begin with images of half the size");
        stk_action_set(&one, "progressive.size_from", "0.5");
        stk_action_predict(&one, 0, 0.3, 1);
        stk_tune_candidates_add(out, &one);
    }
}

const stk_tune_action stk_action_progressive = {.info = {"progressive", "begin with small images",
                                                         STK_STAGE_COMPUTE, STK_TUNE_LEARNING,
                                                         "progressive.size_from"},
                                                .propose = propose};
