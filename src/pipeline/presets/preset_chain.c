/* A preset's operations as a chain. */
#include "pipeline/presets/preset_chain.h"

#include <stdlib.h>
#include <string.h>

static stk_status add(stk_preset_chain *chain, const stk_preset_op *step, int size,
                      double augment_reduction, stk_error *err)
{
    char                parameters[256];
    const stk_image_op *op = stk_image_op_find(step->operation);
    void               *params = NULL;
    if (!op || chain->count == STK_PRESET_STEPS)
        return stk_fail(err, STK_E_UNSUPPORTED, "preset", step->operation,
                        "it is step %zu of its preset; a chain has %d steps of image operations",
                        chain->count + 1, STK_PRESET_STEPS);
    stk_preset_op_parameters(step, size, augment_reduction, parameters, sizeof parameters);
    STK_TRY(stk_image_params_parse(&params, op, parameters, err));
    chain->steps[chain->count++] =
        (stk_chain_op){.op = op,
                       .params = params,
                       .probability = stk_preset_op_probability(step, augment_reduction)};
    return STK_OK;
}

stk_status stk_preset_chain_init(stk_preset_chain *chain, const stk_preset *preset, int size,
                                 double augment_reduction, stk_error *err)
{
    *chain = (stk_preset_chain){0};
    for (const stk_preset_op *step = preset->train; step->operation; step++)
        STK_TRY(add(chain, step, size, augment_reduction, err));
    return STK_OK;
}

void stk_preset_chain_remove(stk_preset_chain *chain, const char *operation)
{
    size_t left = 0;
    for (size_t i = 0; i < chain->count; i++) {
        if (strcmp(chain->steps[i].op->name, operation) == 0)
            free((void *)(uintptr_t)chain->steps[i].params);
        else
            chain->steps[left++] = chain->steps[i];
    }
    chain->count = left;
}

void stk_preset_chain_release(stk_preset_chain *chain)
{
    for (size_t i = 0; i < chain->count; i++)
        free((void *)(uintptr_t)chain->steps[i].params);
    chain->count = 0;
}
