/* The model of a run for the page, which simulates it as stk_sim_run does. */
#include "observe/report/page_data.h"

#include <stoker/json.h>

static void write_step(stk_json_writer *w, const stk_sim_model_step *step)
{
    stk_json_array(w);
    stk_json_array(w);
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        stk_json_double(w, step->own[s]);
    stk_json_array_end(w);
    stk_json_double(w, step->read);
    stk_json_double(w, step->prepare);
    stk_json_double(w, step->samples);
    stk_json_array_end(w);
}

static void write_steps(stk_json_writer *w, const stk_sim_model *model)
{
    static const char *const keys[] = {"own", "read", "prepare", "samples"};
    stk_json_object(w);
    stk_json_key(w, "keys");
    stk_json_array(w);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        stk_json_string(w, keys[i]);
    stk_json_array_end(w);
    stk_json_key(w, "rows");
    stk_json_array(w);
    for (size_t i = 0; i < model->count; i++)
        write_step(w, &model->steps[i]);
    stk_json_array_end(w);
    stk_json_object_end(w);
}

static void write_model(stk_json_writer *w, const stk_sim_model *model)
{
    stk_json_object(w);
    stk_json_pair_double(w, "helpers", model->helpers);
    stk_json_pair_double(w, "buffer", model->buffer);
    stk_json_pair_double(w, "read_scale", model->read_scale);
    stk_json_pair_double(w, "prepare_scale", model->prepare_scale);
    stk_json_pair_bool(w, "reads_inline", model->reads_inline);
    stk_json_pair_double(w, "cores", model->cores);
    stk_json_pair_double(w, "threads", model->threads);
    stk_json_pair_double(w, "core_scale", model->core_scale);
    stk_json_pair_double(w, "contention", model->contention);
    stk_json_key(w, "steps");
    write_steps(w, model);
    stk_json_object_end(w);
}

stk_status stk_report_write_model(const stk_sim_model *model, stk_blob *out, stk_error *err)
{
    stk_json_writer w;
    stk_json_begin(&w, out, 0);
    if (model->count)
        write_model(&w, model);
    else
        stk_json_null(&w);
    return stk_json_end(&w, err);
}

stk_status stk_report_write_simulation(const stk_profile *profile, stk_blob *out, stk_error *err)
{
    stk_sim_model model;
    STK_TRY(stk_sim_model_make(&model, profile, err));
    const stk_status st = stk_report_write_model(&model, out, err);
    stk_sim_model_release(&model);
    return st;
}
