/* Keeps what was read for later epochs: in memory where it fits, else on a disk. */
#include "tune/actions/actions.h"

/* A cache may take half of the input's memory. */
static bool fits(const stk_action_context *c)
{
    const double capacity = (double)c->recipe->knobs.memory_mb * 1e6 / 2;
    return c->data_bytes >= 0 && c->data_bytes < capacity;
}

static void add(const stk_tune_action *self, const stk_action_context *c, const char *kind,
                const char *title, stk_tune_candidates *out)
{
    stk_tune_candidate one = stk_action_candidate(self, "%s", title);
    stk_action_set(&one, "data.cache", "%s", kind);
    if (!stk_action_predict_by_fix(&one, c, "cache"))
        stk_action_predict_by_exposure(&one, c, STK_STAGE_READ, STK_STAGE_PREPROCESS);
    stk_tune_candidates_add(out, &one);
}

static void propose(const stk_tune_action *self, const stk_action_context *c,
                    stk_tune_candidates *out)
{
    const stk_cache_kind now = c->recipe->data.cache;
    if (now != STK_CACHE_MEMORY && now != STK_CACHE_AUTO && fits(c))
        add(self, c, "memory", "keep what was read in memory", out);
    if (now == STK_CACHE_NONE && c->data_bytes >= 0 && !fits(c))
        add(self, c, "disk", "keep what was read on the local disk", out);
}

const stk_tune_action stk_action_cache = {.info = {"cache",
                                                   "keep what was read in memory or on a disk",
                                                   STK_STAGE_READ, STK_TUNE_EXACT, "data.cache"},
                                          .propose = propose};
