/* Leaves op-by-op execution, which is for debugging. */
#include "tune/actions/actions.h"

static void propose(const stk_tune_action *self, const stk_action_context *c,
                    stk_tune_candidates *out)
{
    if (!c->recipe->knobs.eager) return;
    stk_tune_candidate one = stk_action_candidate(self, "compile the step instead of running it "
                                                        "operation by operation");
    stk_action_set(&one, "knobs.eager", "false");
    stk_action_predict(&one, 0, 0.5, 10);
    stk_tune_candidates_add(out, &one);
}

const stk_tune_action stk_action_eager = {
    .info = {"eager", "compile the step", STK_STAGE_COMPUTE, STK_TUNE_EQUAL, "knobs.eager"},
    .propose = propose};
