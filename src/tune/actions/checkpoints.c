/* Writes checkpoints as seldom as training does by itself. */
#include "tune/actions/actions.h"

static void propose(const stk_tune_action *self, const stk_action_context *c,
                    stk_tune_candidates *out)
{
    const int64_t every = c->asked->output.checkpoint_every;
    if (every <= 0) return;
    stk_tune_candidate one =
        stk_action_candidate(self, "a checkpoint an epoch or a minute, not every %lld step%s",
                             (long long)every, every == 1 ? "" : "s");
    stk_action_set(&one, "output.checkpoint_every", "auto");
    stk_action_predict_by_exposure(&one, c, STK_STAGE_DEVICE_TO_HOST, STK_STAGE_WRITE);
    stk_tune_candidates_add(out, &one);
}

const stk_tune_action stk_action_checkpoints = {
    .info = {"checkpoints", "write checkpoints less often", STK_STAGE_WRITE, STK_TUNE_EXACT,
             "output.checkpoint_every"},
    .propose = propose};
