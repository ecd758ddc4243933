/* Describes a resolved recipe as text. */
#include "train/session/session.h"
#include <stdio.h>
#include <stoker/train_explain.h>
#include <string.h>

static stk_status put(stk_blob *out, const char *text, stk_error *err)
{
    return stk_blob_append(out, text, strlen(text), err);
}

static stk_status explain_decode(const stk_train_recipe *recipe, stk_blob *out, stk_error *err)
{
    if (recipe->knobs.decode == STK_DECODE_SHARED)
        return put(out, "Stages that begin with decode_image share images with the GPU.\n", err);
    if (recipe->knobs.decode == STK_DECODE_GPU)
        return put(out, "Stages that begin with decode_image leave images to the GPU.\n", err);
    return STK_OK;
}

static stk_status explain_input(const stk_train_recipe *recipe, const stk_train_data *data,
                                stk_blob *out, stk_error *err)
{
    const stk_loader_options options = {
        .recipe = recipe, .data = data, .size = recipe->data.size, .seed = 1};
    STK_TRY(put(out, "\n# Input\n", err));
    STK_TRY(stk_loader_explain(&options, out, err));
    return explain_decode(recipe, out, err);
}

/* Describes the memory plan; whether the device has that much shows at run time. */
static stk_status explain_memory(const stk_memory_plan *plan, stk_blob *out, stk_error *err)
{
    char line[256];
    snprintf(line, sizeof line, "\n# Memory of a step\n%.1f MB, of which\n",
             (double)(plan->fixed + plan->arena) / 1e6);
    STK_TRY(put(out, line, err));
    for (int i = 0; i < STK_MEMORY_CLASS_COUNT; i++) {
        if (!plan->bytes[i]) continue;
        snprintf(line, sizeof line, "%10.1f MB %s\n", (double)plan->bytes[i] / 1e6,
                 stk_memory_class_name((stk_memory_class)i));
        STK_TRY(put(out, line, err));
    }
    snprintf(line, sizeof line, "most at %s\n", plan->peak_at);
    return put(out, line, err);
}

static stk_status explain_step(const stk_train_recipe *recipe, const stk_train_data *data,
                               stk_blob *out, stk_error *err)
{
    stk_session *session;
    STK_TRY(put(out, "\n# A step\n", err));
    STK_TRY(stk_session_open(&session, recipe, true, NULL, err));
    stk_session_explain(session, out);
    stk_status st = stk_session_weigh(session, data, err);
    if (!st) st = stk_session_ready(session, recipe->data.size, err);
    const stk_memory_plan plan = stk_session_memory(session, recipe->data.size);
    if (!st) st = explain_memory(&plan, out, err);
    stk_session_free(session);
    return st;
}

stk_status stk_train_explain(const stk_train_recipe *recipe, const stk_train_data *data,
                             stk_blob *out, stk_error *err)
{
    STK_TRY(put(out, "# Recipe\n", err));
    STK_TRY(stk_train_recipe_print(recipe, out, err));
    STK_TRY(explain_input(recipe, data, out, err));
    return explain_step(recipe, data, out, err);
}
