/* Turns on what a recipe left out of compilation: fusion, layout, memory reuse, capture. */
#include "tune/actions/actions.h"

static void propose(const stk_tune_action *self, const stk_action_context *c,
                    stk_tune_candidates *out)
{
    if (!*c->recipe->knobs.passes_off || c->recipe->knobs.eager) return;
    stk_tune_candidate one = stk_action_candidate(
        self, "compile with all passes, not without %.80s", c->recipe->knobs.passes_off);
    stk_action_set(&one, "knobs.passes_off", "%s", "");
    stk_action_predict(&one, 0, 0.2, 5);
    stk_tune_candidates_add(out, &one);
}

const stk_tune_action stk_action_passes = {
    .info = {"passes", "compile with every pass: fusion, layout, reuse, capture", STK_STAGE_COMPUTE,
             STK_TUNE_EQUAL, "knobs.passes_off"},
    .propose = propose};
