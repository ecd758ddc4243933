/* Runs and profiles, as far as they have what is compared: a run that was killed has no profile. */
#include "compare_item.h"

#include "profile_files.h"
#include "train_curve.h"

#include <math.h>
#include <stdlib.h>
#include <stoker/filesystem.h>
#include <stoker/json.h>
#include <string.h>

enum { LONGEST_PATH = CLI_COMPARE_LINE - 64 };

static const uint64_t most_bytes = 1 << 20; /* of test.json */

const char *cli_compare_kind_name(cli_compare_kind kind)
{
    return kind == CLI_COMPARE_RUN ? "run" : kind == CLI_COMPARE_PROFILE ? "profile" : "tuning";
}

static void join(char path[CLI_COMPARE_LINE], const char *folder, const char *name)
{
    snprintf(path, CLI_COMPARE_LINE, "%s/%s", folder, name);
}

static stk_status find(bool *there, const char *folder, const char *name, stk_error *err)
{
    char path[CLI_COMPARE_LINE];
    join(path, folder, name);
    return stk_path_exists(NULL, path, there, NULL, err);
}

static void copy_run(cli_compare_item *item, const stk_profile *p)
{
    const stk_profile_run *r = &p->run;
    snprintf(item->data, sizeof item->data, "%s", r->data);
    snprintf(item->model, sizeof item->model, "%s", r->model);
    snprintf(item->precision, sizeof item->precision, "%s", r->precision);
    snprintf(item->backend, sizeof item->backend, "%s", r->backend);
    snprintf(item->version, sizeof item->version, "%s", r->version);
    snprintf(item->host, sizeof item->host, "%s", p->machine.host);
    snprintf(item->processor, sizeof item->processor, "%s",
             *p->device.name ? p->device.name : p->machine.cpu);
    snprintf(item->unit, sizeof item->unit, "%s", *r->unit ? r->unit : "samples");
    item->batch = r->batch;
    item->threads = r->threads;
    item->input_threads = r->input_threads;
    item->cores = p->machine.cores;
}

static void copy_shares(cli_compare_item *item, const stk_profile *p)
{
    item->has_shares = p->measured_ns > 0;
    for (int s = 0; item->has_shares && s < STK_STAGE_COUNT; s++)
        item->share[s] = p->stages[s].exposed_ns / p->measured_ns;
}

/* With fewer than ten steps there is no verdict, but a rate. */
static stk_status judge(cli_compare_item *item, const stk_profile *p, stk_error *err)
{
    stk_diagnosis *d = malloc(sizeof *d);
    if (!d) return stk_fail(err, STK_E_NOMEM, "compare", item->path, "no memory");
    const stk_status st = stk_diagnose(d, p, err);
    if (!st && d->samples_per_s.value > 0) {
        item->rate = d->samples_per_s;
        snprintf(item->limit, sizeof item->limit, "%s", stk_stage_name(d->limit.stage));
    } else if (!st && p->measured_ns > 0 && p->samples > 0) {
        item->rate.value = p->samples / p->measured_ns * 1e9;
    }
    free(d);
    return st;
}

static stk_status read_profile(cli_compare_item *item, const char *path, stk_error *err)
{
    bool is_trace;
    STK_TRY(cli_profile_is_trace(path, &is_trace, err));
    if (is_trace)
        return stk_fail(err, STK_E_FORMAT, "compare", path,
                        "is a trace, not a profile: 'stoker trace diff' compares traces");
    stk_profile *p = malloc(sizeof *p);
    if (!p) return stk_fail(err, STK_E_NOMEM, "compare", path, "no memory");
    stk_status st = stk_profile_load(p, path, err);
    if (!st) {
        copy_run(item, p);
        copy_shares(item, p);
        st = judge(item, p, err);
    }
    stk_profile_release(p);
    free(p);
    return st;
}

static double last_of(const cli_curve *c, cli_curve_column column)
{
    for (size_t i = c->count; i > 0; i--)
        if (!isnan(c->rows[column][i - 1])) return c->rows[column][i - 1];
    return NAN;
}

static stk_status read_curve(cli_compare_item *item, const char *folder, stk_error *err)
{
    cli_curve c;
    STK_TRY(cli_curve_read(&c, folder, err));
    if (c.count) {
        item->epochs = last_of(&c, CLI_CURVE_EPOCH);
        item->seconds = last_of(&c, CLI_CURVE_SECONDS);
        item->last_accuracy = last_of(&c, CLI_CURVE_VALIDATION_ACCURACY);
        item->validation_loss = last_of(&c, CLI_CURVE_VALIDATION_LOSS);
        item->loss = last_of(&c, CLI_CURVE_EPOCH_LOSS);
        if (isnan(item->loss)) item->loss = last_of(&c, CLI_CURVE_LOSS);
    }
    if (c.evaluations) item->best_accuracy = c.rows[CLI_CURVE_VALIDATION_ACCURACY][c.best];
    cli_curve_release(&c);
    return STK_OK;
}

static stk_status read_test(cli_compare_item *item, const char *folder, stk_error *err)
{
    char               path[CLI_COMPARE_LINE];
    stk_blob           text;
    stk_json_document *doc = NULL;
    join(path, folder, "test.json");
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_file_read_all(NULL, path, 0, most_bytes, &text, err);
    if (!st) st = stk_json_parse(&doc, stk_blob_bytes(&text), path, err);
    if (!st)
        item->test_accuracy = stk_json_number(stk_json_get(stk_json_root(doc), "accuracy"), NAN);
    stk_json_document_free(doc);
    stk_blob_release(&text);
    return st;
}

/* What a run has no profile of is in its recipe. */
static void fill_from_recipe(cli_compare_item *item)
{
    const stk_train_recipe *r = &item->recipe;
    const char             *precision = stk_train_recipe_word(r, "train.precision");
    snprintf(item->data, sizeof item->data, "%s", r->data.path);
    snprintf(item->model, sizeof item->model, "%s", r->model.trivial ? "trivial" : r->model.name);
    snprintf(item->precision, sizeof item->precision, "%s", precision ? precision : "");
    snprintf(item->backend, sizeof item->backend, "%s", r->knobs.backend);
    item->batch = r->data.batch > 0 ? r->data.batch : 0;
    item->threads = r->knobs.threads > 0 ? (int)r->knobs.threads : 0;
    item->input_threads = r->knobs.input_threads > 0 ? (int)r->knobs.input_threads : 0;
}

static stk_status read_recipe(cli_compare_item *item, const char *folder, stk_error *err)
{
    char path[CLI_COMPARE_LINE];
    join(path, folder, "recipe.yaml");
    stk_train_recipe_init(&item->recipe);
    STK_TRY(stk_train_recipe_load(&item->recipe, NULL, path, err));
    item->has_recipe = true;
    fill_from_recipe(item);
    return STK_OK;
}

/* A run that was killed lacks some of these. */
static stk_status read_run(cli_compare_item *item, const char *folder, stk_error *err)
{
    char path[CLI_COMPARE_LINE];
    bool metrics, test, profile;
    item->kind = CLI_COMPARE_RUN;
    STK_TRY(read_recipe(item, folder, err));
    STK_TRY(find(&metrics, folder, "metrics.csv", err));
    STK_TRY(find(&test, folder, "test.json", err));
    STK_TRY(find(&profile, folder, "profile.json", err));
    if (metrics) STK_TRY(read_curve(item, folder, err));
    if (test) STK_TRY(read_test(item, folder, err));
    if (!profile) return STK_OK;
    join(path, folder, "profile.json");
    return read_profile(item, path, err);
}

/* 'stoker profile' trains in a folder inside of its own, whose recipe tells what was profiled. */
static stk_status read_profile_folder(cli_compare_item *item, const char *folder, stk_error *err)
{
    char path[CLI_COMPARE_LINE];
    bool recipe;
    join(path, folder, "run");
    STK_TRY(find(&recipe, path, "recipe.yaml", err));
    if (recipe) STK_TRY(read_recipe(item, path, err));
    join(path, folder, "profile.json");
    return read_profile(item, path, err);
}

static stk_status read_folder(cli_compare_item *item, const char *folder, stk_error *err)
{
    bool tuning, run, profile;
    STK_TRY(find(&tuning, folder, "tune.jsonl", err));
    if (tuning) return cli_compare_read_tuning(item, folder, err);
    STK_TRY(find(&run, folder, "recipe.yaml", err));
    if (run) return read_run(item, folder, err);
    STK_TRY(find(&profile, folder, "profile.json", err));
    if (profile) return read_profile_folder(item, folder, err);
    return stk_fail(err, STK_E_FORMAT, "compare", folder,
                    "is no run, profile or tuning: it has no recipe.yaml (of 'stoker train'), "
                    "profile.json (of 'stoker profile') or tune.jsonl (of 'stoker tune')");
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

static stk_status read_file(cli_compare_item *item, const char *path, stk_error *err)
{
    if (ends_with(path, ".jsonl")) return cli_compare_read_tuning(item, path, err);
    if (ends_with(path, ".json") || ends_with(path, ".json.gz"))
        return read_profile(item, path, err);
    return stk_fail(err, STK_E_FORMAT, "compare", path,
                    "is no run, profile or tuning: expected the folder of a run, a profile.json or "
                    "a tune.jsonl");
}

stk_status cli_compare_read(cli_compare_item *item, const char *path, stk_error *err)
{
    stk_file_info info;
    *item = (cli_compare_item){.path = path,
                               .kind = CLI_COMPARE_PROFILE,
                               .rate = {NAN, NAN, NAN},
                               .best_accuracy = NAN,
                               .last_accuracy = NAN,
                               .test_accuracy = NAN,
                               .validation_loss = NAN,
                               .loss = NAN,
                               .epochs = NAN,
                               .seconds = NAN,
                               .gain = {NAN, NAN, NAN}};
    snprintf(item->unit, sizeof item->unit, "samples");
    if (strlen(path) > LONGEST_PATH)
        return stk_fail(err, STK_E_LIMIT, "compare", path,
                        "the path has %zu bytes, at most %d are read", strlen(path), LONGEST_PATH);
    STK_TRY(stk_path_info(NULL, path, &info, err));
    return info.kind == STK_FILE_DIRECTORY ? read_folder(item, path, err)
                                           : read_file(item, path, err);
}

/* "first" of runs/first/ and of runs/first/profile.json. */
static void short_name(char name[CLI_COMPARE_NAME], const char *path)
{
    static const char *const inside[] = {"/profile.json", "/tune.jsonl"};
    size_t                   end = strlen(path), begin;
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
        if (ends_with(path, inside[i]) && end > strlen(inside[i])) end -= strlen(inside[i]);
    while (end > 1 && path[end - 1] == '/')
        end--;
    for (begin = end; begin > 0 && path[begin - 1] != '/';)
        begin--;
    snprintf(name, CLI_COMPARE_NAME, "%.*s", (int)(end - begin), path + begin);
}

static bool is_taken(const cli_compare_item *items, size_t count, size_t index)
{
    char mine[CLI_COMPARE_NAME], other[CLI_COMPARE_NAME];
    short_name(mine, items[index].path);
    for (size_t i = 0; i < count; i++) {
        short_name(other, items[i].path);
        if (i != index && strcmp(mine, other) == 0) return true;
    }
    return false;
}

void cli_compare_name(cli_compare_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_taken(items, count, i))
            snprintf(items[i].name, sizeof items[i].name, "%s", items[i].path);
        else
            short_name(items[i].name, items[i].path);
}

double cli_compare_wait(const cli_compare_item *item)
{
    if (!item->has_shares) return NAN;
    return item->share[STK_STAGE_READ] + item->share[STK_STAGE_PREPROCESS];
}

/* Relative half width, as a deviation of a logarithm. */
static double width_of(const stk_estimate *e)
{
    return log(e->high / e->low) / 2;
}

stk_estimate cli_compare_ratio(const cli_compare_item *item, const cli_compare_item *first)
{
    stk_estimate ratio = {NAN, NAN, NAN};
    if (strcmp(item->unit, first->unit) != 0 || !(item->rate.value > 0 && first->rate.value > 0))
        return ratio;
    ratio.value = item->rate.value / first->rate.value;
    const double width = hypot(width_of(&item->rate), width_of(&first->rate));
    if (!isfinite(width) || item == first) return ratio;
    return (stk_estimate){ratio.value, ratio.value * exp(-width), ratio.value * exp(width)};
}
