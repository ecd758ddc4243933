/* What is known of a run before its first step. */
#include "train/profile/profile_parts.h"
#include <stdio.h>
#include <stoker/version.h>
#include <time.h>

static int64_t count_parameters(stk_variables *variables)
{
    int64_t count = 0;
    for (size_t i = 0; i < stk_variables_count(variables); i++) {
        const stk_variable_info info = stk_variables_at(variables, i);
        if (info.role != STK_VARIABLE_PARAMETER) continue;
        int64_t elements = 1;
        for (int d = 0; d < info.shape.rank; d++)
            elements *= info.shape.dim[d];
        count += elements;
    }
    return count;
}

static void fill_memory(stk_profile *out, const stk_memory_plan *plan)
{
    out->arena_bytes = (double)plan->arena;
    out->variable_bytes = (double)plan->fixed;
    for (int i = 0; i < STK_MEMORY_CLASS_COUNT && i < STK_PROFILE_PARTS; i++) {
        stk_profile_memory *part = &out->memory[out->memory_count++];
        snprintf(part->name, sizeof part->name, "%s", stk_memory_class_name((stk_memory_class)i));
        part->bytes = (double)plan->bytes[i];
    }
}

void stk_profile_fill_data(stk_profile *out, const stk_train_data *data, const char *cache)
{
    stk_profile_run *run = &out->run;
    snprintf(run->kind, sizeof run->kind, "%s", stk_train_data_kind(data));
    if (cache) snprintf(run->cache, sizeof run->cache, "%s", cache);
    run->data_count = data->train_count;
    run->stored_width = data->width;
    run->stored_height = data->height;
}

void stk_profile_fill_card(stk_profile *out, const stk_train_recipe *r, stk_session *session)
{
    stk_profile_run      *run = &out->run;
    stk_device           *device = stk_session_device(session);
    const stk_memory_plan plan = stk_session_memory(session, r->data.size);
    snprintf(run->version, sizeof run->version, "%s", stk_version());
    snprintf(run->source, sizeof run->source, "stoker");
    snprintf(run->unit, sizeof run->unit, "samples");
    snprintf(run->data, sizeof run->data, "%s", r->data.path);
    snprintf(run->model, sizeof run->model, "%s", r->model.trivial ? "trivial" : r->model.name);
    stk_inject_text(stk_session_injected(session), run->inject, sizeof run->inject);
    snprintf(run->precision, sizeof run->precision, "%s",
             stk_train_recipe_word(r, "train.precision"));
    snprintf(run->backend, sizeof run->backend, "%s", stk_device_name(device));
    run->batch = r->data.batch;
    run->size = r->data.size;
    run->classes = r->model.classes;
    run->seed = r->train.seed;
    run->threads = stk_device_threads(device);
    run->input_threads = (int)r->knobs.input_threads;
    run->parameters = count_parameters(stk_session_variables(session));
    run->unix_time = (double)time(NULL);
    fill_memory(out, &plan);
    stk_profile_describe_device(out, device);
}
