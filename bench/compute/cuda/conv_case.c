#include "conv_case.h"
#include "conv_check.h"
#include <stdlib.h>

enum { SMALL_BATCH = 2, ALIGNED = 256, LEAST_SETS = 2, MOST_SETS = 16 };

static const uint64_t rotated_bytes = 256u << 20;
static const float    noise_scale = 0.5f;

static stk_status check_cuda(cudaError_t status, const char *tried, stk_error *err)
{
    if (status == cudaSuccess) return STK_OK;
    return stk_fail(err, STK_E_IO, "cuda", tried, "%s", cudaGetErrorString(status));
}

static void *take(conv_memory *memory, size_t bytes)
{
    const size_t padded = (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    if (padded > memory->arena_bytes - memory->used) return NULL;
    void *at = memory->arena + memory->used;
    memory->used += padded;
    return at;
}

int conv_memory_set_count(const stk_cudnn_spec *spec)
{
    const uint64_t sets = rotated_bytes / stk_cudnn_spec_bytes(spec) + 1;
    return sets < LEAST_SETS ? LEAST_SETS : sets > MOST_SETS ? MOST_SETS : (int)sets;
}

static size_t elements(const stk_cudnn_tensor *t)
{
    return (size_t)(t->dim[0] * t->dim[1] * t->dim[2] * t->dim[3]);
}

void **conv_memory_sets(conv_memory *memory, const stk_cudnn_spec *spec, int sets)
{
    void **data = calloc((size_t)(sets * spec->tensors), sizeof *data);
    memory->used = 0;
    for (int i = 0; data && i < sets * spec->tensors; i++) {
        const stk_cudnn_tensor *t = &spec->tensor[i % spec->tensors];
        if (t->is_virtual) continue;
        data[i] = take(memory, stk_cudnn_tensor_bytes(t));
        if (!data[i] || conv_fill(data[i], t->dtype, elements(t), (unsigned)i + 1, noise_scale,
                                  memory->stream) != cudaSuccess) {
            free(data);
            return NULL;
        }
    }
    return data;
}

static bool compiles(const conv_case *c)
{
    return c->compiled > 2;
}

/* For a graph whose plans are compiled, the check has a plan of its own, which is compiled together
 * with the others; otherwise the check takes the winner. */
static void prepare_small(conv_case *c, const stk_cudnn_target *target, size_t workspace)
{
    const stk_cudnn_tune_options options = {.workspace = workspace, .candidates = 1, .compiled = 1};
    c->small_spec = (stk_cudnn_spec){.name = c->name};
    c->pattern->build(&c->small_spec, c->conv, SMALL_BATCH, c->type);
    if (stk_cudnn_graph_new(&c->small_graph, target, &c->small_spec, NULL)) return;
    if (compiles(c) && stk_cudnn_search_new(&c->small_search, c->small_graph, &options, NULL))
        c->small_search = NULL;
}

void conv_case_prepare(conv_case *c, int64_t batch, const stk_cudnn_target *target,
                       size_t workspace)
{
    const stk_cudnn_tune_options options = {
        .workspace = workspace, .candidates = 32, .compiled = c->compiled};
    c->error = -1;
    if (!c->pattern) return;
    c->spec = (stk_cudnn_spec){.name = c->name};
    c->pattern->build(&c->spec, c->conv, batch, c->type);
    c->status = stk_cudnn_graph_new(&c->graph, target, &c->spec, &c->err);
    if (!c->status) c->status = stk_cudnn_search_new(&c->search, c->graph, &options, &c->err);
    if (!c->status) prepare_small(c, target, workspace);
}

void conv_case_time(conv_case *c, conv_memory *memory)
{
    if (c->status) return;
    const int sets = conv_memory_set_count(&c->spec);
    void    **data = conv_memory_sets(memory, &c->spec, sets);
    if (!data) {
        c->status = stk_fail(&c->err, STK_E_NOMEM, "memory", c->name, "no space for %d sets", sets);
        return;
    }
    const stk_cudnn_timing stage = {.handle = memory->handle,
                                    .stream = memory->stream,
                                    .data = data,
                                    .sets = sets,
                                    .workspace = memory->workspace,
                                    .seconds = 1};
    stk_cudnn_result       result;
    c->status = stk_cudnn_search_time(c->search, &stage, &result, &c->err);
    free(data);
    if (c->status) return;
    c->us = result.us;
    c->workspace = result.workspace;
    c->timed = result.timed;
    stk_cudnn_choice_text(&result.choice, c->engine, sizeof c->engine);
}

/* Which tensors an op writes, by their place in its list. */
static bool writes(const stk_cudnn_op *op, int place)
{
    switch (op->kind) {
    case STK_CUDNN_REDUCE:
        return place == 1;
    case STK_CUDNN_GENSTATS:
        return place == 1 || place == 2;
    case STK_CUDNN_BN_BWD_WEIGHTS:
        return place >= 5;
    default:
        return place == 2;
    }
}

static bool is_output(const stk_cudnn_spec *spec, int tensor)
{
    for (int i = 0; i < spec->ops; i++)
        for (int k = 0; k < STK_CUDNN_ROLES; k++)
            if (spec->op[i].tensor[k] == tensor && writes(&spec->op[i], k)) return true;
    return false;
}

static stk_status compare(conv_case *c, conv_memory *memory, void **data, float **want,
                          stk_error *err)
{
    for (int i = 0; i < c->small_spec.tensors; i++) {
        const stk_cudnn_tensor *t = &c->small_spec.tensor[i];
        double                  error;
        if (t->is_virtual || !is_output(&c->small_spec, i + 1)) continue;
        float *got = take(memory, elements(t) * sizeof *got);
        if (!got) return stk_fail(err, STK_E_NOMEM, "memory", c->name, "no space for a check");
        STK_TRY(check_cuda(conv_widen(got, data[i], t->dtype, elements(t), memory->stream), "widen",
                           err));
        STK_TRY(check_cuda(
            conv_difference(got, want[i], elements(t), memory->sums, &error, memory->stream),
            "difference", err));
        if (!(error <= c->error)) c->error = error;
    }
    return STK_OK;
}

static stk_status compute(conv_case *c, conv_memory *memory, void **data,
                          const stk_cudnn_plan *plan, stk_error *err)
{
    float                  *want[STK_CUDNN_TENSORS] = {0};
    stk_cudnn_variant_pack *pack;
    for (int i = 0; i < c->small_spec.tensors; i++) {
        const stk_cudnn_tensor *t = &c->small_spec.tensor[i];
        want[i] = take(memory, elements(t) * sizeof **want);
        if (!want[i]) return stk_fail(err, STK_E_NOMEM, "memory", c->name, "no space for a check");
        if (!data[i]) continue;
        STK_TRY(check_cuda(conv_widen(want[i], data[i], t->dtype, elements(t), memory->stream),
                           "widen", err));
    }
    STK_TRY(check_cuda(conv_reference(&c->small_spec, want, memory->stream), "reference", err));
    STK_TRY(stk_cudnn_variant_pack_new(&pack, c->small_graph, data, memory->workspace, err));
    stk_status st = stk_cudnn_run(memory->handle, plan, pack, err);
    if (!st) st = check_cuda(cudaStreamSynchronize(memory->stream), "a checked plan", err);
    if (!st) st = compare(c, memory, data, want, err);
    stk_cudnn_variant_pack_free(pack);
    return st;
}

/* The winner's engine with its knobs, or that engine alone where a small batch does not like them.
 */
static stk_cudnn_plan *winner(const conv_case *c)
{
    stk_cudnn_choice choice;
    stk_cudnn_plan  *plan;
    if (stk_cudnn_choice_parse(&choice, c->engine, NULL)) return NULL;
    if (!stk_cudnn_plan_new(&plan, c->small_graph, &choice, NULL)) return plan;
    choice.knobs = 0;
    return stk_cudnn_plan_new(&plan, c->small_graph, &choice, NULL) ? NULL : plan;
}

/* The search lends its plan only after it was timed. */
static void check_compiled(conv_case *c, conv_memory *memory, void **data)
{
    const stk_cudnn_timing stage = {.handle = memory->handle,
                                    .stream = memory->stream,
                                    .data = data,
                                    .sets = 1,
                                    .workspace = memory->workspace};
    stk_cudnn_result       result;
    c->status = stk_cudnn_search_time(c->small_search, &stage, &result, &c->err);
    if (!c->status) c->status = compute(c, memory, data, result.plan, &c->err);
}

void conv_case_check(conv_case *c, conv_memory *memory)
{
    if (c->status || !c->pattern || !c->small_graph) return;
    if (compiles(c) && (!c->small_search || !stk_cudnn_search_built(c->small_search))) return;
    void **data = conv_memory_sets(memory, &c->small_spec, 1);
    if (!data) return;
    if (compiles(c)) {
        check_compiled(c, memory, data);
    } else {
        stk_cudnn_plan *plan = winner(c);
        if (plan && stk_cudnn_plan_workspace(plan) <= memory->workspace_bytes)
            c->status = compute(c, memory, data, plan, &c->err);
        stk_cudnn_plan_free(plan);
    }
    free(data);
}

void conv_case_release(conv_case *c)
{
    stk_cudnn_search_free(c->search);
    stk_cudnn_search_free(c->small_search);
    stk_cudnn_graph_free(c->graph);
    stk_cudnn_graph_free(c->small_graph);
    c->search = c->small_search = NULL;
    c->graph = c->small_graph = NULL;
}
