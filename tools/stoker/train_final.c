/* The test split is used for no decision of a run, so its accuracy estimates that on unseen
 * images. */
#include "train_final.h"

#include "format.h"
#include "model_images.h"
#include "signals.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

static void write_object(stk_json_writer *json, const cli_train_final *final)
{
    const stk_evaluation *e = &final->result;
    stk_json_object(json);
    stk_json_pair_string(json, "split", final->split);
    stk_json_pair_int(json, "count", e->count);
    stk_json_pair_double(json, "accuracy", e->accuracy);
    stk_json_pair_double(json, "top5", e->top5);
    stk_json_pair_double(json, "loss", e->loss);
    stk_json_object_end(json);
}

static stk_status keep(const cli_train_final *final, const char *folder, stk_error *err)
{
    char            path[STK_TRAIN_PATH + 16];
    stk_json_writer json;
    stk_blob        text;
    snprintf(path, sizeof path, "%s/test.json", folder);
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&json, &text, 2);
    write_object(&json, final);
    stk_status st = stk_json_end(&json, err);
    if (!st) st = cli_images_save(path, stk_blob_bytes(&text), err);
    stk_blob_release(&text);
    return st;
}

static stk_status evaluate(cli_train_final *final, const cli_train_job *job, const char *folder,
                           stk_error *err)
{
    const stk_train_recipe     *r = &job->recipe;
    const stk_predictor_options options = {.backend = *r->knobs.backend ? r->knobs.backend : NULL,
                                           .cancel = cli_signals_token(),
                                           .threads = (int)r->knobs.threads,
                                           .batch = r->data.eval_batch};
    stk_predictor              *predictor;
    STK_TRY(stk_predictor_open(&predictor, folder, &options, err));
    const stk_evaluate_options what = {.split = final->split, .cancel = cli_signals_token()};
    stk_status                 st = stk_predictor_evaluate(predictor, &what, &final->result, err);
    stk_predictor_free(predictor);
    final->there = st == STK_OK;
    return st ? st : keep(final, folder, err);
}

bool cli_train_final_run(cli_train_final *final, const cli_train_job *job, const char *folder)
{
    stk_error err;
    char      line[1024];
    *final = (cli_train_final){0};
    if (!job->data.test_count) return true;
    memcpy(final->split, job->data.test_split, sizeof final->split);
    const stk_status st = evaluate(final, job, folder, &err);
    if (!st) return true;
    fprintf(stderr, "stoker train: the model was not tested on ");
    cli_text_print(stderr, final->split);
    fprintf(stderr, ": %s\n", stk_error_line(&err, line, sizeof line));
    return false;
}

void cli_train_final_release(cli_train_final *final)
{
    stk_evaluation_release(&final->result);
}

void cli_train_final_print(const cli_train_final *final)
{
    char count[CLI_FORMAT_CAPACITY];
    if (!final->there) return;
    printf("%.2f %% of the %s images of ", 100 * final->result.accuracy,
           cli_format_count(count, (uint64_t) final->result.count));
    cli_text_print(stdout, final->split);
    printf(" right, which the best model was shown once, now\n");
}

void cli_train_final_json(stk_json_writer *json, const cli_train_final *final)
{
    if (!final->there) return;
    stk_json_key(json, "test");
    write_object(json, final);
}
