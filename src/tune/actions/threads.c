/* Divides the cores between input and compute. The diagnosis names a division; its neighbours are
 * tried as well, since what threads cost each other is not in any profile. */
#include "tune/actions/actions.h"

typedef struct division {
    int compute, input;
} division;

static bool is_known(const division *list, size_t count, division one)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].compute == one.compute && list[i].input == one.input) return true;
    return false;
}

static void add(const stk_tune_action *self, const stk_action_context *c, division to, bool advised,
                stk_tune_candidates *out)
{
    const stk_train_recipe *r = c->recipe;
    stk_what_if             what;
    stk_tune_candidate      one = stk_action_candidate(
             self, "threads: %d compute and %d prepare input, not %lld and %lld", to.compute, to.input,
             (long long)r->knobs.threads, (long long)r->knobs.input_threads);
    /* What the recipe gives is left as it is, so that a pin of one leaves the other. */
    if (to.compute != c->asked->knobs.threads)
        stk_action_set(&one, "knobs.threads", "%d", to.compute);
    if (to.input != c->asked->knobs.input_threads)
        stk_action_set(&one, "knobs.input_threads", "%d", to.input);
    if (to.compute == r->knobs.threads) one.kind = STK_TUNE_EXACT;
    stk_what_if_init(&what);
    what.servers = to.input - 1;
    what.threads = to.compute;
    if (!advised || !stk_action_predict_by_fix(&one, c, "threads"))
        stk_action_predict_by_simulation(&one, c, &what);
    /* More threads than cores, and threads that share a core, are beyond the model. */
    if (one.predicted.high < 0.05) one.predicted.high = 0.05;
    if (one.predicted.value < 0.01) one.predicted.value = 0.01;
    stk_tune_candidates_add(out, &one);
}

static void propose(const stk_tune_action *self, const stk_action_context *c,
                    stk_tune_candidates *out)
{
    enum { MOST = 12 };
    const int      cores = c->machine->cores, physical = c->machine->physical;
    const int      t = (int)c->recipe->knobs.threads, i = (int)c->recipe->knobs.input_threads;
    const division tries[] = {{t, i + 1},
                              {t, i - 1},
                              {t, 2 * i},
                              {t, i / 2},
                              {t - 1, i + 1},
                              {t + 1, i - 1},
                              {t + 1, i},
                              {t - 1, i},
                              {c->device ? t : cores, i},
                              {c->device ? t : physical, i},
                              {t, cores}};
    division       known[MOST] = {{t, i}};
    size_t         count = 1;
    for (size_t k = 0; k < sizeof tries / sizeof *tries; k++) {
        const division to = tries[k];
        if (to.compute < 1 || to.input < 1 || to.compute > cores || to.input > cores ||
            (c->device && to.compute != t) || is_known(known, count, to))
            continue;
        known[count++] = to;
        add(self, c, to, to.compute + to.input == t + i && to.input > i, out);
    }
}

const stk_tune_action stk_action_threads = {.info = {"threads", "cores between input and compute",
                                                     STK_STAGE_PREPROCESS, STK_TUNE_EQUAL,
                                                     "knobs.threads,knobs.input_threads"},
                                            .propose = propose};
