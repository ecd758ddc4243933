/* Gives the input as much memory as it takes by itself: queues, shuffle and caches live there. */
#include "tune/actions/actions.h"

static void propose(const stk_tune_action *self, const stk_action_context *c,
                    stk_tune_candidates *out)
{
    const int64_t usual = (int64_t)(c->machine->memory / 4 / 1000000);
    if (c->asked->knobs.memory_mb < 0 || c->asked->knobs.memory_mb >= usual) return;
    stk_tune_candidate one =
        stk_action_candidate(self, "let the input use %lld MB, not %lld", (long long)usual,
                             (long long)c->asked->knobs.memory_mb);
    stk_action_set(&one, "knobs.memory_mb", "%lld", (long long)usual);
    stk_action_predict_by_exposure(&one, c, STK_STAGE_READ, STK_STAGE_PREPROCESS);
    stk_tune_candidates_add(out, &one);
}

const stk_tune_action stk_action_memory = {
    .info = {"memory", "let the input use a quarter of the memory", STK_STAGE_PREPROCESS,
             STK_TUNE_EXACT, "knobs.memory_mb"},
    .propose = propose};
