/* Flags that set keys of a training recipe. */
#include "train_flags.h"

#include "notes.h"
#include "text.h"

#include <stoker/models.h>
#include <string.h>

static const struct {
    const char *flag, *key;
    size_t      offset;
} keys[] = {
    {"--split", "data.split", offsetof(cli_train_values, split)},
    {"--validation", "data.validation", offsetof(cli_train_values, validation)},
    {"--preset", "data.preset", offsetof(cli_train_values, preset)},
    {"--size", "data.size", offsetof(cli_train_values, size)},
    {"--batch", "data.batch", offsetof(cli_train_values, batch)},
    {"--mixup", "data.mixup", offsetof(cli_train_values, mixup)},
    {"--cutmix", "data.cutmix", offsetof(cli_train_values, cutmix)},
    {"--cache", "data.cache", offsetof(cli_train_values, cache)},
    {"--resident", "data.resident", offsetof(cli_train_values, resident)},
    {"--on-bad", "data.on_bad_sample", offsetof(cli_train_values, on_bad)},
    {"--balance", "data.balance", offsetof(cli_train_values, balance)},
    {"--model", "model.name", offsetof(cli_train_values, model)},
    {"--width", "model.width", offsetof(cli_train_values, width)},
    {"--weights", "model.weights", offsetof(cli_train_values, weights)},
    {"--freeze", "train.freeze", offsetof(cli_train_values, freeze)},
    {"--epochs", "train.epochs", offsetof(cli_train_values, epochs)},
    {"--steps", "train.steps", offsetof(cli_train_values, steps)},
    {"--optimizer", "train.optimizer", offsetof(cli_train_values, optimizer)},
    {"--learning-rate", "train.learning_rate", offsetof(cli_train_values, learning_rate)},
    {"--schedule", "train.schedule", offsetof(cli_train_values, schedule)},
    {"--momentum", "train.momentum", offsetof(cli_train_values, momentum)},
    {"--weight-decay", "train.weight_decay", offsetof(cli_train_values, weight_decay)},
    {"--loss", "train.loss", offsetof(cli_train_values, loss)},
    {"--class-weights", "train.class_weights", offsetof(cli_train_values, class_weights)},
    {"--label-smoothing", "train.label_smoothing", offsetof(cli_train_values, label_smoothing)},
    {"--ema", "train.ema", offsetof(cli_train_values, ema)},
    {"--lookahead", "train.lookahead", offsetof(cli_train_values, lookahead)},
    {"--precision", "train.precision", offsetof(cli_train_values, precision)},
    {"--accumulate", "train.accumulate", offsetof(cli_train_values, accumulate)},
    {"--clip-norm", "train.clip_norm", offsetof(cli_train_values, clip_norm)},
    {"--early-stop", "train.early_stop", offsetof(cli_train_values, early_stop)},
    {"--tta", "train.tta", offsetof(cli_train_values, tta)},
    {"--seed", "train.seed", offsetof(cli_train_values, seed)},
    {"--backend", "knobs.backend", offsetof(cli_train_values, backend)},
    {"--threads", "knobs.threads", offsetof(cli_train_values, threads)},
    {"--input-threads", "knobs.input_threads", offsetof(cli_train_values, input_threads)},
    {"--memory-mb", "knobs.memory_mb", offsetof(cli_train_values, memory_mb)},
    {"--folder", "output.folder", offsetof(cli_train_values, folder)},
    {"--log-every", "output.log_every", offsetof(cli_train_values, log_every)},
    {"--checkpoint-every", "output.checkpoint_every", offsetof(cli_train_values, checkpoint_every)},
};

static const char *text_of(const cli_train_values *v, size_t i)
{
    return *(const char *const *)(const void *)((const char *)v + keys[i].offset);
}

bool cli_train_flags_name(const cli_train_values *values, const char *key)
{
    const size_t length = strlen(key);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].key, key) == 0 && text_of(values, i)) return true;
    for (size_t i = 0; i < values->set.count; i++) {
        const char *pair = values->set.items[i];
        if (strncmp(pair, key, length) == 0 && pair[length] == '=') return true;
    }
    return false;
}

static stk_status apply_flags(const cli_train_values *v, stk_train_recipe *recipe, stk_error *err)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *text = text_of(v, i);
        if (text) STK_TRY(stk_train_recipe_set(recipe, keys[i].key, text, keys[i].flag, err));
    }
    if (v->trivial) recipe->model.trivial = true;
    if (v->eager) recipe->knobs.eager = true;
    if (v->follow_outside) recipe->data.follow_outside = true;
    if (v->no_fuse)
        STK_TRY(stk_train_recipe_set(recipe, "knobs.passes_off", "fuse", "--no-fuse", err));
    if (v->no_callbacks) recipe->output.tensorboard = false;
    return STK_OK;
}

/* A key that is set by its former name while a flag or another pair sets it by its name. */
static stk_status refuse_both(const cli_train_values *v, const char *key, const char *where,
                              stk_error *err)
{
    const stk_param *row;
    for (size_t i = 0; (row = stk_train_key_at(i)); i++) {
        char former[128], name[128];
        if (!row->renamed_from) continue;
        snprintf(former, sizeof former, "%s.%s", row->group, row->renamed_from);
        snprintf(name, sizeof name, "%s.%s", row->group, row->name);
        if (strcmp(former, key) == 0 && cli_train_flags_name(v, name))
            return stk_fail(err, STK_E_INVALID, "recipe", where,
                            "%s is given twice; %s is its former name", name, former);
    }
    return STK_OK;
}

/* "train.gamma=0.2" */
static stk_status apply_pair(const cli_train_values *v, const char *pair, stk_train_recipe *recipe,
                             cli_notes *notes, stk_error *err)
{
    char        key[128], where[160];
    const char *equals = strchr(pair, '=');
    if (!equals || (size_t)(equals - pair) >= sizeof key)
        return stk_fail(err, STK_E_INVALID, "recipe", "--set", "'%.100s' is not SECTION.KEY=VALUE",
                        pair);
    snprintf(key, sizeof key, "%.*s", (int)(equals - pair), pair);
    snprintf(where, sizeof where, "--set %s", key);
    STK_TRY(refuse_both(v, key, where, err));
    const stk_params_source source = {
        .component = "recipe", .where = where, .note = cli_notes_print, .context = notes};
    return stk_train_recipe_set_from(recipe, key, equals + 1, &source, err);
}

static stk_status apply_all(const cli_train_values *v, const char *data, stk_train_recipe *recipe,
                            cli_notes *notes, stk_error *err)
{
    STK_TRY(apply_flags(v, recipe, err));
    for (size_t i = 0; i < v->set.count; i++)
        STK_TRY(apply_pair(v, v->set.items[i], recipe, notes, err));
    return data ? stk_train_recipe_set(recipe, "data.path", data, "DATA", err) : STK_OK;
}

/* Runs before reading the data, which may take long. */
static stk_status find_model(const char *name, stk_error *err)
{
    const stk_model *model;
    const stk_status st = stk_model_find(&model, name, err);
    if (st) snprintf(err->where, sizeof err->where, "model '%.100s'", name);
    return st;
}

int cli_train_flags_apply(const cli_invocation *call, const cli_train_values *values,
                          const char *data, stk_train_recipe *recipe)
{
    stk_error               err;
    char                    message[sizeof err.where + sizeof err.message + 2];
    cli_notes               notes = {.command = call->command};
    const stk_params_source source = {.note = cli_notes_print, .context = &notes};
    if (values->recipe && stk_train_recipe_load_from(recipe, NULL, values->recipe, &source, &err))
        return cli_report_recipe(call->command, &err, NULL);
    const stk_status st = apply_all(values, data, recipe, &notes, &err);
    if (!st && (!*recipe->model.name || !find_model(recipe->model.name, &err))) return CLI_EXIT_OK;
    snprintf(message, sizeof message, "%s: %s", err.where, err.message);
    return cli_report_usage(call->command, message, NULL);
}

int cli_train_flags_inject(const cli_invocation *call, const cli_train_values *values,
                           stk_inject *inject)
{
    stk_error               err;
    char                    message[sizeof err.where + sizeof err.message + 16];
    cli_notes               notes = {.command = call->command};
    const stk_params_source source = {
        .component = "inject", .prefix = "--inject ", .note = cli_notes_print, .context = &notes};
    for (size_t i = 0; i < values->inject.count; i++) {
        if (!stk_inject_parse_from(inject, values->inject.items[i], &source, &err)) continue;
        snprintf(message, sizeof message, "--inject %s: %s", err.where, err.message);
        return cli_report_usage(call->command, message, NULL);
    }
    if (values->no_callbacks) inject->callback_s = 0;
    return CLI_EXIT_OK;
}

static void print_pairs(FILE *out, const cli_train_values *v, const char *key)
{
    const size_t length = strlen(key);
    for (size_t i = 0; i < v->set.count; i++) {
        const char *pair = v->set.items[i];
        if (strncmp(pair, key, length) == 0 && pair[length] == '=') continue;
        fprintf(out, " --set ");
        cli_print_word(out, pair);
    }
}

void cli_train_flags_print(FILE *out, const cli_train_values *v, const char *data, const char *key)
{
    if (v->recipe) fprintf(out, " --recipe ");
    if (v->recipe) cli_print_path(out, v->recipe);
    if (data) fprintf(out, " ");
    if (data) cli_print_path(out, data);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *text = *(const char *const *)(const void *)((const char *)v + keys[i].offset);
        if (!text || strcmp(keys[i].key, key) == 0) continue;
        /* An optional value, or one that looks like a flag, is joined by '='. */
        const bool joined = strcmp(keys[i].flag, "--freeze") == 0 || *text == '-';
        fprintf(out, " %s%s", keys[i].flag, joined ? "=" : " ");
        cli_print_word(out, text);
    }
    if (v->trivial) fprintf(out, " --trivial-model");
    if (v->eager) fprintf(out, " --eager");
    if (v->no_fuse) fprintf(out, " --no-fuse");
    if (v->no_callbacks) fprintf(out, " --no-callbacks");
    print_pairs(out, v, key);
}

void cli_train_print_models(FILE *out, int width)
{
    const stk_model *model;
    fprintf(out, "\nNetworks for --model:\n");
    for (size_t i = 0; (model = stk_model_at(i)) != NULL; i++) {
        const int column = fprintf(out, "  %s", model->name);
        cli_text_wrap(out, model->help, column, 26, width);
    }
}

static void print_faults(FILE *out, int width)
{
    const char *usage, *meaning;
    fprintf(out, "\nFaults for --inject, to see what a slow stage looks like:\n");
    for (size_t i = 0; (usage = stk_inject_help_at(i, &meaning)) != NULL; i++) {
        const int column = fprintf(out, "  %s", usage);
        if (column > 24) fprintf(out, "\n");
        cli_text_wrap(out, meaning, column > 24 ? 0 : column, 26, width);
    }
}

void cli_train_print_keys(FILE *out, int width)
{
    const stk_param *key;
    cli_train_print_models(out, width);
    print_faults(out, width);
    fprintf(out, "\nKeys of a recipe, for --set; in brackets what they are by themselves:\n");
    for (size_t i = 0; (key = stk_train_key_at(i)) != NULL; i++) {
        char      text[400];
        const int column = fprintf(out, "  %s.%s", key->group, key->name);
        snprintf(text, sizeof text, "%s%s%s%s", key->help, *key->default_value ? " [" : "",
                 key->default_value, *key->default_value ? "]" : "");
        if (column > 24) fprintf(out, "\n");
        cli_text_wrap(out, text, column > 24 ? 0 : column, 26, width);
    }
}
