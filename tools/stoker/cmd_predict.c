/* stoker predict: classifies images with a trained model. */
#include "image_files.h"
#include "json_out.h"
#include "model_options.h"
#include "predict_out.h"
#include "predict_sheet.h"
#include "signals.h"
#include "terminal.h"

#include <limits.h>
#include <stdlib.h>
#include <stoker/filesystem.h>
#include <stoker/model_file.h>
#include <string.h>

typedef struct values {
    cli_common_values common;
    int64_t           top, columns;
    const char       *sheet, *csv, *jsonl, *color;
    cli_model_values  model;
} values;

static const values defaults = {.top = 5, .columns = 8};

static const cli_option options[] = {
    {CLI_OPTION(values, top, "top", INTEGER, "K"), .letter = 'k', .least = 1, .most = 1000,
     .group = "Output", .help = "classes to show of each image, the likeliest first (default 5)"},
    {CLI_OPTION(values, csv, "csv", FILE, "FILE"), .group = "Output",
     .help = "write a table with a row for each image; '-': to stdout"},
    {CLI_OPTION(values, jsonl, "jsonl", FILE, "FILE"), .group = "Output",
     .help = "write a JSON object a line for each image; '-': to stdout"},
    {CLI_OPTION(values, sheet, "sheet", FILE, "FILE"), .group = "Output",
     .help = "draw the images with their classes into this PNG"},
    {CLI_OPTION(values, columns, "columns", INTEGER, "N"), .least = 1, .most = 64,
     .group = "Output", .help = "images side by side on the sheet (default 8)"},
    {CLI_OPTION(values, color, "color", CHOICE, "WHEN"), .choice = cli_color_choice,
     .group = "Output", .help = "colours: auto (on a terminal), always, never"},
    CLI_MODEL_OPTIONS(values, model),
    CLI_COMMON_OPTIONS(values, common),
};

enum { IMAGE_BYTES_MAX = 1 << 30, FOLDER_CAPACITY = 256, BATCH = 32, MANY = 8 };

typedef struct session {
    const cli_invocation *call;
    const values         *values;
    cli_style             style;
    stk_predictor        *predictor;
    cli_image_files       files;
    cli_predict_sheet     sheet;
    cli_json_out          json;
    cli_text_rows         csv, jsonl; /* if requested */
    stk_blob              encoded;
    const char           *waiting[BATCH]; /* pending in the predictor */
    float                *probabilities;  /* of a batch */
    int64_t              *order;          /* most probable classes first */
    int64_t               shown;          /* classes per image */
    int64_t               batch;          /* images per batch */
    int64_t               known, right, done;
    int                   code;
} session;

/* The class named like the image's folder, or -1. */
static int64_t true_class(const session *s, const char *path)
{
    const char *slash = strrchr(path, '/'), *begin = slash;
    if (!slash) return -1;
    while (begin > path && begin[-1] != '/')
        begin--;
    char folder[FOLDER_CAPACITY];
    if (slash - begin >= FOLDER_CAPACITY) return -1;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - begin), begin);
    return stk_predictor_find_class(s->predictor, folder);
}

static void describe(const cli_prediction *p, char label[96], char note[160])
{
    const int64_t best = p->order[0];
    const char   *slash = strrchr(p->path, '/');
    snprintf(label, 96, "%.80s %.0f %%", stk_predictor_class_name(p->predictor, best),
             100 * (double)p->probabilities[best]);
    if (p->truth < 0)
        snprintf(note, 160, "%.150s", slash ? slash + 1 : p->path);
    else if (p->truth == best)
        snprintf(note, 160, "right");
    else
        snprintf(note, 160, "wrong: it is %.140s",
                 stk_predictor_class_name(p->predictor, p->truth));
}

/* Reads the file again: a batch does not keep its files. */
static stk_status add_to_sheet(session *s, const cli_prediction *p, stk_error *err)
{
    char label[96], note[160];
    if (s->sheet.count == CLI_PREDICT_SHEET_MAX) return STK_OK;
    describe(p, label, note);
    STK_TRY(stk_file_read_all(NULL, p->path, 0, IMAGE_BYTES_MAX, &s->encoded, err));
    return cli_predict_sheet_add(&s->sheet, stk_blob_bytes(&s->encoded), label, note, err);
}

/* Appends a JSON object as a row to the output buffer. */
static void end_object(session *s, stk_json_writer *json)
{
    if (!s->jsonl.status) s->jsonl.status = stk_json_end(json, &s->jsonl.err);
    cli_text_rows_end(&s->jsonl);
}

static bool is_screen(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* With a file of thousands of rows, nothing is printed. */
static bool prints(const session *s)
{
    const values *v = s->values;
    return !v->common.json && !v->csv && !v->jsonl;
}

static void print_prediction(session *s, const cli_prediction *p)
{
    stk_json_writer line;
    if (s->values->common.json) cli_prediction_json(&s->json.writer, p);
    if (prints(s)) cli_prediction_print(p, &s->style);
    if (s->values->csv) cli_prediction_csv(&s->csv, p);
    if (!s->values->jsonl) return;
    stk_json_begin(&line, &s->jsonl.text, 0);
    cli_prediction_json(&line, p);
    end_object(s, &line);
}

/* Reports an unreadable image in every output format; the others continue. */
static void fail_image(session *s, const char *path, const stk_error *err)
{
    char            line[1024];
    stk_json_writer json;
    s->code = cli_report_error(s->call->command, err, NULL);
    stk_error_line(err, line, sizeof line);
    if (s->values->common.json) cli_prediction_json_error(&s->json.writer, path, line);
    if (s->values->csv) cli_prediction_csv_error(&s->csv, path, s->shown, line);
    if (!s->values->jsonl) return;
    stk_json_begin(&json, &s->jsonl.text, 0);
    cli_prediction_json_error(&json, path, line);
    end_object(s, &json);
}

static void finish(session *s, const char *path, const float *probabilities)
{
    stk_error            err;
    const cli_prediction p = {.predictor = s->predictor,
                              .path = path,
                              .truth = true_class(s, path),
                              .probabilities = probabilities,
                              .order = s->order,
                              .shown = s->shown};
    cli_prediction_sort(probabilities, stk_predictor_classes(s->predictor), s->shown, s->order);
    print_prediction(s, &p);
    s->done++;
    s->known += p.truth >= 0;
    s->right += p.truth >= 0 && p.truth == s->order[0];
    if (s->values->sheet && add_to_sheet(s, &p, &err))
        s->code = cli_report_error(s->call->command, &err, NULL);
}

/* Predicts and prints the pending images in order. */
static void run_batch(session *s)
{
    const int64_t count = stk_predictor_waiting(s->predictor);
    const int64_t classes = stk_predictor_classes(s->predictor);
    stk_error     err;
    const bool    failed = stk_predictor_run(s->predictor, s->probabilities, &err) != STK_OK;
    for (int64_t i = 0; i < count; i++)
        if (failed)
            fail_image(s, s->waiting[i], &err);
        else
            finish(s, s->waiting[i], s->probabilities + i * classes);
}

static void predict(session *s, const char *path)
{
    const int64_t waiting = stk_predictor_waiting(s->predictor);
    stk_error     err;
    stk_status    st = stk_file_read_all(NULL, path, 0, IMAGE_BYTES_MAX, &s->encoded, &err);
    if (!st) st = stk_predictor_add(s->predictor, stk_blob_bytes(&s->encoded), path, &err);
    if (!st) s->waiting[waiting] = path;
    if (st || waiting + 1 == s->batch) run_batch(s);
    if (st) fail_image(s, path, &err);
}

static void predict_all(session *s)
{
    stk_error err;
    for (size_t i = 0; i < s->files.count && !cli_output_closed(); i++) {
        if (stk_cancel_check(cli_signals_token(), "predict", &err)) {
            run_batch(s);
            s->code = cli_report_error(s->call->command, &err, NULL);
            return;
        }
        predict(s, s->files.paths[i]);
    }
    run_batch(s);
}

static void print_sum(const session *s)
{
    if (s->known > 1 && !is_screen(s->values->csv) && !is_screen(s->values->jsonl))
        printf("%s%lld of %lld right%s, by the names of their folders\n", s->style.bold,
               (long long)s->right, (long long)s->known, s->style.plain);
}

static void save_sheet(session *s)
{
    stk_error  err;
    char       subheading[200] = "";
    const bool quiet = s->values->common.quiet;
    if (s->known)
        snprintf(subheading, sizeof subheading, "%lld of %lld right", (long long)s->right,
                 (long long)s->known);
    if (cli_predict_sheet_save(&s->sheet, s->values->sheet, s->call->operands[0], subheading,
                               (int)s->values->columns, &err))
        s->code = cli_report_error(s->call->command, &err, NULL);
    else if (s->done > CLI_PREDICT_SHEET_MAX && !quiet)
        fprintf(stderr, "the sheet has the first %d of %lld images\n", CLI_PREDICT_SHEET_MAX,
                (long long)s->done);
}

static void commit(session *s, cli_text_rows *rows, const char *path)
{
    stk_error err;
    if (!path) return;
    if (cli_text_rows_commit(rows, &err))
        s->code = cli_report_error(s->call->command, &err, NULL);
    else if (!is_screen(path) && !s->values->common.quiet)
        fprintf(stderr, "%s: %lld images\n", path, (long long)s->done);
}

static void work(session *s)
{
    if (s->values->common.json) {
        cli_json_out_begin(&s->json);
        stk_json_array(&s->json.writer);
    }
    predict_all(s);
    if (s->values->common.json) {
        stk_json_array_end(&s->json.writer);
        const int code = cli_json_out_end(&s->json, s->call);
        if (code) s->code = code;
    } else {
        print_sum(s);
    }
    commit(s, &s->csv, s->values->csv);
    commit(s, &s->jsonl, s->values->jsonl);
    if (s->values->sheet && s->code != CLI_EXIT_CANCELLED) save_sheet(s);
}

static stk_status open_all(session *s, stk_error *err)
{
    const values         *v = s->values;
    stk_predictor_options how = cli_model_options_of(&v->model, (int)v->common.threads);
    for (int i = 1; i < s->call->operand_count; i++)
        STK_TRY(cli_image_files_add(&s->files, s->call->operands[i], err));
    /* A program computes complete batches, so few images use a batch of one. */
    s->batch = how.batch = s->files.count < MANY ? 1 : BATCH;
    STK_TRY(stk_predictor_open(&s->predictor, s->call->operands[0], &how, err));
    cli_model_options_warn(s->predictor);
    const size_t classes = (size_t)stk_predictor_classes(s->predictor);
    s->probabilities = calloc(classes * (size_t)s->batch, sizeof *s->probabilities);
    s->order = calloc(classes, sizeof *s->order);
    if (!s->probabilities || !s->order)
        return stk_fail(err, STK_E_NOMEM, "predict", NULL, "no memory for %zu classes", classes);
    s->shown = v->top < (int64_t)classes ? v->top : (int64_t)classes;
    if (v->csv) {
        STK_TRY(cli_text_rows_open(&s->csv, v->csv, err));
        cli_prediction_csv_heading(&s->csv, s->shown);
    }
    if (v->jsonl) STK_TRY(cli_text_rows_open(&s->jsonl, v->jsonl, err));
    return v->sheet ? cli_predict_sheet_init(&s->sheet, err) : STK_OK;
}

static void release(session *s)
{
    cli_predict_sheet_release(&s->sheet);
    cli_image_files_release(&s->files);
    stk_predictor_free(s->predictor);
    stk_blob_release(&s->encoded);
    cli_text_rows_release(&s->csv);
    cli_text_rows_release(&s->jsonl);
    free(s->probabilities);
    free(s->order);
}

static int run(const cli_invocation *call)
{
    const values *v = call->values;
    session       s = {.call = call, .values = v, .style = cli_style_for(stdout, v->color)};
    stk_error     err;
    if (v->common.json + is_screen(v->csv) + is_screen(v->jsonl) > 1)
        return cli_report_usage(call->command,
                                "only one of --json, --csv - and --jsonl - can go to stdout",
                                "name a file for the others");
    stk_blob_init(&s.encoded, NULL, STK_MEMORY_READ);
    if (open_all(&s, &err))
        s.code = cli_report_error(call->command, &err, cli_model_options_advice(&err));
    else
        work(&s);
    release(&s);
    return s.code;
}

const cli_command cli_command_predict = {
    .name = "predict",
    .summary = "say what is in images, by a trained model",
    .operands = "RUN IMAGE...",
    .description =
        "Shows the likeliest classes of every IMAGE by the model of RUN: a run folder, or its "
        "weights alone (best.safetensors says what model it is of, its classes and how images are "
        "prepared). A folder stands for the images in it; where its name is that of a class, "
        "predictions are told right or wrong. An image that cannot be read is named, and the "
        "others go on; the exit code is 1 then.",
    .examples = "stoker predict runs/first cat.jpg dog.png\n"
                "stoker predict runs/first photos/ --top 1 --sheet predictions.png\n"
                "stoker predict best.safetensors photos/ --csv predictions.csv\n"
                "stoker predict resnet18.safetensors cat.jpg --model resnet18 --preset imagenet "
                "--classes names.txt\n"
                "stoker predict runs/first photos/ --jsonl - | jq '.top[0]'",
    .least_operands = 2,
    .most_operands = INT_MAX,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .run = run,
};
