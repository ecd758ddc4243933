/* Rates of training steps, with their input and without. */
#include "bench_gate_subjects.h"
#include "signals.h"
#include "spread.h"

#include <stoker/train_bench.h>
#include <string.h>

enum { WARM_UP_STEPS = 3 };

typedef struct steps {
    const stk_train_recipe *recipe;
    const stk_train_data   *data;   /* NULL: none */
    const stk_inject       *inject; /* NULL: none */
    bool                    inference;
    int64_t                 window;      /* 0: single steps */
    char                    backend[32]; /* that computes */
    int                     threads;     /* of it */
    stk_train_bench        *bench;       /* while it is open */
} steps;

static stk_status open_steps(void *context, stk_error *err)
{
    steps                        *s = context;
    const stk_train_bench_options how = {
        .inference = s->inference, .cancel = cli_signals_token(), .inject = s->inject};
    return stk_train_bench_open(&s->bench, s->recipe, s->data, &how, err);
}

static void close_steps(void *context)
{
    steps *s = context;
    stk_train_bench_free(s->bench);
    s->bench = NULL;
}

/* Also waits for the steps that a device has in flight. */
static stk_status step(steps *s, int64_t *done, stk_error *err)
{
    STK_TRY(stk_cancel_check(cli_signals_token(), "bench", err));
    *done += s->window ? s->window : 1;
    if (s->window) return stk_train_bench_window(s->bench, s->window, err);
    return stk_train_bench_step(s->bench, s->data ? STK_TRAIN_BENCH_BOTH : STK_TRAIN_BENCH_COMPUTE,
                                err);
}

static stk_status measure_steps(void *context, double warm_up, double seconds, double *rate,
                                stk_error *err)
{
    steps  *s = context;
    int64_t done = 0, warm = 0;
    double  begin = cli_seconds_now(), now;
    do {
        STK_TRY(step(s, &warm, err));
    } while (warm < WARM_UP_STEPS || cli_seconds_now() - begin < warm_up);
    begin = cli_seconds_now();
    do {
        STK_TRY(step(s, &done, err));
        now = cli_seconds_now();
    } while (now - begin < seconds);
    *rate = (double)(done * s->recipe->data.batch) / (now - begin);
    return STK_OK;
}

/* What of a recipe decides about speed: rates, seeds and schedules do not. The first ones only
 * with input. */
enum { OF_INPUT = 7 };

static const char *const keys[] = {
    "data.preset",      "data.cache",          "data.resident",    "data.mixup",
    "data.cutmix",      "knobs.input_threads", "knobs.augment",    "data.batch",
    "data.size",        "model.width",         "train.optimizer",  "train.precision",
    "train.accumulate", "train.ema",           "knobs.passes_off", "knobs.eager"};

static void add_key(cli_gate_record *record, const char *key, const stk_train_recipe *recipe)
{
    const stk_param *row = stk_params_find(stk_train_recipe_table(), key);
    const char      *dot = strchr(key, '.');
    char             text[CLI_GATE_TEXT] = "";
    if (!row) return;
    (void)stk_param_print(row, recipe, text, sizeof text);
    cli_gate_fact_text(record, dot ? dot + 1 : key, text);
}

static void add_facts(cli_gate_record *record, const steps *s, double seconds)
{
    const stk_train_recipe *r = s->recipe;
    char                    faults[CLI_GATE_TEXT];
    if (s->data) {
        cli_gate_fact_path(record, "data", r->data.path);
        cli_gate_fact_number(record, "images", (double)s->data->train_count);
    }
    cli_gate_fact_text(record, "model", r->model.trivial ? "trivial" : r->model.name);
    for (size_t i = s->data ? 0 : OF_INPUT; i < sizeof keys / sizeof *keys; i++)
        add_key(record, keys[i], r);
    cli_gate_fact_text(record, "backend", s->backend);
    cli_gate_fact_number(record, "threads", s->threads);
    if (s->inference) cli_gate_fact_text(record, "inference", "true");
    if (s->window) cli_gate_fact_number(record, "window", (double)s->window);
    if (s->inject)
        cli_gate_fact_text(record, "inject", stk_inject_text(s->inject, faults, sizeof faults));
    cli_gate_fact_number(record, "seconds", seconds);
}

/* On a GPU threads of the host feed it and launch; what it computes itself no yardstick covers. */
static int threads_of(const steps *s, bool on_gpu)
{
    const int64_t more = s->data ? s->recipe->knobs.input_threads - 1 : 0;
    return (on_gpu ? 1 : s->threads) + (more > 0 ? (int)more : 0);
}

/* A recipe may leave open what computes: an opened step knows. */
static stk_status look(steps *s, stk_error *err)
{
    const stk_status st = open_steps(s, err);
    if (!st) {
        snprintf(s->backend, sizeof s->backend, "%s", stk_train_bench_backend(s->bench));
        s->threads = stk_train_bench_threads(s->bench);
    }
    close_steps(s);
    return st;
}

static int run(const cli_gate_call *gate, steps *s, const char *bench)
{
    cli_gate_record  record = {.unit = "img/s"};
    cli_gate_subject subject = {.record = &record,
                                .seconds = gate->seconds,
                                .context = s,
                                .open = open_steps,
                                .measure = measure_steps,
                                .close = close_steps};
    stk_error        err;
    if (look(s, &err)) return cli_train_job_error(gate->call, &err);
    subject.on_gpu = strncmp(s->backend, "cuda", 4) == 0;
    subject.threads = threads_of(s, subject.on_gpu);
    snprintf(record.bench, sizeof record.bench, "%s", bench);
    add_facts(&record, s, gate->seconds);
    return cli_gate_run(gate->call, gate->values, &subject, gate->json, gate->color, gate->quiet);
}

int cli_gate_train(const cli_gate_call *gate, const cli_train_job *job)
{
    steps s = {.recipe = &job->recipe, .data = &job->data, .inject = &job->inject};
    return run(gate, &s, "train");
}

int cli_gate_compute(const cli_gate_call *gate, const stk_train_recipe *recipe, bool inference,
                     int64_t window)
{
    steps s = {.recipe = recipe, .inference = inference, .window = window};
    return run(gate, &s, "compute");
}
