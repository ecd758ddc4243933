/* stoker bench claims: what articles promise, and what comes of it on this machine. */
#include "bench_claims.h"
#include "bench_options.h"
#include "json_out.h"
#include "signals.h"
#include "train_flags.h"

#include <string.h>

typedef struct values {
    cli_train_values train;
    const char      *only, *color;
    int64_t          windows;
    double           seconds;
} values;

enum { WINDOWS_LEAST = 5, WINDOWS_USUAL = 7, MANY_PROCESSORS = 16 };

static const values defaults = {.windows = WINDOWS_USUAL};

static const cli_option options[] = {
    CLI_TRAIN_WORD_OPTION(values, train.model, "model", "NAME", cli_choice_model, "The step",
                          "the network (default: resnet50; without a GPU resnet20)"),
    CLI_TRAIN_TEXT_OPTION(values, train.batch, "batch", "N", "The step",
                          "images of a step (default 64; without a GPU 16). The curve of batches "
                          "goes from a sixteenth to 4 times that"),
    CLI_TRAIN_TEXT_OPTION(values, train.size, "size", "N", "The step",
                          "pixels of a side (default: 224; without a GPU 32)"),
    CLI_TRAIN_WORD_OPTION(values, train.precision, "precision", "P", cli_choice_precision,
                          "The step",
                          "where precision is not what is compared (default: fp16 on a GPU, else "
                          "fp32)"),
    CLI_TRAIN_TEXT_OPTION(values, only, "only", "GROUPS", "The step",
                          "of precision, eight, batch, graph, fused, layout, resize, cpu: those "
                          "named here, with commas between (default: all)"),
    {CLI_OPTION(values, windows, "windows", INTEGER, "N"), .least = WINDOWS_LEAST,
     .most = CLI_TRIAL_WINDOWS, .group = "How long",
     .help = "of each thing that is compared, in turn (default 7)"},
    {CLI_OPTION(values, seconds, "seconds", NUMBER, "S"), .letter = 's', .least = 0, .most = 1e3,
     .group = "How long", .help = "of a window (default 0: 0.15)"},
    CLI_BENCH_MACHINE_OPTIONS(values, train),
    CLI_BENCH_SHOW_OPTIONS(values, color, train),
};

static bool names(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ',') && (!at[length] || at[length] == ',')) return true;
    return false;
}

/* The first word of list that is no group; NULL: all are. */
static const char *unknown_group(const char *list, char *word, size_t capacity)
{
    while (*list) {
        const size_t length = strcspn(list, ",");
        snprintf(word, capacity, "%.*s", (int)length, list);
        size_t i = 0;
        while (cli_claim_group_name(i) && strcmp(cli_claim_group_name(i), word) != 0)
            i++;
        if (!cli_claim_group_name(i)) return word;
        list += length + (list[length] == ',');
    }
    return NULL;
}

static void fill(char *text, size_t capacity, const char *usual)
{
    if (!*text) snprintf(text, capacity, "%s", usual);
}

/* Sizes are those that the articles speak of where there is a GPU, else small ones. */
static stk_status choose(cli_claims *c, stk_error *err)
{
    stk_train_recipe *r = &c->recipe;
    stk_device       *device;
    stk_device_info   info;
    STK_TRY(stk_device_open(&device, *r->knobs.backend ? r->knobs.backend : NULL, NULL, err));
    stk_device_read_info(device, &info);
    stk_device_describe(device, c->machine, sizeof c->machine);
    fill(r->knobs.backend, sizeof r->knobs.backend, stk_device_name(device));
    c->large = stk_device_is_asynchronous(device) && info.processors >= MANY_PROCESSORS;
    stk_device_free(device);
    fill(r->model.name, sizeof r->model.name, c->large ? "resnet50" : "resnet20");
    if (r->train.precision == STK_PRECISION_AUTO)
        r->train.precision = c->large ? STK_PRECISION_FP16 : STK_PRECISION_FP32;
    if (r->data.size < 0) r->data.size = c->large ? 224 : 32;
    if (r->data.batch < 0) r->data.batch = c->large ? 64 : 16;
    c->batch = r->data.batch;
    return STK_OK;
}

static stk_status measure(cli_claims *c, const values *v, stk_error *err)
{
    char        text[64];
    const char *name;
    stk_status  st = choose(c, err);
    for (size_t i = 0; !st && (name = cli_claim_group_name(i)); i++) {
        if (v->only && !names(v->only, name)) continue;
        snprintf(text, sizeof text, "measuring: %s ...", name);
        if (!v->train.quiet) cli_notice_begin(text);
        st = cli_claim_group_measure(c, i, err);
        cli_notice_end();
    }
    return st;
}

static int print(const cli_invocation *call, const cli_claims *claims)
{
    const values   *v = call->values;
    const cli_style style = cli_style_for(stdout, v->color);
    cli_json_out    json;
    if (!v->train.json) {
        cli_claims_print(claims, &style);
        return CLI_EXIT_OK;
    }
    cli_json_out_begin(&json);
    cli_claims_json(&json.writer, claims);
    return cli_json_out_end(&json, call);
}

static int run(const cli_invocation *call)
{
    const values    *v = call->values;
    cli_train_values flags = v->train;
    cli_claims       claims = {
              .windows = (size_t)v->windows, .seconds = v->seconds > 0 ? v->seconds : 0.15, .peak = -1};
    char      word[32], message[96];
    stk_error err;
    if (v->only && unknown_group(v->only, word, sizeof word)) {
        snprintf(message, sizeof message, "--only: there is no group '%s'", word);
        return cli_report_usage(call->command, message,
                                "there are: precision, eight, batch, graph, fused, layout, resize, "
                                "cpu");
    }
    stk_train_recipe_init(&claims.recipe);
    const int code = cli_train_flags_apply(call, &flags, NULL, &claims.recipe);
    if (code) return code;
    /* What was measured before it was stopped is not lost. */
    const stk_status st = measure(&claims, v, &err);
    const int        printed = st && !claims.count ? CLI_EXIT_OK : print(call, &claims);
    return st ? cli_report_error(call->command, &err, NULL) : printed;
}

const cli_command cli_command_bench_claims = {
    .name = "bench claims",
    .summary = "what articles promise of training's speed, measured on this machine",
    .operands = "",
    .description = "Measures what articles about fast training claim, each thing beside what it "
                   "is said to be faster than, in turn: mixed precision, multiples of 8, larger "
                   "batches, graphs, fused operations, layouts, smaller images, threads. Tells "
                   "what was claimed, what is so here, and why where they differ.",
    .examples = "stoker bench claims\n"
                "stoker bench claims --only precision,fused --model resnet50 --batch 256\n"
                "stoker bench claims --backend cpu --json",
    .least_operands = 0,
    .most_operands = 0,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof(values),
    .run = run,
};
