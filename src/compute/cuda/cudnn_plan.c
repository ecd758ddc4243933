/* Builds and runs execution plans. */
#include "compute/cuda/cudnn_desc.h"
#include "compute/cuda/cudnn_engine.h"
#include <stdlib.h>

struct stk_cudnn_plan {
    const stk_cudnn_graph   *graph;
    cudnnBackendDescriptor_t engine, config, plan;
    cudnnBackendDescriptor_t knob[STK_CUDNN_KNOBS];
    int                      knobs;
    size_t                   workspace;
};

struct stk_cudnn_variant_pack {
    cudnnBackendDescriptor_t it;
    const char              *name;
};

static stk_status make_knobs(stk_cudnn_plan *plan, const stk_cudnn_choice *choice, stk_error *err)
{
    for (int i = 0; i < choice->knobs; i++) {
        const cudnnBackendKnobType_t type = (cudnnBackendKnobType_t)choice->knob[i].type;
        stk_cudnn_desc               d = stk_cudnn_begin(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
        stk_cudnn_put(&d, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &type);
        stk_cudnn_put(&d, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1,
                      &choice->knob[i].value);
        STK_TRY(stk_cudnn_end(&d, &plan->knob[i], plan->graph->spec.name, err));
        plan->knobs++;
    }
    return STK_OK;
}

static stk_status make_config(stk_cudnn_plan *plan, const stk_cudnn_choice *choice, stk_error *err)
{
    STK_TRY(stk_cudnn_engine_new(&plan->engine, plan->graph, choice->engine, err));
    STK_TRY(make_knobs(plan, choice, err));
    stk_cudnn_desc d = stk_cudnn_begin(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    stk_cudnn_put_desc(&d, CUDNN_ATTR_ENGINECFG_ENGINE, plan->engine);
    if (plan->knobs)
        stk_cudnn_put(&d, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                      plan->knobs, plan->knob);
    return stk_cudnn_end(&d, &plan->config, plan->graph->spec.name, err);
}

static stk_status make_plan(stk_cudnn_plan *plan, const stk_cudnn_choice *choice, stk_error *err)
{
    const stk_cudnn_target *target = &plan->graph->target;
    STK_TRY(make_config(plan, choice, err));
    stk_cudnn_desc d = stk_cudnn_begin(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    if (target->handle)
        stk_cudnn_put(&d, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &target->handle);
    stk_cudnn_put_desc(&d, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, target->device);
    stk_cudnn_put_desc(&d, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, plan->config);
    STK_TRY(stk_cudnn_end(&d, &plan->plan, plan->graph->spec.name, err));
    int64_t workspace = 0, got;
    STK_TRY(stk_cudnn_check(cudnnBackendGetAttribute(plan->plan,
                                                     CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                                     CUDNN_TYPE_INT64, 1, &got, &workspace),
                            plan->graph->spec.name, "reading the workspace's size", err));
    plan->workspace = workspace > 0 ? (size_t)workspace : 0;
    return STK_OK;
}

stk_status stk_cudnn_plan_new(stk_cudnn_plan **out, const stk_cudnn_graph *graph,
                              const stk_cudnn_choice *choice, stk_error *err)
{
    *out = NULL;
    stk_cudnn_plan *plan = calloc(1, sizeof *plan);
    if (!plan) return stk_fail(err, STK_E_NOMEM, "cudnn", graph->spec.name, "no memory for a plan");
    plan->graph = graph;
    const stk_status st = make_plan(plan, choice, err);
    if (st) {
        stk_cudnn_plan_free(plan);
        return st;
    }
    *out = plan;
    return STK_OK;
}

void stk_cudnn_plan_free(stk_cudnn_plan *plan)
{
    if (!plan) return;
    stk_cudnn_drop(&plan->plan);
    stk_cudnn_drop(&plan->config);
    for (int i = 0; i < plan->knobs; i++)
        stk_cudnn_drop(&plan->knob[i]);
    stk_cudnn_drop(&plan->engine);
    free(plan);
}

size_t stk_cudnn_plan_workspace(const stk_cudnn_plan *plan)
{
    return plan->workspace;
}

stk_status stk_cudnn_variant_pack_new(stk_cudnn_variant_pack **out, const stk_cudnn_graph *graph,
                                      void *const *data, void *workspace, stk_error *err)
{
    *out = NULL;
    int64_t uid[STK_CUDNN_TENSORS], count = 0;
    void   *address[STK_CUDNN_TENSORS];
    for (int i = 0; i < graph->spec.tensors; i++) {
        if (graph->spec.tensor[i].is_virtual) continue;
        uid[count] = i + 1;
        address[count++] = data[i];
    }
    stk_cudnn_variant_pack *pack = calloc(1, sizeof *pack);
    if (!pack)
        return stk_fail(err, STK_E_NOMEM, "cudnn", graph->spec.name, "no memory for addresses");
    pack->name = graph->spec.name;
    stk_cudnn_desc d = stk_cudnn_begin(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    stk_cudnn_put(&d, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, uid);
    stk_cudnn_put(&d, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, address);
    stk_cudnn_put(&d, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
    const stk_status st = stk_cudnn_end(&d, &pack->it, graph->spec.name, err);
    if (st) {
        free(pack);
        return st;
    }
    *out = pack;
    return STK_OK;
}

void stk_cudnn_variant_pack_free(stk_cudnn_variant_pack *pack)
{
    if (!pack) return;
    stk_cudnn_drop(&pack->it);
    free(pack);
}

stk_status stk_cudnn_run(cudnnHandle_t handle, const stk_cudnn_plan *plan,
                         const stk_cudnn_variant_pack *pack, stk_error *err)
{
    return stk_cudnn_check(cudnnBackendExecute(handle, plan->plan, pack->it), pack->name,
                           "cudnnBackendExecute", err);
}
