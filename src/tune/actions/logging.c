/* Writes rows of metrics as seldom as training does by itself. */
#include "tune/actions/actions.h"

static void propose(const stk_tune_action *self, const stk_action_context *c,
                    stk_tune_candidates *out)
{
    const int64_t every = c->asked->output.log_every;
    if (every < 0) return;
    stk_tune_candidate one =
        stk_action_candidate(self, "50 rows of metrics an epoch, not one every %lld step%s",
                             (long long)every, every == 1 ? "" : "s");
    stk_action_set(&one, "output.log_every", "auto");
    stk_action_predict_by_exposure(&one, c, STK_STAGE_DEVICE_TO_HOST, STK_STAGE_WRITE);
    stk_tune_candidates_add(out, &one);
}

const stk_tune_action stk_action_logging = {.info = {"logging", "write metrics less often",
                                                     STK_STAGE_OUTPUT, STK_TUNE_EXACT,
                                                     "output.log_every"},
                                            .propose = propose};
