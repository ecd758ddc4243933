#include "compute/cuda/cudnn_tune.h"
#include "base/clock.h"
#include "base/threads.h"
#include "compute/cuda/cudnn_timer.h"
#include <cuda_runtime_api.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { PROPOSALS = 256, SAMPLES = 5, FINALISTS = 3, THREADS = 64, SETS = 64 };

/* Tolerated slowdown of an engine with reproducible bits. */
static const double slowdown_max = 1.5, repeatable_worth = 1.03;

typedef struct candidate {
    stk_cudnn_choice choice;
    stk_cudnn_plan  *plan; /* NULL: not built */
    double           us;   /* 0: not timed */
} candidate;

struct stk_cudnn_search {
    const stk_cudnn_graph *graph;
    stk_cudnn_tune_options options;
    candidate              list[STK_CUDNN_CANDIDATES];
    int                    count;
    stk_error              why[STK_CUDNN_CANDIDATES]; /* why a plan is missing */
};

static bool repeatable(const stk_cudnn_choice *choice)
{
    return !(choice->numerical & (1u << CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC));
}

static bool compiles(const stk_cudnn_choice *choice)
{
    return choice->behavior & (1u << CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION);
}

static void take(stk_cudnn_search *s, const stk_cudnn_choice *proposals, int count)
{
    int compiled = 0;
    for (int i = 0; i < count && s->count < s->options.candidates; i++) {
        const stk_cudnn_choice *c = &proposals[i];
        if (c->numerical & s->options.refused) continue;
        if (compiles(c) && compiled++ >= s->options.compiled) continue;
        s->list[s->count++].choice = *c;
    }
}

/* Also queries mode B, whose proposals are better where they differ from A's. */
static stk_status query_heuristics(stk_cudnn_search *s, stk_error *err)
{
    static const cudnnBackendHeurMode_t modes[] = {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B,
                                                   CUDNN_HEUR_MODE_FALLBACK};
    stk_cudnn_choice                   *proposals = calloc(PROPOSALS, sizeof *proposals);
    if (!proposals) return stk_fail(err, STK_E_NOMEM, "cudnn", NULL, "no memory for proposals");
    int        count = 0;
    stk_status st = STK_OK;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        const stk_status mode_st =
            stk_cudnn_propose(s->graph, modes[i], proposals, PROPOSALS, &count, err);
        if (mode_st) st = mode_st;
    }
    take(s, proposals, count);
    free(proposals);
    if (s->count) return STK_OK;
    if (st) return st;
    return stk_fail(err, STK_E_UNSUPPORTED, "cudnn", stk_cudnn_graph_spec(s->graph)->name,
                    "no engine of %d proposed fits", count);
}

stk_status stk_cudnn_search_new(stk_cudnn_search **out, const stk_cudnn_graph *graph,
                                const stk_cudnn_tune_options *options, stk_error *err)
{
    *out = NULL;
    stk_cudnn_search *s = calloc(1, sizeof *s);
    if (!s) return stk_fail(err, STK_E_NOMEM, "cudnn", NULL, "no memory for a search");
    s->graph = graph;
    s->options = *options;
    if (!s->options.candidates) s->options.candidates = 24;
    if (s->options.candidates > STK_CUDNN_CANDIDATES) s->options.candidates = STK_CUDNN_CANDIDATES;
    if (!s->options.compiled) s->options.compiled = 6;
    const stk_status st = query_heuristics(s, err);
    if (st) {
        stk_cudnn_search_free(s);
        return st;
    }
    *out = s;
    return STK_OK;
}

stk_status stk_cudnn_search_only(stk_cudnn_search **out, const stk_cudnn_graph *graph,
                                 const stk_cudnn_choice *choice, size_t workspace, stk_error *err)
{
    stk_cudnn_search *s = *out = calloc(1, sizeof *s);
    if (!s) return stk_fail(err, STK_E_NOMEM, "cudnn", NULL, "no memory for a search");
    s->graph = graph;
    s->options.workspace = workspace;
    s->list[s->count++].choice = *choice;
    return STK_OK;
}

void stk_cudnn_search_free(stk_cudnn_search *search)
{
    if (!search) return;
    for (int i = 0; i < search->count; i++)
        stk_cudnn_plan_free(search->list[i].plan);
    free(search);
}

int stk_cudnn_search_built(const stk_cudnn_search *search)
{
    int built = 0;
    for (int i = 0; i < search->count; i++)
        built += search->list[i].plan != NULL;
    return built;
}

size_t stk_cudnn_search_workspace(const stk_cudnn_search *search)
{
    size_t max = 0;
    for (int i = 0; i < search->count; i++) {
        if (!search->list[i].plan) continue;
        const size_t bytes = stk_cudnn_plan_workspace(search->list[i].plan);
        if (bytes > max) max = bytes;
    }
    return max;
}

/* Shared by build threads: the index of the next plan. */
typedef struct build_job {
    stk_cudnn_search *const *searches;
    int                      count;
    atomic_int               next;
    uint64_t                 end_ns;
    const stk_cancel        *cancel;
    int                      device;
} build_job;

static void build_one(stk_cudnn_search *s, int index, uint64_t end_ns)
{
    candidate *c = &s->list[index];
    stk_error *why = &s->why[index];
    if (c->plan) return;
    if (stk_clock_ns() > end_ns) {
        (void)stk_fail(why, STK_E_CANCELLED, "cudnn", NULL, "no time left to build it");
        return;
    }
    if (stk_cudnn_plan_new(&c->plan, s->graph, &c->choice, why)) return;
    const size_t workspace = stk_cudnn_plan_workspace(c->plan);
    if (workspace <= s->options.workspace) return;
    (void)stk_fail(why, STK_E_LIMIT, "cudnn", NULL,
                   "needs a workspace of %zu bytes; the limit is %zu", workspace,
                   s->options.workspace);
    stk_cudnn_plan_free(c->plan);
    c->plan = NULL;
}

static void *build_some(void *context)
{
    build_job *job = context;
    cudaSetDevice(job->device);
    for (;;) {
        int at = atomic_fetch_add(&job->next, 1), i = 0;
        while (i < job->count && at >= job->searches[i]->count)
            at -= job->searches[i++]->count;
        if (i == job->count || stk_cancel_requested(job->cancel)) return NULL;
        build_one(job->searches[i], at, job->end_ns);
    }
}

stk_status stk_cudnn_search_build(stk_cudnn_search *const *searches, int count, int threads,
                                  double seconds, const stk_cancel *cancel, stk_error *err)
{
    build_job job = {.searches = searches,
                     .count = count,
                     .end_ns = stk_clock_ns() + (uint64_t)(seconds * 1e9),
                     .cancel = cancel};
    if (cudaGetDevice(&job.device) != cudaSuccess) job.device = 0;
    if (threads > THREADS) threads = THREADS;
    stk_thread thread[THREADS] = {0};
    stk_status st = STK_OK;
    for (int i = 1; i < threads && !st; i++)
        st = stk_thread_start(&thread[i], "cudnn-build", build_some, &job, err);
    if (!st) build_some(&job);
    for (int i = 1; i < threads; i++)
        stk_thread_join(&thread[i]);
    return st ? st : stk_cancel_check(cancel, "compile", err);
}

/* Timing state: packs and the plan being timed. */
typedef struct bench {
    const stk_cudnn_timing *timing;
    stk_timer               timer;
    stk_cudnn_variant_pack *pack[SETS];
    int                     packs;
    const stk_cudnn_plan   *plan;
} bench;

static void close_bench(bench *b)
{
    for (int i = 0; i < b->packs; i++)
        stk_cudnn_variant_pack_free(b->pack[i]);
    stk_timer_release(&b->timer);
}

static stk_status open_bench(bench *b, const stk_cudnn_graph *graph, const stk_cudnn_timing *timing,
                             stk_error *err)
{
    const int tensors = stk_cudnn_graph_spec(graph)->tensors;
    *b = (bench){.timing = timing};
    if (timing->sets < 1 || timing->sets > SETS)
        return stk_fail(err, STK_E_LIMIT, "cudnn", NULL, "%d sets of addresses; 1 to %d can be",
                        timing->sets, SETS);
    STK_TRY(stk_timer_init(&b->timer, timing->stream, timing->sets, err));
    for (; b->packs < timing->sets; b->packs++)
        STK_TRY(stk_cudnn_variant_pack_new(
            &b->pack[b->packs], graph, timing->data + b->packs * tensors, timing->workspace, err));
    return STK_OK;
}

static stk_status run_plan(void *context, int set, stk_error *err)
{
    const bench *b = context;
    return stk_cudnn_run(b->timing->handle, b->plan, b->pack[set], err);
}

static candidate *fastest(stk_cudnn_search *s, bool only_repeatable)
{
    candidate *best = NULL;
    for (int i = 0; i < s->count; i++) {
        candidate *c = &s->list[i];
        if (c->us <= 0 || (only_repeatable && !repeatable(&c->choice))) continue;
        if (!best || c->us < best->us) best = c;
    }
    return best;
}

static candidate *best_of(stk_cudnn_search *s)
{
    candidate *best = fastest(s, false), *same_bits = fastest(s, true);
    return same_bits && same_bits->us <= repeatable_worth * best->us ? same_bits : best;
}

/* A failed launch leaves the context intact; a failed kernel does not. */
static stk_status time_one(stk_cudnn_search *s, bench *b, int index, int samples, double limit,
                           stk_error *err)
{
    candidate *c = &s->list[index];
    b->plan = c->plan;
    if (!stk_timer_median(&b->timer, samples, limit, run_plan, b, &c->us, &s->why[index]))
        return STK_OK;
    c->us = 0;
    cudaGetLastError();
    if (cudaStreamSynchronize(b->timing->stream) == cudaSuccess) return STK_OK;
    char text[STK_CUDNN_CHOICE_TEXT];
    return stk_fail(err, STK_E_IO, "cudnn", stk_cudnn_graph_spec(s->graph)->name,
                    "engine %s broke the context: %s",
                    stk_cudnn_choice_text(&c->choice, text, sizeof text), s->why[index].message);
}

static stk_status time_all(stk_cudnn_search *s, bench *b, stk_error *err)
{
    const uint64_t begin = stk_clock_ns();
    for (int i = 0; i < s->count; i++) {
        const double seconds = (double)(stk_clock_ns() - begin) / 1e9;
        if (!s->list[i].plan) continue;
        if (b->timing->seconds > 0 && seconds > b->timing->seconds && best_of(s)) break;
        const candidate *best = best_of(s);
        STK_TRY(time_one(s, b, i, SAMPLES, best ? slowdown_max * best->us : 0, err));
    }
    return STK_OK;
}

/* The minimum of many noisy times is biased; a second round of few finalists is not. */
static stk_status time_finalists(stk_cudnn_search *s, bench *b, stk_error *err)
{
    bool chosen[STK_CUDNN_CANDIDATES] = {0};
    for (int round = 0; round < FINALISTS; round++) {
        int best = -1;
        for (int i = 0; i < s->count; i++)
            if (!chosen[i] && s->list[i].us > 0 && (best < 0 || s->list[i].us < s->list[best].us))
                best = i;
        if (best < 0) break;
        chosen[best] = true;
    }
    candidate *same_bits = fastest(s, true);
    if (same_bits) chosen[same_bits - s->list] = true;
    for (int i = 0; i < s->count; i++)
        if (chosen[i])
            STK_TRY(time_one(s, b, i, STK_TIMER_SAMPLES, 0, err));
        else
            s->list[i].us = 0;
    return STK_OK;
}

static stk_status nothing_runs(const stk_cudnn_search *s, stk_error *err)
{
    for (int i = 0; i < s->count; i++)
        if (s->why[i].status) {
            if (err) *err = s->why[i];
            return s->why[i].status;
        }
    return stk_fail(err, STK_E_UNSUPPORTED, "cudnn", stk_cudnn_graph_spec(s->graph)->name,
                    "none of %d plans was built", s->count);
}

stk_status stk_cudnn_search_time(stk_cudnn_search *search, const stk_cudnn_timing *timing,
                                 stk_cudnn_result *out, stk_error *err)
{
    *out = (stk_cudnn_result){0};
    bench      b;
    stk_status st = open_bench(&b, search->graph, timing, err);
    if (!st) st = time_all(search, &b, err);
    for (int i = 0; i < search->count; i++)
        out->timed += search->list[i].us > 0;
    if (!st) st = time_finalists(search, &b, err);
    close_bench(&b);
    if (st) return st;
    const candidate *best = best_of(search);
    if (!best) return nothing_runs(search, err);
    out->choice = best->choice;
    out->plan = best->plan;
    out->us = best->us;
    out->workspace = stk_cudnn_plan_workspace(best->plan);
    return STK_OK;
}

static bool first_of(stk_cudnn_search *s, bool only_repeatable, stk_cudnn_result *out)
{
    for (int i = 0; i < s->count; i++) {
        candidate *c = &s->list[i];
        if (only_repeatable && !repeatable(&c->choice)) continue;
        build_one(s, i, UINT64_MAX);
        if (!c->plan) continue;
        *out = (stk_cudnn_result){.choice = c->choice, .plan = c->plan};
        out->workspace = stk_cudnn_plan_workspace(c->plan);
        return true;
    }
    return false;
}

/* Without timing a non-reproducible engine is not preferred. */
stk_status stk_cudnn_search_first(stk_cudnn_search *search, stk_cudnn_result *out, stk_error *err)
{
    *out = (stk_cudnn_result){0};
    if (first_of(search, true, out) || first_of(search, false, out)) return STK_OK;
    return nothing_runs(search, err);
}

stk_cudnn_plan *stk_cudnn_search_release_plan(stk_cudnn_search       *search,
                                              const stk_cudnn_result *result)
{
    for (int i = 0; i < search->count; i++)
        if (search->list[i].plan == result->plan) {
            stk_cudnn_plan *plan = search->list[i].plan;
            search->list[i].plan = NULL;
            return plan;
        }
    return NULL;
}
