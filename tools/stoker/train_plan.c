/* The plan of a run, in some lines. */
#include "train_plan.h"

#include "format.h"
#include "text.h"

#include <stdlib.h>
#include <stoker/models.h>
#include <stoker/presets.h>
#include <string.h>

static void begin_line(const char *name)
{
    fprintf(stderr, "%-10s", name);
}

static uint64_t whole(int64_t count)
{
    return count > 0 ? (uint64_t)count : 0;
}

static stk_graph_cost count_model(const stk_train_recipe *recipe, stk_graph *graph)
{
    const stk_preset       *preset = stk_preset_find(recipe->data.preset);
    const stk_model        *model;
    const stk_model_options options = {.batch = 1,
                                       .size = (int)recipe->data.size,
                                       .channels = preset ? preset->channels : 3,
                                       .classes = (int)recipe->model.classes,
                                       .width = recipe->model.width};
    if (stk_model_find(&model, recipe->model.name, NULL)) return (stk_graph_cost){0};
    stk_model_build(graph, model, stk_model_input(graph, model, &options), &options);
    return stk_graph_check(graph, NULL) ? (stk_graph_cost){0} : stk_graph_count(graph);
}

stk_model_size stk_train_model_size(const stk_train_recipe *recipe)
{
    stk_graph     *graph;
    stk_graph_cost cost = {0};
    if (recipe->model.trivial || stk_graph_new(&graph, NULL, NULL)) return (stk_model_size){0};
    cost = count_model(recipe, graph);
    stk_graph_free(graph);
    return (stk_model_size){cost.parameters, cost.flops};
}

static void print_data(const stk_train_job *job)
{
    const stk_train_data *data = &job->data;
    char                  a[STK_FORMAT_ROOM], b[STK_FORMAT_ROOM], c[STK_FORMAT_ROOM];
    begin_line("data");
    stk_text_print(stderr, job->recipe.data.path);
    fprintf(stderr, ": %s pictures (", stk_format_count(a, whole(data->train_count)));
    stk_text_print(stderr, data->train_split);
    fprintf(stderr, "), ");
    if (!data->validation_count) {
        fprintf(stderr, "none to evaluate on");
    } else {
        fprintf(stderr, "%s to evaluate on (", stk_format_count(b, whole(data->validation_count)));
        if (data->validation_share > 0)
            fprintf(stderr, "one of %.0f held back", 1 / data->validation_share);
        else
            stk_text_print(stderr, data->validation_split);
        fprintf(stderr, ")");
    }
    fprintf(stderr, ", %s classes\n", stk_format_count(c, whole(data->classes)));
}

static void print_model(const stk_train_recipe *recipe)
{
    const stk_model_size size = stk_train_model_size(recipe);
    char                 a[STK_FORMAT_ROOM], b[STK_FORMAT_ROOM];
    begin_line("model");
    if (recipe->model.trivial)
        fprintf(stderr, "trivial: one dense layer on the mean colour");
    else
        fprintf(stderr, "%s: %s parameters, %s a picture", recipe->model.name,
                stk_format_count(a, size.parameters), stk_format_flops(b, size.flops));
    fprintf(stderr, ", pictures of %lld x %lld\n", (long long)recipe->data.size,
            (long long)recipe->data.size);
}

void stk_train_plan_begin(const stk_train_job *job)
{
    print_data(job);
    print_model(&job->recipe);
}

static void print_schedule(const stk_train_recipe *recipe, const stk_train_outlook *outlook)
{
    char a[STK_FORMAT_ROOM];
    begin_line("schedule");
    fprintf(stderr, "%s, %s, %lld epoch%s, %s steps, batch %lld", recipe->train.optimizer,
            outlook->schedule, (long long)outlook->epochs, outlook->epochs == 1 ? "" : "s",
            stk_format_count(a, whole(outlook->steps)), (long long)recipe->data.batch);
    if (recipe->train.accumulate > 1)
        fprintf(stderr, " times %lld", (long long)recipe->train.accumulate);
    fprintf(stderr, "\n");
}

static void print_machine(const stk_train_job *job, const stk_trainer *trainer,
                          const stk_train_outlook *outlook)
{
    const stk_memory_plan plan = stk_trainer_memory(trainer);
    char                  reason[400], bytes[STK_FORMAT_ROOM];
    begin_line("machine");
    fprintf(stderr, "%s; %s; threads: %s; %s for a step", outlook->machine,
            job->recipe.train.precision,
            stk_train_job_reason(job, "threads", reason, sizeof reason),
            stk_format_bytes(bytes, plan.fixed + plan.arena));
    if (plan.peak_at[0]) fprintf(stderr, ", most at %s", plan.peak_at);
    fprintf(stderr, "\n");
}

void stk_train_plan_end(const stk_train_job *job, const stk_trainer *trainer)
{
    const stk_train_outlook outlook = stk_trainer_outlook(trainer);
    print_schedule(&job->recipe, &outlook);
    print_machine(job, trainer, &outlook);
    begin_line("cache");
    stk_text_print(stderr, outlook.cache);
    fprintf(stderr, "\n");
    begin_line("output");
    stk_text_print(stderr, stk_trainer_folder(trainer));
    if (outlook.first_step)
        fprintf(stderr, ", going on after step %lld", (long long)outlook.first_step);
    fprintf(stderr, "\n");
}
