/* Prints the plan of a run. */
#include "train_plan.h"

#include "format.h"
#include "text.h"

#include <stdlib.h>
#include <stoker/models.h>
#include <stoker/presets.h>
#include <stoker/source.h>
#include <string.h>

static void begin_line(const char *name)
{
    fprintf(stderr, "%-10s", name);
}

static uint64_t count_of(int64_t count)
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

cli_model_size cli_train_model_size(const stk_train_recipe *recipe)
{
    stk_graph     *graph;
    stk_graph_cost cost = {0};
    if (recipe->model.trivial || stk_graph_new(&graph, NULL, NULL)) return (cli_model_size){0};
    cost = count_model(recipe, graph);
    stk_graph_free(graph);
    return (cli_model_size){cost.parameters, cost.flops};
}

static void print_validation(const stk_train_data *data)
{
    char count[CLI_FORMAT_CAPACITY];
    if (!data->validation_count) {
        fprintf(stderr, "none to validate on");
        return;
    }
    fprintf(stderr, "%s to validate on (",
            cli_format_count(count, count_of(data->validation_count)));
    if (data->validation_fraction > 0)
        fprintf(stderr, "one of %.0f of ", 1 / data->validation_fraction);
    cli_text_print(stderr, data->validation_split);
    fprintf(stderr, "%s)",
            data->validation_fraction > 0 ? ", held back: it is not learnt from" : "");
}

static void print_test(const stk_train_data *data)
{
    char count[CLI_FORMAT_CAPACITY];
    if (!data->test_count) return;
    fprintf(stderr, ", %s to test the best model on at the end (",
            cli_format_count(count, count_of(data->test_count)));
    cli_text_print(stderr, data->test_split);
    fprintf(stderr, ")");
}

static void print_data(const cli_train_job *job)
{
    const stk_train_data *data = &job->data;
    char                  a[CLI_FORMAT_CAPACITY], c[CLI_FORMAT_CAPACITY];
    begin_line("data");
    cli_text_print(stderr, job->recipe.data.path);
    fprintf(stderr, ": %s images to learn from (",
            cli_format_count(a, count_of(data->train_count)));
    cli_text_print(stderr, data->train_split);
    fprintf(stderr, "), ");
    print_validation(data);
    print_test(data);
    fprintf(stderr, ", %s classes\n", cli_format_count(c, count_of(data->classes)));
}

/* Image properties that later decisions use. */
static void print_images(const stk_train_data *data)
{
    const stk_train_survey *s = &data->survey;
    char                    a[CLI_FORMAT_CAPACITY];
    if (!s->looked) return;
    begin_line("images");
    fprintf(stderr, "%s looked at: most about %lld x %lld",
            cli_format_count(a, count_of(s->looked + s->unreadable)), (long long)data->width,
            (long long)data->height);
    if (s->min_width != s->max_width || s->min_height != s->max_height)
        fprintf(stderr, ", from %lld x %lld to %lld x %lld", (long long)s->min_width,
                (long long)s->min_height, (long long)s->max_width, (long long)s->max_height);
    if (s->grey == s->looked)
        fprintf(stderr, ", grey");
    else if (s->grey)
        fprintf(stderr, ", %lld of them grey", (long long)s->grey);
    else
        fprintf(stderr, ", in colour");
    if (s->unreadable) fprintf(stderr, ", %lld cannot be read", (long long)s->unreadable);
    fprintf(stderr, "; %s\n", s->formats);
}

static void print_left_out(const cli_train_job *job)
{
    char text[600] = "";
    if (job->data.source) stk_source_left_out_text(job->data.source, text, sizeof text);
    if (!*text) return;
    begin_line("left out");
    cli_text_print(stderr, text);
    fprintf(stderr, "\n");
}

static void print_model(const stk_train_recipe *recipe)
{
    const cli_model_size size = cli_train_model_size(recipe);
    char                 a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY];
    begin_line("model");
    if (recipe->model.trivial)
        fprintf(stderr, "trivial: one dense layer on the mean colour");
    else
        fprintf(stderr, "%s: %s parameters, %s an image", recipe->model.name,
                cli_format_count(a, size.parameters), cli_format_flops(b, size.flops));
    fprintf(stderr, ", images of %lld x %lld\n", (long long)recipe->data.size,
            (long long)recipe->data.size);
}

/* Decisions of fine-tuning with reasons; the numbers are in the rest of the plan. */
static void print_weights(const cli_train_job *job)
{
    static const char *const names[] = {"learning rate", "backbone rate", "epochs", "warm-up"};
    const char              *before = "";
    if (!*job->recipe.model.weights) return;
    begin_line("weights");
    cli_text_print(stderr, job->recipe.model.weights);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char reason[400];
        if (!*cli_train_job_decision(job, names[i], reason, sizeof reason)) continue;
        fprintf(stderr, "%s%s", *before ? before : ": fine-tuning: ", reason);
        before = "; ";
    }
    fprintf(stderr, "\n");
}

/* Class frequencies and weights. */
static void print_classes(const cli_train_job *job)
{
    static const char *const names[] = {"balance", "class weights"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char reason[400];
        if (!*cli_train_job_decision(job, names[i], reason, sizeof reason)) continue;
        begin_line("classes");
        cli_text_print(stderr, reason);
        fprintf(stderr, "\n");
    }
}

void cli_train_plan_begin(const cli_train_job *job)
{
    print_data(job);
    print_images(&job->data);
    print_left_out(job);
    print_classes(job);
    print_model(&job->recipe);
    print_weights(job);
}

static void print_schedule(const stk_train_recipe *recipe, const stk_train_summary *summary)
{
    char a[CLI_FORMAT_CAPACITY];
    begin_line("schedule");
    fprintf(stderr, "%s, %s, %lld epoch%s, %s steps, batch %lld",
            stk_train_recipe_word(recipe, "train.optimizer"), summary->schedule,
            (long long)summary->epochs, summary->epochs == 1 ? "" : "s",
            cli_format_count(a, count_of(summary->steps)), (long long)recipe->data.batch);
    if (recipe->train.accumulate > 1)
        fprintf(stderr, " times %lld", (long long)recipe->train.accumulate);
    fprintf(stderr, "\n");
}

static void print_machine(const cli_train_job *job, const stk_trainer *trainer,
                          const stk_train_summary *summary)
{
    const stk_memory_plan plan = stk_trainer_memory(trainer);
    char                  reason[400], bytes[CLI_FORMAT_CAPACITY];
    begin_line("machine");
    fprintf(stderr, "%s; %s; threads: %s; %s for a step", summary->machine,
            stk_train_recipe_word(&job->recipe, "train.precision"),
            cli_train_job_reason(job, "threads", reason, sizeof reason),
            cli_format_bytes(bytes, plan.fixed + plan.arena));
    if (plan.peak_at[0]) fprintf(stderr, ", most at %s", plan.peak_at);
    fprintf(stderr, "\n");
}

void cli_train_plan_end(const cli_train_job *job, const stk_trainer *trainer)
{
    const stk_train_summary summary = stk_trainer_summary(trainer);
    print_schedule(&job->recipe, &summary);
    print_machine(job, trainer, &summary);
    begin_line("cache");
    cli_text_print(stderr, summary.cache);
    fprintf(stderr, "\n");
    begin_line("output");
    cli_text_print(stderr, stk_trainer_folder(trainer));
    if (summary.first_step)
        fprintf(stderr, ", going on after step %lld", (long long)summary.first_step);
    fprintf(stderr, "\n");
}
