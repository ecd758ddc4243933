/* pipeline: operators on top of the dataset that a function makes from an element. */
#include "pipeline/functions/builtin.h"

#include "pipeline/plan/operator.h"

typedef struct context {
    stk_function *expand;
    void         *context;
    void (*release)(void *context);
    stk_status (*apply)(void *context, stk_dataset **data, stk_error *err);
    stk_spec_keep keep;
} context;

static stk_status expand(void *untyped, const stk_call *call, const stk_element *element,
                         stk_dataset **out, stk_error *err)
{
    const context           *c = stk_builtin_context(untyped);
    const stk_function_info *below = stk_function_info_of(c->expand);
    STK_TRY(below->expand(below->context, call, element, out, err));
    return c->apply(c->context, out, err);
}

/* What the function below says of its datasets' elements. */
static stk_status output_of_expand(const context *c, const stk_element_spec *input,
                                   stk_element_spec *out, stk_error *err)
{
    const stk_function_info *below = stk_function_info_of(c->expand);
    *out = below->output && !below->output_of ? *below->output : (stk_element_spec){0};
    STK_TRY(stk_function_accepts(c->expand, input, err));
    return below->output_of ? below->output_of(below->context, input, out, err) : STK_OK;
}

/* An empty dataset of such elements, with the stages on top, says what comes out. What the stages
 * refuse there they may take while running, where more is known: then nothing is known here. */
static stk_status try_stages(context *c, const stk_element_spec *below, stk_element_spec *out,
                             stk_error *err)
{
    stk_error    refusal;
    stk_dataset *data = NULL;
    STK_TRY(stk_dataset_elements(&data, NULL, 0, err));
    stk_status st = stk_dataset_set_spec(data, below, err);
    if (!st) {
        st = c->apply(c->context, &data, &refusal);
        if (!st)
            st = stk_spec_keep_copy(&c->keep, stk_dataset_spec(data), out, err);
        else if (!stk_status_is_environment(st))
            st = STK_OK;
        else if (err)
            *err = refusal;
    }
    stk_dataset_unref(data);
    return st;
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    context         *c = stk_builtin_context(untyped);
    stk_element_spec below;
    *out = (stk_element_spec){0};
    STK_TRY(output_of_expand(c, input, &below, err));
    return below.known ? try_stages(c, &below, out, err) : STK_OK;
}

static stk_status check(void *untyped, const stk_element_spec *input, stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    return stk_function_accepts(c->expand, input, err);
}

static void release(void *untyped)
{
    context *c = untyped;
    stk_function_unref(c->expand);
    stk_spec_keep_release(&c->keep);
    if (c->release) c->release(c->context);
}

/* "flatten -> batch(3)". */
static stk_status describe(const stk_function *below, const char *stages, stk_blob *out,
                           stk_error *err)
{
    STK_TRY(stk_describe_function(out, below, err));
    STK_TRY(stk_blob_append(out, " -> ", 4, err));
    return stk_blob_append(out, stages ? stages : "", stages ? strlen(stages) + 1 : 1, err);
}

/* The caller's context is freed by the function only once there is one. */
static stk_status make(stk_function **out, const stk_pipeline_info *info, stk_function *below,
                       stk_error *err)
{
    const stk_function_info *of_below = stk_function_info_of(below);
    if (!of_below->expand || !info->apply)
        return stk_fail(err, STK_E_INVALID, "pipeline", of_below->name,
                        "an expand function and a callback that puts stages on top are needed");
    context c = {.expand = stk_function_ref(below), .context = info->context, .apply = info->apply};
    stk_spec_keep_init(&c.keep);
    stk_blob details;
    stk_blob_init(&details, NULL, STK_MEMORY_INDEX);
    stk_status st = describe(below, info->details, &details, err);
    if (st) {
        release(&c);
    } else {
        const stk_function_info described = {.name = "pipeline",
                                             .details = (const char *)details.data,
                                             .traits = of_below->traits,
                                             .output = info->output,
                                             .output_of = info->output ? NULL : output_of,
                                             .check = info->output ? check : NULL,
                                             .expand = expand};
        st = stk_builtin_new(out, &described, &c, sizeof c, release, err);
    }
    stk_blob_release(&details);
    if (!st) {
        void *held = stk_function_info_of(*out)->context;
        ((context *)stk_builtin_context(held))->release = info->release;
    }
    return st;
}

stk_status stk_function_pipeline(stk_function **out, const stk_pipeline_info *info, stk_error *err)
{
    *out = NULL;
    stk_function *below = stk_function_ref(info->expand);
    if (!below) STK_TRY(stk_function_flatten(&below, STK_ALL_VALUES, err));
    stk_status st = make(out, info, below, err);
    stk_function_unref(below);
    return st;
}
