/* Trials that are timed in turn, and the rows of claims that come of them. */
#include "bench_claims_group.h"

#include <stdio.h>

void cli_group_release(cli_claim_group *g)
{
    for (size_t i = 0; i < g->count; i++)
        cli_trial_release(&g->trials[i]);
}

static stk_status note_opened(cli_claim_group *g, stk_status st, const stk_error *err)
{
    g->open[g->count] = !st;
    if (st) snprintf(g->why[g->count], sizeof g->why[0], "not measured: %s", err->message);
    g->count++;
    return st == STK_E_CANCELLED ? st : STK_OK;
}

stk_status cli_group_add(cli_claim_group *g, bool inference, const char *const *settings,
                         stk_error *err)
{
    stk_train_recipe recipe = g->claims->recipe;
    stk_status       st = STK_OK;
    for (const char *const *s = settings; *s && !st; s += 2)
        st = stk_train_recipe_set(&recipe, s[0], s[1], "claim", err);
    if (!st) st = cli_trial_recipe(&g->trials[g->count], &recipe, inference, err);
    return note_opened(g, st, err);
}

static stk_status add_graph(cli_claim_group *g, stk_status built, stk_graph *graph,
                            unsigned passes_off, stk_error *err)
{
    stk_status st = built;
    if (st) stk_graph_free(graph);
    if (!st) st = cli_trial_graph(&g->trials[g->count], graph, &g->claims->recipe, passes_off, err);
    return note_opened(g, st, err);
}

stk_status cli_group_add_dense(cli_claim_group *g, int64_t rows, int64_t in, int64_t width,
                               stk_error *err)
{
    stk_graph       *graph = NULL;
    const stk_status st = cli_claim_dense(&graph, rows, in, width, err);
    return add_graph(g, st, graph, 0, err);
}

stk_status cli_group_add_convolutions(cli_claim_group *g, stk_layout layout, int depth,
                                      int channels, unsigned passes_off, stk_error *err)
{
    const bool       large = g->claims->large;
    stk_graph       *graph = NULL;
    const stk_status st = cli_claim_convolutions(&graph, layout, depth, large ? 64 : 4,
                                                 large ? 56 : 14, channels, err);
    return add_graph(g, st, graph, passes_off, err);
}

void cli_group_add_none(cli_claim_group *g)
{
    snprintf(g->why[g->count++], sizeof g->why[0], "needs a GPU");
}

stk_status cli_group_run(cli_claim_group *g, stk_error *err)
{
    cli_trial *trials[CLI_GROUP_TRIALS];
    size_t     count = 0;
    for (size_t i = 0; i < g->count; i++)
        if (g->open[i]) trials[count++] = &g->trials[i];
    return cli_trials_run(trials, count, g->claims->windows, g->claims->seconds, err);
}

static cli_claim *add_row(cli_claims *c, const cli_claim *row)
{
    cli_claim *to = &c->rows[c->count++];
    *to = *row;
    return to;
}

cli_claim *cli_group_compare(cli_claim_group *g, size_t before, size_t after, const cli_claim *row)
{
    cli_claim *to = add_row(g->claims, row);
    to->measured = g->open[before] && g->open[after];
    if (!to->measured) {
        snprintf(to->note, sizeof to->note, "%s", g->why[g->open[before] ? after : before]);
        return to;
    }
    const cli_trial *a = &g->trials[before], *b = &g->trials[after];
    const double     unit = a->bench ? 1 : 1e9;
    to->unit = a->bench ? "img/s" : "GFLOP/s";
    to->ratio = cli_trial_ratio(b, a);
    to->before = cli_trial_rate(a).median / unit;
    to->after = cli_trial_rate(b).median / unit;
    return to;
}

void cli_group_describe(cli_claim *row, const cli_trial *trial, const char *what)
{
    const stk_train_recipe *r = &trial->recipe;
    if (!row->measured) return;
    snprintf(row->compared, sizeof row->compared, "%s, batch %lld, %lld x %lld, %s: %s",
             r->model.name, (long long)r->data.batch, (long long)r->data.size,
             (long long)r->data.size, stk_train_recipe_word(r, "train.precision"), what);
}
