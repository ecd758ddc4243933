/* Applies rules to a resolved recipe and its data. */
#include "lint/lint_internal.h"
#include <stoker/text.h>
#include <string.h>

enum { MULTIPLE = 8, TINY = 8, DEFAULT = 32, FEW_STEPS = 20, ROWS_MAX = 200 };

void stk_lint_batch(const stk_lint_subject *s)
{
    const int64_t batch = s->recipe->data.batch, up = (batch + MULTIPLE - 1) / MULTIPLE * MULTIPLE;
    stk_lint     *item = NULL;
    if (batch < TINY && s->data->train_count >= DEFAULT) {
        if (!(item = stk_lint_add(s->list, "tiny_batch", STK_STAGE_COMPUTE, "data.batch"))) return;
        stk_lint_print(item->message, sizeof item->message,
                       "%lld images a step: operations are too small for the vectors and the %d "
                       "cores; from 32 on they are not",
                       (long long)batch, s->machine->cores);
        stk_lint_print(item->recipe, sizeof item->recipe, "data: {batch: %d}", DEFAULT);
    } else if (batch > MULTIPLE && up != batch) {
        if (!(item = stk_lint_add(s->list, "odd_batch", STK_STAGE_COMPUTE, "data.batch"))) return;
        stk_lint_print(item->message, sizeof item->message,
                       "a batch of %lld is no multiple of 8: dense layers, and devices with matrix "
                       "units, compute it as %lld",
                       (long long)batch, (long long)up);
        stk_lint_print(item->recipe, sizeof item->recipe, "data: {batch: %lld}",
                       (long long)(up <= s->data->train_count ? up : up - MULTIPLE));
    }
    if (item) item->changes_training = true;
}

static void add_threads(const stk_lint_subject *s, const char *rule, int64_t better, double saves,
                        const char *what)
{
    const int64_t threads = s->recipe->knobs.threads, more = s->recipe->knobs.input_threads - 1;
    stk_lint     *item = stk_lint_add(s->list, rule, STK_STAGE_COMPUTE, "knobs.threads");
    if (!item) return;
    stk_lint_print(item->message, sizeof item->message,
                   "%lld that compute and %lld that prepare %s", (long long)threads,
                   (long long)more, what);
    stk_lint_print(item->recipe, sizeof item->recipe, "knobs: {threads: %lld}", (long long)better);
    item->saves = saves;
    if (saves >= 0) stk_lint_print(item->how, sizeof item->how, "threads against cores, at most");
}

void stk_lint_threads(const stk_lint_subject *s)
{
    const int64_t threads = s->recipe->knobs.threads, more = s->recipe->knobs.input_threads - 1;
    const int64_t cores = s->machine->cores, left = cores > more ? cores - more : 1;
    char          what[STK_LINT_LINE];
    if (threads + more > cores && threads > 1) {
        stk_lint_print(what, sizeof what, "input share %lld cores and wait for each other",
                       (long long)cores);
        add_threads(s, "too_many_threads", left, 1 - (double)cores / (double)(threads + more),
                    what);
    } else if (threads + more < cores) {
        stk_lint_print(what, sizeof what, "input leave %lld of %lld cores idle",
                       (long long)(cores - threads - more), (long long)cores);
        add_threads(s, "idle_cores", left, 1 - (double)threads / (double)left, what);
    } else if (s->machine->physical > 1 && threads > s->machine->physical) {
        stk_lint_print(what, sizeof what,
                       "input run on %d physical cores, two to a core; try one to a core",
                       s->machine->physical);
        add_threads(s, "second_threads", s->machine->physical, -1, what);
    }
}

static void add(const stk_lint_subject *s, const char *rule, const char *key, const char *line,
                const char *message)
{
    stk_lint *item = stk_lint_add(s->list, rule, STK_STAGE_COMPUTE, key);
    if (!item) return;
    stk_lint_print(item->message, sizeof item->message, "%s", message);
    stk_lint_print(item->recipe, sizeof item->recipe, "%s", line);
    char model[STK_LINT_TEXT];
    if (stk_shell_word(model, sizeof model, s->recipe->model.name) < sizeof model)
        stk_lint_print(item->command, sizeof item->command, "stoker bench compute %s --batch %lld",
                       model, (long long)s->recipe->data.batch);
}

static bool has_only_reference(void)
{
    const char *name;
    for (size_t i = 0; (name = stk_backend_name_at(i)) != NULL; i++)
        if (strcmp(name, "ref") != 0) return false;
    return true;
}

void stk_lint_switches(const stk_lint_subject *s)
{
    const stk_train_recipe *r = s->recipe;
    char                    text[STK_LINT_LINE];
    if (has_only_reference())
        add(s, "reference_backend", "knobs.backend", "",
            "this build computes every operation in plain C on one thread; install libdnnl-dev "
            "and build again");
    else if (strcmp(r->knobs.backend, "ref") == 0)
        add(s, "reference_backend", "knobs.backend", "knobs: {backend: auto}",
            "ref computes every operation in plain C on one thread, to be compared with; auto "
            "takes the fastest there is");
    if (r->knobs.eager)
        add(s, "eager", "knobs.eager", "knobs: {eager: false}",
            "operations run one by one, unoptimised and checked; that is for finding what is not "
            "finite");
    if (*r->knobs.passes_off && !r->knobs.eager) {
        stk_lint_print(text, sizeof text,
                       "the passes %.100s are off, so what they would fuse or move "
                       "once is computed and moved each step",
                       r->knobs.passes_off);
        add(s, "passes_off", "knobs.passes_off", "knobs: {passes_off: \"\"}", text);
    }
    if (r->train.deterministic && r->knobs.threads > 1) {
        stk_lint_print(text, sizeof text,
                       "convolutions and products run on one of %lld threads each; "
                       "without it the bits are still the same on the same number of threads",
                       (long long)r->knobs.threads);
        add(s, "deterministic", "train.deterministic", "train: {deterministic: false}", text);
    }
}

void stk_lint_output(const stk_lint_subject *s)
{
    const stk_train_recipe *r = s->recipe;
    const int64_t           epoch = s->data->train_count / r->data.batch;
    const int64_t           every = r->output.checkpoint_every;
    stk_lint               *item;
    if (every > 0 && every < FEW_STEPS && r->train.steps > FEW_STEPS &&
        (item = stk_lint_add(s->list, "many_checkpoints", STK_STAGE_WRITE,
                             "output.checkpoint_every"))) {
        stk_lint_print(
            item->message, sizeof item->message,
            "a checkpoint every %lld of %lld steps; auto takes one a minute, or an epoch",
            (long long)every, (long long)r->train.steps);
        stk_lint_print(item->recipe, sizeof item->recipe, "output: {checkpoint_every: auto}");
        stk_lint_print(item->how, sizeof item->how, "nine of ten fewer");
        item->saves = 0.9;
    }
    if (r->output.log_every * ROWS_MAX < epoch &&
        (item = stk_lint_add(s->list, "many_rows", STK_STAGE_DEVICE_TO_HOST, "output.log_every"))) {
        stk_lint_print(
            item->message, sizeof item->message,
            "metrics are fetched and written every %lld of %lld steps of an epoch; 50 rows "
            "draw the same curve",
            (long long)r->output.log_every, (long long)epoch);
        stk_lint_print(item->recipe, sizeof item->recipe, "output: {log_every: %lld}",
                       (long long)(epoch / 50));
        stk_lint_print(item->how, sizeof item->how, "%lld times fewer",
                       (long long)(epoch / 50 / r->output.log_every));
        item->saves = 1 - 50.0 * (double)r->output.log_every / (double)epoch;
    }
}

static void (*const rules[])(const stk_lint_subject *s) = {
    stk_lint_batch,  stk_lint_threads, stk_lint_switches, stk_lint_output,
    stk_lint_images, stk_lint_files,   stk_lint_cache,
};

void stk_lint_recipe(stk_lint_list *list, const stk_train_recipe *recipe,
                     const stk_train_data *data, const stk_lint_machine *machine,
                     const stk_lint_storage *storage)
{
    const stk_lint_subject s = {list, recipe, data, machine, storage};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        rules[i](&s);
}
