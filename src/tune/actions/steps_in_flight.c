/* Lets a device run behind the host, so that neither waits for the other. */
#include "tune/actions/actions.h"

enum { STEPS = 2 };

static void propose(const stk_tune_action *self, const stk_action_context *c,
                    stk_tune_candidates *out)
{
    const int64_t now = c->recipe->knobs.steps_in_flight;
    if (!c->device || now < 0 || now >= STEPS) return;
    stk_tune_candidate one = stk_action_candidate(
        self, "let the device be %d steps behind, not %lld", STEPS, (long long)now);
    stk_action_set(&one, "knobs.steps_in_flight", "%d", STEPS);
    stk_action_predict(&one, 0, 0.1, 2);
    stk_tune_candidates_add(out, &one);
}

const stk_tune_action stk_action_steps_in_flight = {
    .info = {"steps_in_flight", "let the device run steps behind the host", STK_STAGE_COMPUTE,
             STK_TUNE_EXACT, "knobs.steps_in_flight"},
    .propose = propose};
