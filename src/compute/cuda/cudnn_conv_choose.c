#include "compute/cuda/cudnn_conv_choose.h"
#include "compute/cuda/cudnn_conv_measure.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 24, COMPILED = 2, PLAIN = 0, FUSED = 1 };

static const size_t workspace_bytes = 1ull << 30, gemm_bytes = 64ull << 20;
static const double build_seconds = 60;

typedef struct entry {
    stk_conv_chosen
         chosen; /* must be first; borrows from candidates or owns what it took from them */
    char key[STK_TUNING_KEY];
    stk_conv_candidates candidates;
    bool                queried, can; /* the libraries were queried, and support it */
    bool                wanted, ready;
    int                 restored; /* graph of the single plan from the tuning file; -1: none */
    struct entry       *next;
} entry;

struct stk_conv_choices {
    entry *first;
};

stk_status stk_conv_choices_new(stk_conv_choices **out, stk_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? STK_OK : stk_fail(err, STK_E_NOMEM, "cudnn", NULL, "no memory");
}

static void free_entry(entry *e)
{
    stk_cudnn_plan_free(e->ready ? e->chosen.algorithm.plan : NULL);
    stk_conv_candidates_release(&e->candidates);
    free(e);
}

void stk_conv_choices_free(stk_conv_choices *choices)
{
    if (!choices) return;
    for (entry *e = choices->first, *next; e; e = next) {
        next = e->next;
        free_entry(e);
    }
    free(choices);
}

static stk_status find(stk_cuda_libraries *l, const stk_conv_problem *c, entry **out,
                       stk_error *err)
{
    char key[STK_TUNING_KEY];
    stk_conv_key(c, key, sizeof key);
    for (entry *e = l->convs->first; e; e = e->next)
        if (strcmp(e->key, key) == 0) {
            *out = e;
            return STK_OK;
        }
    entry *e = *out = calloc(1, sizeof *e);
    if (!e) return stk_fail(err, STK_E_NOMEM, "cudnn", NULL, "no memory");
    memcpy(e->key, key, sizeof key);
    e->chosen.c = *c;
    e->restored = -1;
    e->next = l->convs->first;
    l->convs->first = e;
    return STK_OK;
}

static stk_status make_graph(const stk_cuda_libraries *l, entry *e, int graph, stk_error *err)
{
    stk_cudnn_spec spec;
    if (e->candidates.graph[graph]) return STK_OK;
    stk_conv_spec(&e->chosen.c, graph == FUSED, &spec);
    return stk_cudnn_graph_new(&e->candidates.graph[graph], &(stk_cudnn_target){.handle = l->cudnn},
                               &spec, err);
}

static stk_status propose(const stk_cuda_libraries *l, entry *e, int graph, stk_error *err)
{
    const stk_cudnn_tune_options options = {.refused = stk_conv_refused(&e->chosen.c),
                                            .candidates = CANDIDATES,
                                            .compiled = COMPILED,
                                            .workspace = workspace_bytes};
    if (e->candidates.search[graph]) return STK_OK;
    STK_TRY(make_graph(l, e, graph, err));
    return stk_cudnn_search_new(&e->candidates.search[graph], e->candidates.graph[graph], &options,
                                err);
}

static stk_status propose_gemm(const stk_cuda_libraries *l, entry *e, stk_error *err)
{
    if (e->candidates.gemm) return STK_OK;
    return stk_cublas_conv_new(&e->candidates.gemm, l->blas, &e->chosen.c, gemm_bytes, err);
}

static bool tuning_is_off(void)
{
    const char *setting = getenv("STOKER_TUNE");
    return setting && strcmp(setting, "off") == 0;
}

/* An engine needs another pass to add the addend; a GEMM does not. Fused engines were 1.1 to 2.7
 * times slower than either on an H200 (docs/design/cuda-convolutions.md). */
static stk_status propose_all(const stk_cuda_libraries *l, entry *e, stk_error *err)
{
    const stk_conv_problem *c = &e->chosen.c;
    bool                    gemm = stk_conv_is_gemm(c) && !propose_gemm(l, e, err);
    if (c->addend && gemm) return STK_OK;
    if (stk_conv_has_more(c) && !c->addend && stk_conv_spec_can(c) && !tuning_is_off() &&
        propose(l, e, FUSED, err))
        e->candidates.search[FUSED] = NULL;
    stk_status st = propose(l, e, PLAIN, err);
    return gemm || e->candidates.search[FUSED] ? STK_OK : st;
}

bool stk_conv_can(const stk_device *device, const stk_conv_problem *c)
{
    stk_cuda_libraries *l;
    stk_error           why;
    entry              *e;
    if (stk_cuda_libraries_of(device, &l, &why) || find(l, c, &e, &why)) return true;
    if (e->queried) return e->can;
    stk_status st = stk_tuning_find(l->tuning, e->key, NULL) ? STK_OK : propose_all(l, e, &why);
    e->queried = true;
    e->can = st != STK_E_UNSUPPORTED && st != STK_E_INVALID;
    return e->can;
}

stk_status stk_conv_enqueue_choice(const stk_device *device, const stk_conv_problem *c,
                                   stk_error *err)
{
    stk_cuda_libraries *l;
    entry              *e;
    STK_TRY(stk_cuda_libraries_of(device, &l, err));
    STK_TRY(find(l, c, &e, err));
    e->wanted = true;
    return STK_OK;
}

static void free_candidates(entry *e)
{
    stk_conv_candidates_release(&e->candidates);
    e->restored = -1;
}

/* The algorithm of the tuning file, as a search with one candidate; its plan is built later. */
static stk_status restore(const stk_cuda_libraries *l, entry *e, const char *text, stk_error *err)
{
    stk_cudnn_choice choice;
    const char      *rest;
    stk_conv_kind    kind = stk_conv_kind_parse(text, &rest);
    int              graph = kind == STK_CONV_FUSED ? FUSED : PLAIN;
    free_candidates(e);
    if (kind == STK_CONV_NO_ALGORITHM)
        return stk_fail(err, STK_E_FORMAT, "tuning", e->key, "'%s' is no choice", text);
    if (kind == STK_CONV_GEMM) {
        STK_TRY(propose_gemm(l, e, err));
        return stk_cublas_conv_parse(e->candidates.gemm, rest, err);
    }
    STK_TRY(stk_cudnn_choice_parse(&choice, rest, err));
    STK_TRY(make_graph(l, e, graph, err));
    STK_TRY(stk_cudnn_search_only(&e->candidates.search[graph], e->candidates.graph[graph], &choice,
                                  workspace_bytes, err));
    e->restored = graph;
    return STK_OK;
}

/* Keeps what the algorithm needs and frees all other candidates. */
static void decide(entry *e, const stk_conv_algorithm *algorithm, const char *how, double us)
{
    e->chosen.algorithm = *algorithm;
    e->chosen.how = how;
    e->chosen.us = us;
    e->ready = true;
    for (int i = 0; i < STK_CONV_GRAPHS; i++) {
        stk_cudnn_search *search = e->candidates.search[i];
        if (search && algorithm->graph == e->candidates.graph[i])
            stk_cudnn_search_release_plan(search, &(stk_cudnn_result){.plan = algorithm->plan});
        stk_cudnn_search_free(search);
        e->candidates.search[i] = NULL;
        if (algorithm->graph == e->candidates.graph[i]) continue;
        stk_cudnn_graph_free(e->candidates.graph[i]);
        e->candidates.graph[i] = NULL;
    }
    if (algorithm->kind == STK_CONV_GEMM) return;
    stk_cublas_conv_free(e->candidates.gemm);
    e->candidates.gemm = NULL;
}

static stk_status begin(const stk_cuda_libraries *l, entry *e, stk_error *err)
{
    double      us;
    stk_error   stale;
    const char *text = stk_tuning_find(l->tuning, e->key, &us);
    if (text && !restore(l, e, text, &stale)) {
        if (e->restored >= 0) return STK_OK;
        stk_conv_algorithm algorithm = stk_conv_algorithm_of(&e->candidates, 0, NULL);
        decide(e, &algorithm, "measured before", us);
        return STK_OK;
    }
    if (text) free_candidates(e); /* an outdated choice is measured again */
    return propose_all(l, e, err);
}

/* Without timing: an engine, since compiling a fused one takes seconds. */
static stk_status use_first(entry *e, const char *how, stk_error *err)
{
    stk_cudnn_result   result;
    stk_conv_algorithm algorithm;
    for (int i = 0; i < STK_CONV_GRAPHS; i++) {
        if (!e->candidates.search[i] ||
            stk_cudnn_search_first(e->candidates.search[i], &result, err))
            continue;
        algorithm = stk_conv_algorithm_of(&e->candidates, i, &result);
        decide(e, &algorithm, how, 0);
        return STK_OK;
    }
    algorithm = e->candidates.gemm ? stk_conv_algorithm_of(&e->candidates, 0, NULL)
                                   : (stk_conv_algorithm){0};
    decide(e, &algorithm, how, 0);
    return STK_OK;
}

static stk_status measure(stk_device *device, stk_cuda_libraries *l, entry *e, stk_error *err)
{
    char               text[STK_TUNING_CHOICE];
    stk_conv_algorithm algorithm;
    double             us;
    stk_status st = stk_conv_measure(device, l, &e->chosen.c, &e->candidates, &algorithm, &us, err);
    if (st == STK_E_NOMEM) return use_first(e, "not measured: no memory to do so", err);
    if (st == STK_E_UNSUPPORTED) {
        decide(e, &(stk_conv_algorithm){0}, "no engine runs", 0);
        return STK_OK;
    }
    STK_TRY(st);
    decide(e, &algorithm, "measured", us);
    return stk_tuning_set(l->tuning, e->key, stk_conv_algorithm_text(&algorithm, text, sizeof text),
                          us, err);
}

static stk_status build(const stk_device *device, stk_cudnn_search *const *list, int count,
                        stk_error *err)
{
    return stk_cudnn_search_build(list, count, device->options.threads, build_seconds,
                                  device->options.cancel, err);
}

static stk_status finish(stk_device *device, stk_cuda_libraries *l, entry *e, stk_error *err)
{
    double us = 0;
    if (e->ready) return STK_OK;
    if (e->restored >= 0) {
        stk_tuning_find(l->tuning, e->key, &us);
        if (stk_cudnn_search_built(e->candidates.search[e->restored])) {
            STK_TRY(use_first(e, "measured before", err));
            e->chosen.us = us;
            return STK_OK;
        }
        free_candidates(e);
        STK_TRY(propose_all(l, e, err));
        if (!tuning_is_off())
            for (int i = 0; i < STK_CONV_GRAPHS; i++)
                if (e->candidates.search[i])
                    STK_TRY(build(device, &e->candidates.search[i], 1, err));
    }
    return tuning_is_off() ? use_first(e, "not measured", err) : measure(device, l, e, err);
}

static bool is_due(const entry *e)
{
    return e->wanted && !e->ready;
}

static stk_status build_all(stk_device *device, stk_cuda_libraries *l, stk_error *err)
{
    int count = 0, capacity = 0;
    for (entry *e = l->convs->first; e; e = e->next)
        capacity += is_due(e) ? STK_CONV_GRAPHS : 0;
    stk_cudnn_search **list = calloc((size_t)capacity + 1, sizeof *list);
    if (!list) return stk_fail(err, STK_E_NOMEM, "cudnn", NULL, "no memory");
    for (entry *e = l->convs->first; e; e = e->next)
        for (int i = 0; i < STK_CONV_GRAPHS && is_due(e); i++)
            if (e->candidates.search[i] && (i == e->restored || !tuning_is_off()))
                list[count++] = e->candidates.search[i];
    stk_status st = build(device, list, count, err);
    free(list);
    return st;
}

/* If the file cannot be written, the next start measures again. */
static void save(stk_cuda_libraries *l)
{
    stk_error err;
    l->kept[0] = 0;
    if (stk_tuning_save(l->tuning, &err))
        snprintf(l->kept, sizeof l->kept, "; not kept: %s", err.message);
}

static stk_status choose_all(stk_device *device, stk_cuda_libraries *l, stk_error *err)
{
    for (entry *e = l->convs->first; e; e = e->next)
        if (is_due(e)) STK_TRY(begin(l, e, err));
    STK_TRY(build_all(device, l, err));
    stk_status st = STK_OK;
    for (entry *e = l->convs->first; e && !st; e = e->next) {
        if (!is_due(e)) continue;
        st = stk_cancel_check(device->options.cancel, "compile", err);
        if (!st) st = finish(device, l, e, err);
    }
    save(l); /* keeps choices measured before an interruption */
    return st;
}

stk_status stk_conv_choose(const stk_device *device, const stk_conv_problem *c,
                           const stk_conv_chosen **out, stk_error *err)
{
    stk_cuda_libraries *l;
    entry              *e;
    STK_TRY(stk_cuda_libraries_of(device, &l, err));
    STK_TRY(find(l, c, &e, err));
    e->wanted = true;
    if (!e->ready) STK_TRY(choose_all((stk_device *)device, l, err));
    *out = &e->chosen;
    return STK_OK;
}
