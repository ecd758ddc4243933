/* Larger batches, as long as they fit, with the learning rate in proportion where the recipe gives
 * one (an open rate follows by itself), and LARS or LAMB where it becomes very large. */
#include "tune/actions/actions.h"
#include <stdlib.h>

enum { MULTIPLE = 8, HUGE_BATCH = 4096, ROUNDS_MIN = 10 };

/* Steps of a large batch are few: then an epoch cannot learn. */
static int64_t most_of(const stk_action_context *c)
{
    const int64_t fits = c->profile->largest_batch, seen = c->data->train_count / ROUNDS_MIN;
    return fits > 0 && fits < seen ? fits : seen;
}

static void scale_rate(stk_tune_candidate *one, const stk_action_context *c, double factor)
{
    const double rate = c->asked->train.learning_rate;
    if (rate > 0) stk_action_set(one, "train.learning_rate", "%.6g", rate * factor);
}

static void choose_optimizer(stk_tune_candidate *one, const stk_action_context *c, int64_t batch)
{
    const stk_optimizer_choice now = c->recipe->train.optimizer;
    if (batch < HUGE_BATCH) return;
    if (now == STK_OPTIMIZER_SGD || now == STK_OPTIMIZER_NESTEROV)
        stk_action_set(one, "train.optimizer", "lars");
    if (now == STK_OPTIMIZER_ADAMW) stk_action_set(one, "train.optimizer", "lamb");
}

/* The profile has compute's speed at other sizes. */
static void predict(stk_tune_candidate *one, const stk_action_context *c, int64_t batch)
{
    const stk_profile *p = c->profile;
    double             now = 0, then = 0;
    for (size_t i = 0; i < p->batch_count; i++) {
        if (p->batches[i].batch == c->recipe->data.batch) now = p->batches[i].samples_per_s;
        if (p->batches[i].batch == batch) then = p->batches[i].samples_per_s;
    }
    if (now > 0 && then > 0) {
        const double share = stk_action_exposed(c, STK_STAGE_COMPUTE);
        const double gain = 1 / (1 - share + share * now / then) - 1;
        stk_action_predict(one, gain / 2, gain, gain * 2 + 0.05);
    }
}

static void add(const stk_tune_action *self, const stk_action_context *c, int64_t batch,
                stk_tune_candidates *out)
{
    const int64_t      now = c->recipe->data.batch;
    stk_tune_candidate one = stk_action_candidate(self, "batches of %lld images, not %lld",
                                                  (long long)batch, (long long)now);
    stk_action_set(&one, "data.batch", "%lld", (long long)batch);
    scale_rate(&one, c, (double)batch / (double)now);
    choose_optimizer(&one, c, batch);
    predict(&one, c, batch);
    stk_tune_candidates_add(out, &one);
}

static void propose(const stk_tune_action *self, const stk_action_context *c,
                    stk_tune_candidates *out)
{
    const int64_t now = c->recipe->data.batch, most = most_of(c);
    const int64_t even = (now + MULTIPLE - 1) / MULTIPLE * MULTIPLE;
    if (even != now && even <= most) add(self, c, even, out);
    for (int64_t batch = 2 * even; batch <= most && batch <= 16 * even; batch *= 2)
        add(self, c, batch, out);
}

/* Half way between what runs and what does not; a rate that was given keeps its proportion. */
static void instead(const stk_tune_action *self, const stk_tune_trial *failed,
                    stk_tune_candidates *out)
{
    const char   *now_text = stk_tune_setting_get(&failed->before, "data.batch");
    const char   *bad_text = stk_tune_setting_get(&failed->change, "data.batch");
    const char   *rate = stk_tune_setting_get(&failed->change, "train.learning_rate");
    const int64_t bad = bad_text ? strtoll(bad_text, NULL, 10) : 0;
    const int64_t now = now_text ? strtoll(now_text, NULL, 10) : bad / 2;
    const int64_t half = (now + bad) / 2 / MULTIPLE * MULTIPLE;
    if (half <= now || half >= bad || half < now + now / 8) return;
    stk_tune_candidate one = stk_action_candidate(self, "batches of %lld images, as %lld failed",
                                                  (long long)half, (long long)bad);
    stk_action_set(&one, "data.batch", "%lld", (long long)half);
    if (rate)
        stk_action_set(&one, "train.learning_rate", "%.6g",
                       strtod(rate, NULL) * (double)half / (double)bad);
    one.predicted = failed->predicted;
    stk_tune_candidates_add(out, &one);
}

const stk_tune_action stk_action_batch = {
    .info = {"batch", "larger batches, with the learning rate in proportion", STK_STAGE_COMPUTE,
             STK_TUNE_LEARNING, "data.batch,train.learning_rate,train.optimizer"},
    .propose = propose,
    .instead = instead};
