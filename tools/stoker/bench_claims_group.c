/* Trials that are timed in turn, and the rows of claims that come of them. */
#include "bench_claims_group.h"

#include <stdio.h>

void stk_group_release(stk_claim_group *g)
{
    for (size_t i = 0; i < g->count; i++)
        stk_trial_release(&g->trials[i]);
}

static stk_status note_opened(stk_claim_group *g, stk_status st, const stk_error *err)
{
    g->open[g->count] = !st;
    if (st) snprintf(g->why[g->count], sizeof g->why[0], "not measured: %s", err->message);
    g->count++;
    return st == STK_E_CANCELLED ? st : STK_OK;
}

stk_status stk_group_add(stk_claim_group *g, bool inference, const char *const *settings,
                         stk_error *err)
{
    stk_train_recipe recipe = g->claims->recipe;
    stk_status       st = STK_OK;
    for (const char *const *s = settings; *s && !st; s += 2)
        st = stk_train_recipe_set(&recipe, s[0], s[1], "claim", err);
    if (!st) st = stk_trial_recipe(&g->trials[g->count], &recipe, inference, err);
    return note_opened(g, st, err);
}

static stk_status add_graph(stk_claim_group *g, stk_status built, stk_graph *graph,
                            unsigned passes_off, stk_error *err)
{
    stk_status st = built;
    if (st) stk_graph_free(graph);
    if (!st) st = stk_trial_graph(&g->trials[g->count], graph, &g->claims->recipe, passes_off, err);
    return note_opened(g, st, err);
}

stk_status stk_group_add_dense(stk_claim_group *g, int64_t rows, int64_t in, int64_t width,
                               stk_error *err)
{
    stk_graph       *graph = NULL;
    const stk_status st = stk_claim_dense(&graph, rows, in, width, err);
    return add_graph(g, st, graph, 0, err);
}

stk_status stk_group_add_convolutions(stk_claim_group *g, stk_layout layout, int depth,
                                      int channels, unsigned passes_off, stk_error *err)
{
    const bool       large = g->claims->large;
    stk_graph       *graph = NULL;
    const stk_status st = stk_claim_convolutions(&graph, layout, depth, large ? 64 : 4,
                                                 large ? 56 : 14, channels, err);
    return add_graph(g, st, graph, passes_off, err);
}

void stk_group_add_none(stk_claim_group *g)
{
    snprintf(g->why[g->count++], sizeof g->why[0], "needs a GPU");
}

stk_status stk_group_run(stk_claim_group *g, stk_error *err)
{
    cli_trial *trials[STK_GROUP_TRIALS];
    size_t     count = 0;
    for (size_t i = 0; i < g->count; i++)
        if (g->open[i]) trials[count++] = &g->trials[i];
    return stk_trials_run(trials, count, g->claims->windows, g->claims->seconds, err);
}

static stk_claim *add_row(stk_claims *c, const stk_claim *row)
{
    stk_claim *to = &c->rows[c->count++];
    *to = *row;
    return to;
}

stk_claim *stk_group_compare(stk_claim_group *g, size_t before, size_t after, const stk_claim *row)
{
    stk_claim *to = add_row(g->claims, row);
    to->measured = g->open[before] && g->open[after];
    if (!to->measured) {
        snprintf(to->note, sizeof to->note, "%s", g->why[g->open[before] ? after : before]);
        return to;
    }
    const cli_trial *a = &g->trials[before], *b = &g->trials[after];
    const double     unit = a->bench ? 1 : 1e9;
    to->unit = a->bench ? "img/s" : "GFLOP/s";
    to->ratio = stk_trial_ratio(b, a);
    to->before = stk_trial_rate(a).median / unit;
    to->after = stk_trial_rate(b).median / unit;
    return to;
}

void stk_group_describe(stk_claim *row, const cli_trial *trial, const char *what)
{
    const stk_train_recipe *r = &trial->recipe;
    if (!row->measured) return;
    snprintf(row->compared, sizeof row->compared, "%s, batch %lld, %lld x %lld, %s: %s",
             r->model.name, (long long)r->data.batch, (long long)r->data.size,
             (long long)r->data.size, r->train.precision, what);
}
