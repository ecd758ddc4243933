/* Stages that change no element: cache, snapshot, prefetch, what happens to errors, options. */
#include "base/suggest.h"
#include "pipeline/recipe/recipe_table.h"

#include <stoker/tfrecord.h>

static const stk_recipe_parameter cache_parameters[] = {
    {"directory", STK_RECIPE_PATH, .help = "on disk; in memory without it"},
};

static stk_status cache(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                        stk_error *err)
{
    const stk_cache_options options = {.directory = bound->arguments[0].text, .fs = recipe->fs};
    return stk_dataset_cache(data, &options, err);
}

static const stk_recipe_parameter snapshot_parameters[] = {
    {"directory", STK_RECIPE_PATH, .required = true, .help = "where snapshots are kept"},
    {"compression", STK_RECIPE_CHOICE, .default_value = "auto",
     .words = STK_PARAM_WORDS("auto", "none", "gzip", "zstd"), .values = (const int[]){0, 1, 2, 4},
     .help = "auto is zstd"},
    {"chunk_bytes", STK_RECIPE_INTEGER, .default_value = "0", .help = "of a file; 0 means 64 MB"},
    {"pending_seconds", STK_RECIPE_NUMBER, .default_value = "0",
     .help = "an unfinished one is given up after; 0 means 86400"},
};

static double real_of(stk_number number)
{
    return number.is_float ? number.floating : (double)number.integer;
}

static stk_status snapshot(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                           stk_error *err)
{
    const stk_argument        *a = bound->arguments;
    const stk_snapshot_options options = {.directory = a[0].text,
                                          .fs = recipe->fs,
                                          .compression = (int)a[1].integer,
                                          .chunk_bytes = (uint64_t)a[2].integer,
                                          .pending_seconds = real_of(a[3].number)};
    return stk_dataset_snapshot(data, &options, err);
}

static const stk_recipe_parameter prefetch_parameters[] = {
    {"count", STK_RECIPE_INTEGER, .default_value = "auto", .least = -1,
     .words = STK_PARAM_WORDS("auto"), .values = (const int[]){-1},
     .help = "elements to run ahead; auto: as far as helps"},
};

static stk_status prefetch(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                           stk_error *err)
{
    (void)recipe;
    return stk_dataset_prefetch(data, bound->arguments[0].integer, err);
}

static const stk_recipe_parameter ignore_parameters[] = {
    {"log_warning", STK_RECIPE_BOOL, .default_value = "false", .help = "each goes to the log"},
};

static stk_status ignore_errors(stk_recipe *recipe, const stk_recipe_call *bound,
                                stk_dataset **data, stk_error *err)
{
    (void)recipe;
    return stk_dataset_ignore_errors(data, bound->arguments[0].truth, err);
}

static const stk_recipe_parameter quarantine_parameters[] = {
    {"file", STK_RECIPE_PATH, .required = true, .help = "where bad elements are written down"},
    {"max_rate", STK_RECIPE_NUMBER, .default_value = "0", .renamed_from = "most_rate",
     .help = "share of bad elements that stops the run; 0 means 0.01"},
    {"min_elements", STK_RECIPE_INTEGER, .default_value = "0", .renamed_from = "least",
     .help = "elements seen before the rate counts; 0 means 1000"},
};

static stk_status quarantine(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                             stk_error *err)
{
    const stk_argument          *a = bound->arguments;
    const stk_quarantine_options options = {.file = a[0].text,
                                            .fs = recipe->fs,
                                            .max_rate = real_of(a[1].number),
                                            .min_elements = (uint64_t)a[2].integer};
    return stk_dataset_quarantine(data, &options, err);
}

static const stk_recipe_parameter options_parameters[] = {
    {"order", STK_RECIPE_CHOICE, .default_value = "default",
     .words = STK_PARAM_WORDS("default", "exact", "relaxed"),
     .help = "of every stage that does not say itself"},
    {"passes_off", STK_RECIPE_TEXTS, .help = "names of passes not to make, such as map_fusion"},
};

/* Passes that had another name. */
static const struct {
    const char *former;
    stk_pass    pass;
} renamed_passes[] = {{"isolate", STK_PASS_IO_PREFETCH}};

/* A former name of a pass that is named already stands beside its name: one must go. */
static stk_status note_renamed_pass(const stk_recipe *recipe, const stk_argument *a,
                                    const char *former, const char *name, stk_error *err)
{
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->texts[i], name) == 0)
            return stk_yaml_fail(err, STK_E_INVALID, recipe->name, a->line, "options.passes_off",
                                 "%s is given twice; %s is its former name", name, former);
    stk_recipe_note_rename(recipe, "options.passes_off", former, name);
    return STK_OK;
}

static stk_status find_pass(const stk_recipe *recipe, const stk_argument *a, const char *name,
                            unsigned *passes, stk_error *err)
{
    for (size_t i = 0; i < STK_COUNT_OF(renamed_passes); i++)
        if (strcmp(renamed_passes[i].former, name) == 0) {
            *passes |= renamed_passes[i].pass;
            return note_renamed_pass(recipe, a, name, stk_pass_name(renamed_passes[i].pass), err);
        }
    char        text[64];
    stk_suggest suggest = {.wanted = name};
    for (unsigned bit = 1; bit < STK_PASS_ALL; bit *= 2) {
        const char *pass = stk_pass_name((stk_pass)bit);
        if (pass && strcmp(pass, name) == 0) {
            *passes |= bit;
            return STK_OK;
        }
        if (pass) stk_suggest_offer(&suggest, pass);
    }
    return stk_yaml_fail(err, STK_E_INVALID, recipe->name, a->line, "options.passes_off",
                         "there is no pass \"%.40s\"%s", name,
                         stk_suggest_text(&suggest, text, sizeof text));
}

static stk_status options(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                          stk_error *err)
{
    const stk_argument  *a = bound->arguments;
    stk_pipeline_options settings = {.order = (stk_order)a[0].integer};
    for (size_t i = 0; i < a[1].count; i++)
        STK_TRY(find_pass(recipe, &a[1], a[1].texts[i], &settings.passes_off, err));
    return stk_dataset_options(data, &settings, err);
}

static const stk_recipe_row entries[] = {
    {.info = {"cache", "keeps the elements of the first epoch for the others", STK_RECIPE_STAGE,
              STK_PARAMETERS(cache_parameters)},
     .build = cache},
    {.info = {"snapshot", "keeps what the stages below gave, for this and other runs",
              STK_RECIPE_STAGE, STK_PARAMETERS(snapshot_parameters)},
     .build = snapshot},
    {.info = {"prefetch", "runs ahead", STK_RECIPE_STAGE, STK_PARAMETERS(prefetch_parameters)},
     .build = prefetch},
    {.info = {"ignore_errors", "passes over elements that are errors", STK_RECIPE_STAGE,
              STK_PARAMETERS(ignore_parameters)},
     .build = ignore_errors},
    {.info = {"quarantine", "passes over errors, writes them down, stops when too many come",
              STK_RECIPE_STAGE, STK_PARAMETERS(quarantine_parameters)},
     .build = quarantine},
    {.info = {"options", "settings of the pipeline below", STK_RECIPE_STAGE,
              STK_PARAMETERS(options_parameters)},
     .build = options},
};

const stk_entries stk_recipe_keep_stages = {entries, STK_COUNT_OF(entries)};
