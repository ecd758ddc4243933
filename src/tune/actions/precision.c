/* Convolutions and matrix products in fewer bits, where the machine has arithmetic for them; with a
 * larger batch as a pair, since halved memory makes room for it. */
#include "tune/actions/actions.h"
#include <string.h>

static void add(const stk_tune_action *self, const stk_action_context *c, const char *precision,
                bool larger, stk_tune_candidates *out)
{
    const int64_t      batch = 2 * c->recipe->data.batch;
    stk_tune_candidate one = larger
                                 ? stk_action_candidate(self, "compute in %s with batches of %lld",
                                                        precision, (long long)batch)
                                 : stk_action_candidate(self, "compute in %s", precision);
    stk_action_set(&one, "train.precision", "%s", precision);
    if (larger) stk_action_set(&one, "data.batch", "%lld", (long long)batch);
    if (larger && c->asked->train.learning_rate > 0)
        stk_action_set(&one, "train.learning_rate", "%.6g", 2 * c->asked->train.learning_rate);
    const double share = stk_action_exposed(c, STK_STAGE_COMPUTE);
    stk_action_predict(&one, 0, share * (larger ? 0.4 : 0.5), 8 * share);
    stk_tune_candidates_add(out, &one);
}

static void propose(const stk_tune_action *self, const stk_action_context *c,
                    stk_tune_candidates *out)
{
    static const char *const device[] = {"fp16", "bf16", "tf32"}, *const host[] = {"bf16"};
    const char *const *list = c->device ? device : host;
    const size_t       count = c->device ? 3 : c->machine->bf16 ? 1 : 0;
    const bool         full = c->recipe->train.precision == STK_PRECISION_FP32 ||
                      c->recipe->train.precision == STK_PRECISION_TF32;
    const char *now = stk_train_recipe_word(c->recipe, "train.precision");
    if (!full) return;
    for (size_t i = 0; i < count; i++) {
        if (now && strcmp(now, list[i]) == 0) continue;
        add(self, c, list[i], false, out);
        if (i == 0 && 20 * c->recipe->data.batch <= c->data->train_count)
            add(self, c, list[i], true, out);
    }
}

const stk_tune_action stk_action_precision = {
    .info = {"precision", "convolutions and products in fewer bits", STK_STAGE_COMPUTE,
             STK_TUNE_LEARNING, "train.precision,data.batch"},
    .propose = propose};
