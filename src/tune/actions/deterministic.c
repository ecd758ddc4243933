/* Lets convolutions and products use several threads. */
#include "tune/actions/actions.h"

static void propose(const stk_tune_action *self, const stk_action_context *c,
                    stk_tune_candidates *out)
{
    if (!c->recipe->train.deterministic) return;
    stk_tune_candidate one = stk_action_candidate(
        self, "the same bits on the same threads only, not on any number of them");
    stk_action_set(&one, "train.deterministic", "false");
    if (!c->device) stk_action_predict(&one, 0, 0.3, (double)c->machine->cores);
    stk_tune_candidates_add(out, &one);
}

const stk_tune_action stk_action_deterministic = {
    .info = {"deterministic", "give up the same bits on any number of threads", STK_STAGE_COMPUTE,
             STK_TUNE_EQUAL, "train.deterministic"},
    .propose = propose};
