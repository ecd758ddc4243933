/* stoker predict: what a trained model takes pictures for. */
#include "json_out.h"
#include "picture_files.h"
#include "predict_sheet.h"
#include "signals.h"
#include "terminal.h"
#include "text.h"

#include <limits.h>
#include <stdlib.h>
#include <stoker/filesystem.h>
#include <stoker/model_file.h>
#include <string.h>

typedef struct values {
    stk_common_values common;
    int64_t           top, columns;
    const char       *sheet, *which, *backend, *color;
} values;

static const values defaults = {.top = 5, .columns = 8};

static const stk_option options[] = {
    {.name = "top",
     .letter = 'k',
     .metavar = "K",
     .kind = STK_OPTION_INTEGER,
     .target = offsetof(values, top),
     .least = 1,
     .most = 1000,
     .group = "Output",
     .help = "classes to show of each picture, the likeliest first (default 5)"},
    {.name = "sheet",
     .metavar = "FILE",
     .kind = STK_OPTION_FILE,
     .target = offsetof(values, sheet),
     .group = "Output",
     .help = "draw the pictures with their classes into this PNG"},
    {.name = "columns",
     .metavar = "N",
     .kind = STK_OPTION_INTEGER,
     .target = offsetof(values, columns),
     .least = 1,
     .most = 64,
     .group = "Output",
     .help = "pictures side by side on the sheet (default 8)"},
    {.name = "color",
     .metavar = "WHEN",
     .kind = STK_OPTION_CHOICE,
     .target = offsetof(values, color),
     .choice = stk_color_choice,
     .group = "Output",
     .help = "colours: auto (on a terminal), always, never"},
    {.name = "which",
     .metavar = "best|last|PATH",
     .kind = STK_OPTION_TEXT,
     .target = offsetof(values, which),
     .group = "The model",
     .help = "the weights: the best of the run, its last checkpoint, or a file (default best)"},
    {.name = "backend",
     .metavar = "B",
     .kind = STK_OPTION_TEXT,
     .target = offsetof(values, backend),
     .group = "The model",
     .help = "what computes: cuda, cpu or ref (default: the fastest there is)"},
    STK_COMMON_OPTIONS(values, common),
};

enum { PICTURE_MOST_BYTES = 1 << 30, BAR = 20, FOLDER_ROOM = 256 };

typedef struct session {
    const stk_invocation *call;
    const values         *values;
    stk_style             style;
    stk_predictor        *predictor;
    stk_picture_files     files;
    stk_predict_sheet     sheet;
    stk_json_out          json;
    stk_blob              encoded;
    float                *probabilities;
    int64_t              *order; /* of classes, the likeliest first */
    int64_t               known, right, done;
    int                   code;
} session;

/* The class that the picture's folder is named after, or -1. */
static int64_t true_class(const session *s, const char *path)
{
    const char *slash = strrchr(path, '/'), *begin = slash;
    if (!slash) return -1;
    while (begin > path && begin[-1] != '/')
        begin--;
    char folder[FOLDER_ROOM];
    if (slash - begin >= FOLDER_ROOM) return -1;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - begin), begin);
    return stk_predictor_find_class(s->predictor, folder);
}

/* As many as are shown, by taking the largest of the rest. */
static void sort_classes(session *s, int64_t shown)
{
    const int64_t classes = stk_predictor_classes(s->predictor);
    for (int64_t i = 0; i < classes; i++)
        s->order[i] = i;
    for (int64_t i = 0; i < shown; i++)
        for (int64_t k = i + 1; k < classes; k++)
            if (s->probabilities[s->order[k]] > s->probabilities[s->order[i]]) {
                const int64_t other = s->order[i];
                s->order[i] = s->order[k];
                s->order[k] = other;
            }
}

static void print_bar(const session *s, float share)
{
    const int length = (int)(share * (float)BAR + 0.5f);
    for (int i = 0; i < BAR; i++)
        fputs(i >= length ? " " : s->style.unicode ? "\xe2\x96\x88" : "#", stdout);
}

static void print_picture(const session *s, const char *path, int64_t shown, int64_t truth)
{
    stk_text_print(stdout, path);
    if (truth >= 0)
        printf("  %s%s%s", s->order[0] == truth ? s->style.good : s->style.bad,
               s->order[0] == truth ? "right" : "wrong", s->style.plain);
    printf("\n");
    for (int64_t i = 0; i < shown; i++) {
        const float share = s->probabilities[s->order[i]];
        printf("  %5.1f %%  ", 100 * (double)share);
        print_bar(s, share);
        printf("  ");
        stk_text_print(stdout, stk_predictor_class_name(s->predictor, s->order[i]));
        printf("\n");
    }
}

static void write_picture(session *s, const char *path, int64_t shown, int64_t truth)
{
    stk_json_writer *json = &s->json.writer;
    stk_json_object(json);
    stk_json_pair_string(json, "path", path);
    if (truth >= 0) {
        stk_json_pair_string(json, "truth", stk_predictor_class_name(s->predictor, truth));
        stk_json_pair_bool(json, "right", s->order[0] == truth);
    }
    stk_json_key(json, "top");
    stk_json_array(json);
    for (int64_t i = 0; i < shown; i++) {
        stk_json_object(json);
        stk_json_pair_string(json, "class", stk_predictor_class_name(s->predictor, s->order[i]));
        stk_json_pair_int(json, "index", s->order[i]);
        stk_json_pair_double(json, "probability", (double)s->probabilities[s->order[i]]);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
    stk_json_object_end(json);
}

static stk_status add_to_sheet(session *s, const char *path, int64_t truth, stk_error *err)
{
    const int64_t best = s->order[0];
    const char   *slash = strrchr(path, '/');
    char          label[96], note[160];
    snprintf(label, sizeof label, "%.80s %.0f %%", stk_predictor_class_name(s->predictor, best),
             100 * (double)s->probabilities[best]);
    if (truth < 0)
        snprintf(note, sizeof note, "%.150s", slash ? slash + 1 : path);
    else if (truth == best)
        snprintf(note, sizeof note, "right");
    else
        snprintf(note, sizeof note, "wrong: it is %.140s",
                 stk_predictor_class_name(s->predictor, truth));
    return stk_predict_sheet_add(&s->sheet, stk_blob_bytes(&s->encoded), label, note, err);
}

static stk_status predict(session *s, const char *path, stk_error *err)
{
    const int64_t classes = stk_predictor_classes(s->predictor);
    const int64_t shown = s->values->top < classes ? s->values->top : classes;
    const int64_t truth = true_class(s, path);
    STK_TRY(stk_file_read_all(NULL, path, 0, PICTURE_MOST_BYTES, &s->encoded, err));
    STK_TRY(stk_predictor_picture(s->predictor, stk_blob_bytes(&s->encoded), path, s->probabilities,
                                  err));
    sort_classes(s, shown);
    if (s->values->common.json)
        write_picture(s, path, shown, truth);
    else
        print_picture(s, path, shown, truth);
    s->done++;
    s->known += truth >= 0;
    s->right += truth >= 0 && truth == s->order[0];
    return s->values->sheet ? add_to_sheet(s, path, truth, err) : STK_OK;
}

/* A picture that cannot be read is told in both forms, and the others go on. */
static void fail_picture(session *s, const char *path, const stk_error *err)
{
    char             line[1024];
    stk_json_writer *json = &s->json.writer;
    s->code = stk_report_error(s->call->command, err, NULL);
    if (!s->values->common.json) return;
    stk_json_object(json);
    stk_json_pair_string(json, "path", path);
    stk_json_pair_string(json, "error", stk_error_line(err, line, sizeof line));
    stk_json_object_end(json);
}

static void predict_all(session *s)
{
    for (size_t i = 0; i < s->files.count && !stk_output_closed(); i++) {
        stk_error err;
        if (stk_cancel_check(stk_signals_token(), "predict", &err)) {
            s->code = stk_report_error(s->call->command, &err, NULL);
            return;
        }
        if (predict(s, s->files.paths[i], &err)) fail_picture(s, s->files.paths[i], &err);
    }
}

static void print_sum(const session *s)
{
    if (s->known > 1)
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
    if (stk_predict_sheet_save(&s->sheet, s->values->sheet, s->call->operands[0], subheading,
                               (int)s->values->columns, &err))
        s->code = stk_report_error(s->call->command, &err, NULL);
    else if (s->done > STK_PREDICT_SHEET_MOST && !quiet)
        fprintf(stderr, "the sheet has the first %d of %lld pictures\n", STK_PREDICT_SHEET_MOST,
                (long long)s->done);
}

static void work(session *s)
{
    if (s->values->common.json) {
        stk_json_out_begin(&s->json);
        stk_json_array(&s->json.writer);
    }
    predict_all(s);
    if (s->values->common.json) {
        stk_json_array_end(&s->json.writer);
        const int code = stk_json_out_end(&s->json, s->call);
        if (code) s->code = code;
    } else {
        print_sum(s);
    }
    if (s->values->sheet && s->code != STK_EXIT_CANCELLED) save_sheet(s);
}

static stk_status open_all(session *s, stk_error *err)
{
    /* A program computes whole batches: one picture at a time wants one of one. */
    const stk_predictor_options how = {.backend = s->values->backend,
                                       .threads = (int)s->values->common.threads,
                                       .batch = 1,
                                       .which = s->values->which};
    for (int i = 1; i < s->call->operand_count; i++)
        STK_TRY(stk_picture_files_add(&s->files, s->call->operands[i], err));
    STK_TRY(stk_predictor_open(&s->predictor, s->call->operands[0], &how, err));
    const size_t classes = (size_t)stk_predictor_classes(s->predictor);
    s->probabilities = calloc(classes, sizeof *s->probabilities);
    s->order = calloc(classes, sizeof *s->order);
    if (!s->probabilities || !s->order)
        return stk_fail(err, STK_E_NOMEM, "predict", NULL, "no memory for %zu classes", classes);
    return s->values->sheet ? stk_predict_sheet_init(&s->sheet, err) : STK_OK;
}

static void release(session *s)
{
    stk_predict_sheet_release(&s->sheet);
    stk_picture_files_release(&s->files);
    stk_predictor_free(s->predictor);
    stk_blob_release(&s->encoded);
    free(s->probabilities);
    free(s->order);
}

static int run(const stk_invocation *call)
{
    const values *v = call->values;
    session       s = {.call = call, .values = v, .style = stk_style_for(stdout, v->color)};
    stk_error     err;
    stk_blob_init(&s.encoded, NULL, STK_MEMORY_READ);
    if (open_all(&s, &err))
        s.code = stk_report_error(call->command, &err, NULL);
    else
        work(&s);
    release(&s);
    return s.code;
}

const stk_command stk_command_predict = {
    .name = "predict",
    .summary = "say what is in pictures, by a trained model",
    .operands = "RUN IMAGE...",
    .description =
        "Shows the likeliest classes of every IMAGE by the model of the run folder RUN. A folder "
        "stands for the pictures in it; where its name is that of a class, predictions are told "
        "right or wrong. A picture that cannot be read is named, and the others go on; the exit "
        "code is 1 then.",
    .examples = "stoker predict runs/first cat.jpg dog.png\n"
                "stoker predict runs/first photos/ --top 1 --sheet predictions.png\n"
                "stoker predict runs/first cat.jpg --json | jq '.[0].top[0]'",
    .least_operands = 2,
    .most_operands = INT_MAX,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .run = run,
};
