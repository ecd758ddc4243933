/* Finds the largest batch that fits. Each candidate is planned completely, since buffer assignment
 * and kernels vary with the batch. */
#include "train/session/session.h"
#include <stoker/train_bench.h>

enum { BATCH_MAX = 1000000 }; /* of data.batch */

typedef struct search {
    stk_train_recipe recipe; /* with the current batch */
    stk_session     *session;
    bool             inference;
    uint64_t         limit;
    int64_t          fits, fails; /* largest that fits; smallest that does not */
    stk_memory_plan  plan;        /* of fits */
    uint64_t         taken;       /* bytes of fails; 0: it cannot be planned */
} search;

static uint64_t bytes_of(const stk_memory_plan *plan)
{
    return plan->fixed + plan->arena;
}

/* A batch beyond an operation's size limit does not fit. */
static bool is_too_large(stk_status st)
{
    return st == STK_E_LIMIT || st == STK_E_NOMEM || st == STK_E_CEILING || st == STK_E_UNSUPPORTED;
}

static stk_status look_at(search *s, int64_t batch, stk_error *err)
{
    stk_memory_plan plan;
    s->recipe.data.batch = s->recipe.data.eval_batch = batch;
    const stk_status st =
        stk_session_plan(s->session, s->recipe.data.size, s->inference, &plan, err);
    if (st && (batch == 1 || !is_too_large(st))) return st;
    if (!st && bytes_of(&plan) <= s->limit) {
        s->fits = batch;
        s->plan = plan;
    } else {
        s->fails = batch;
        s->taken = st ? 0 : bytes_of(&plan);
    }
    return STK_OK;
}

/* Where memory would reach the limit by linear growth from zero, or between both bounds; always
 * strictly between them. */
static int64_t guess(const search *s, int64_t turn)
{
    const double used = (double)s->plan.arena, left = (double)(s->limit - bytes_of(&s->plan));
    const bool   both = s->fails <= BATCH_MAX;
    double       each = used / (double)s->fits;
    if (both && s->taken > bytes_of(&s->plan))
        each = (double)(s->taken - bytes_of(&s->plan)) / (double)(s->fails - s->fits);
    int64_t next = s->fits + (int64_t)(left / (each > 1 ? each : 1));
    if (both && (turn % 4 == 3 || !s->taken)) next = s->fits + (s->fails - s->fits) / 2;
    if (next <= s->fits) next = s->fits + 1;
    if (next >= s->fails) next = s->fails - 1;
    return next;
}

static stk_status find(search *s, stk_error *err)
{
    STK_TRY(look_at(s, 1, err));
    if (!s->fits)
        return stk_fail(err, STK_E_LIMIT, "memory plan", NULL,
                        "a batch of 1 takes %.1f MB but there are %.1f MB", (double)s->taken / 1e6,
                        (double)s->limit / 1e6);
    for (int64_t turn = 0; s->fails - s->fits > 1; turn++)
        STK_TRY(look_at(s, guess(s, turn), err));
    return STK_OK;
}

/* Memory is not monotonic: multiples of 64 or 8 may fit above a batch that does not. */
static stk_status climb(search *s, stk_error *err)
{
    const double  each = (double)s->plan.arena / (double)s->fits;
    const double  more = (double)(s->limit - bytes_of(&s->plan)) / (each > 1 ? each : 1);
    const int64_t top = s->fits + (more < BATCH_MAX ? (int64_t)more : BATCH_MAX), before = s->fits;
    for (int64_t unit = 64; unit >= 8 && s->fits == before; unit /= 2)
        for (int64_t i = 0; i < 2 && s->fits == before; i++) {
            const int64_t batch = (top / unit - i) * unit;
            if (batch > before && batch <= BATCH_MAX) STK_TRY(look_at(s, batch, err));
        }
    return STK_OK;
}

stk_status stk_train_largest_batch(const stk_train_recipe *recipe, bool inference, uint64_t limit,
                                   int64_t *batch, stk_memory_plan *plan, stk_error *err)
{
    search s = {.recipe = *recipe, .inference = inference, .limit = limit, .fails = BATCH_MAX + 1};
    STK_TRY(stk_session_open(&s.session, &s.recipe, !inference, NULL, err));
    stk_status st = find(&s, err);
    if (!st && s.fits < BATCH_MAX) st = climb(&s, err);
    stk_session_free(s.session);
    *batch = s.fits;
    *plan = s.plan;
    return st;
}
