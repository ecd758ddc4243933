/* The start and the result of a ledger, measured once more. */
#include "train/recipe/train_recipe_internal.h"
#include "tune/program/program_json.h"
#include "tune/program/program_subject.h"
#include "tune/recipe/pack_data.h"
#include "tune/recipe/recipe_subject.h"
#include "tune/report/report_files.h"
#include <stdio.h>
#include <stdlib.h>
#include <stoker/filesystem.h>
#include <string.h>

enum { PATH = 2048, LEDGER_BYTES_MAX = 256 << 20 };

static const double confidence = 0.95;

typedef struct replay {
    stk_tune_replay   *out;
    stk_tune_options   options;
    char               folder[PATH]; /* of the ledger */
    stk_json_document *start;        /* its first event */
} replay;

void stk_tune_replay_release(stk_tune_replay *out)
{
    stk_tune_report_release(&out->report);
}

/* The folder that a ledger lies in; runs and packs go there. */
static void find_folder(replay *r, const char *path)
{
    static const char name[] = "/tune.jsonl";
    const size_t      length = strlen(path), ending = sizeof name - 1;
    const char       *slash = strrchr(path, '/');
    snprintf(r->folder, sizeof r->folder, "%s", path);
    if (length > ending && strcmp(path + length - ending, name) == 0)
        r->folder[length - ending] = 0;
    else if (length > 6 && strcmp(path + length - 6, ".jsonl") == 0)
        snprintf(r->folder, sizeof r->folder, "%.*s", slash ? (int)(slash - path) : 1,
                 slash ? path : ".");
}

static stk_status parse_first(replay *r, const stk_blob *text, const char *path, stk_error *err)
{
    const stk_bytes bytes = stk_blob_bytes(text);
    const uint8_t  *end = memchr(bytes.data, '\n', bytes.size);
    return stk_json_parse(&r->start,
                          stk_bytes_of(bytes.data, end ? (size_t)(end - bytes.data) : bytes.size),
                          path, err);
}

static stk_status read_start(replay *r, const char *path, stk_error *err)
{
    char          file[PATH];
    stk_file_info info;
    stk_blob      text;
    STK_TRY(stk_path_info(NULL, path, &info, err));
    snprintf(file, sizeof file, "%.2000s%s", path,
             info.kind == STK_FILE_DIRECTORY ? "/tune.jsonl" : "");
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_file_read_all(NULL, file, 0, LEDGER_BYTES_MAX, &text, err);
    if (!st) st = parse_first(r, &text, file, err);
    stk_blob_release(&text);
    return st;
}

static stk_status compare(replay *r, const stk_tune_subject *table, stk_error *err)
{
    const stk_tune_setting         begin = {0};
    const stk_tune_compare_options how = {.exactly = table->confirm_observations,
                                          .cancel = r->options.cancel};
    stk_tune_comparison            pair;
    bool                           second;
    STK_TRY(stk_tune_compare(&pair, table, &begin, &r->out->report.best, &how, &second, err));
    if (pair.cancelled) return stk_cancel_check(r->options.cancel, "tune", err);
    r->out->gain = stk_gain_test_gain(&pair.test, confidence);
    r->out->base_rate = pair.rate_before;
    r->out->best_rate = pair.rate_after;
    r->out->observations = pair.test.count;
    return STK_OK;
}

static stk_status replay_parsed(replay *r, const stk_train_recipe *recipe, stk_error *err)
{
    stk_recipe_subject *subject = calloc(1, sizeof *subject);
    if (!subject) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for a search");
    stk_status st = stk_recipe_subject_init(subject, recipe, &r->options, r->folder, err);
    if (!st)
        st = stk_pack_data(&subject->settings, &r->out->report.best, UINT64_MAX, r->options.cancel,
                           err);
    const stk_tune_subject table = stk_recipe_subject_table(subject);
    if (!st) st = compare(r, &table, err);
    stk_recipe_subject_release(subject);
    free(subject);
    return st;
}

static stk_status replay_recipe(replay *r, stk_error *err)
{
    const char *yaml = stk_json_text(stk_json_get(stk_json_root(r->start), "recipe"), NULL);
    if (!yaml)
        return stk_fail(err, STK_E_FORMAT, "tune", r->folder,
                        "the ledger does not have the recipe");
    stk_train_recipe *recipe = malloc(sizeof *recipe);
    if (!recipe) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for a recipe");
    stk_train_recipe_init(recipe);
    stk_status st = stk_train_recipe_parse(recipe, stk_bytes_text(yaml), "recipe", err);
    if (!st) st = replay_parsed(r, recipe, err);
    free(recipe);
    return st;
}

static stk_status replay_read(replay *r, const stk_tune_program *program, stk_error *err)
{
    stk_tune_program_subject subject;
    stk_status st = stk_tune_program_subject_init(&subject, program, &r->options, err);
    if (!st) st = stk_tune_program_subject_choose(&subject, err);
    const stk_tune_subject table = stk_tune_program_subject_table(&subject);
    if (!st) st = compare(r, &table, err);
    stk_tune_program_subject_release(&subject);
    return st;
}

static stk_status replay_program(replay *r, stk_error *err)
{
    stk_tune_program        program;
    stk_tune_program_texts *texts = malloc(sizeof *texts);
    if (!texts) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for a command");
    stk_status st = stk_tune_program_read(&program, texts, stk_json_root(r->start), err);
    if (!st) st = replay_read(r, &program, err);
    free(texts);
    return st;
}

static stk_status check(replay *r, stk_error *err)
{
    stk_tune_report here;
    stk_tune_report_init(&here);
    STK_TRY(stk_tune_report_identify(&here, err));
    r->out->same_machine = strcmp(here.host, r->out->report.host) == 0 &&
                           strcmp(here.processor, r->out->report.processor) == 0;
    if (r->out->report.best.count) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "tune", r->folder,
                    "no change was kept: there is nothing to measure once more");
}

static stk_status run(replay *r, const char *path, stk_error *err)
{
    STK_TRY(stk_tune_report_load(&r->out->report, path, err));
    STK_TRY(read_start(r, path, err));
    STK_TRY(check(r, err));
    if (strcmp(r->out->report.kind, "recipe") == 0) return replay_recipe(r, err);
    return replay_program(r, err);
}

stk_status stk_tune_replay_run(stk_tune_replay *out, const char *path,
                               const stk_tune_options *options, stk_error *err)
{
    replay r = {.out = out};
    *out = (stk_tune_replay){.gain = {-2, -1, 0}};
    stk_tune_report_init(&out->report);
    find_folder(&r, path);
    if (options) r.options = *options;
    r.options.folder = r.folder;
    const stk_status st = run(&r, path, err);
    stk_json_document_free(r.start);
    return st;
}
