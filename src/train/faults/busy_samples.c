/* S2: work for every sample, in a stage of its own. */
#include "pipeline/plan/operator.h"
#include "train/faults/burn.h"
#include "train/faults/faults.h"

#include <stdlib.h>
#include <stoker/dataset_operators.h>
#include <stoker/function.h>

static stk_status map(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)call;
    (void)element;
    (void)err;
    stk_burn(*(const double *)context);
    return STK_OK;
}

static stk_status output_of(void *context, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    (void)context;
    (void)err;
    *out = *input;
    return STK_OK;
}

/* It leaves all values alone: images are still written into their batch at once. */
static stk_status make(stk_function **out, double rounds, stk_error *err)
{
    double *context = malloc(sizeof *context);
    *out = NULL;
    if (!context) return stk_fail(err, STK_E_NOMEM, "inject", "preprocess", "no memory");
    *context = rounds;
    const stk_function_info info = {.name = "injected",
                                    .traits = STK_FUNCTION_SAFE | STK_FUNCTION_ONE_VALUE,
                                    .value = -1,
                                    .context = context,
                                    .release = free,
                                    .output_of = output_of,
                                    .map = map};
    const stk_status        st = stk_function_new(out, &info, err);
    if (st) free(context);
    return st;
}

stk_status stk_faults_prepare(const stk_faults *faults, stk_dataset **data, stk_error *err)
{
    stk_function  *function;
    const uint64_t salt = (*data)->salt;
    if (!faults || faults->wanted.preprocess_s <= 0) return STK_OK;
    STK_TRY(make(&function, faults->wanted.preprocess_s * faults->rounds_per_s, err));
    const stk_status st = stk_dataset_map(data, function, NULL, err);
    stk_function_unref(function);
    /* Stages above draw the numbers that they would draw without it. */
    if (!st) (*data)->salt = salt;
    return st;
}
