/* Does tuning keep what is no gain, and does it find what is one? The comparisons of the search,
 * with its defaults, on real training runs. Both sides the same: what is kept is a mistake. Or one
 * side has a callback that computes for a known share of a step, 2 to 30 %, at random on either
 * side: the outcome is known from the time of a step without it, measured before and after the
 * trial.
 *
 * bench_tune_honesty --data PACK [--trials N] [--injected N] [--first N] [--count N] [--out FILE]
 * bench_tune_honesty --sum FILE...        (of several processes)
 *
 * Trials are numbered, the two kinds mixed evenly, and a number always has the same fault. With
 * --out those that the file has are not run again. Exit 1 where a bound does not hold. */
#include "base/philox.h"
#include "bench.h"
#include "honesty_summary.h"
#include "train/faults/burn.h"
#include "tune/recipe/recipe_subject.h"
#include "tune/recipe/remove_folder.h"
#include "tune/search/verdict.h"
#include <getopt.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { SETS_MAX = 32, CALIBRATIONS_MAX = 64, NOBODY = -1 };

static const double gain_least = 0.02, gain_most = 0.3;
static const double burn_s = 0.03; /* in turn with the blocks that tell a step's time */

typedef struct settings {
    const char *data, *model, *out, *work;
    const char *sets[SETS_MAX];
    int         set_count;
    int64_t     trials, injected, first, count, batch, threads, input_threads, calibration;
    uint64_t    seed;
    double      least, block_s;
    bool        json, sum;
} settings;

/* The search's own subject, but for a fault on one of the two sides. */
typedef struct bench {
    const settings    *s;
    stk_train_recipe   recipe;
    stk_tune_options   options;
    stk_recipe_subject subject;
    stk_tune_subject   real;
    stk_inject         inject;
    int                faulty; /* the side with the fault, or NOBODY */
} bench;

/* What a step takes, and how much longer a computation than its fastest run. */
typedef struct clean_step {
    double seconds, stretch;
} clean_step;

static void must(stk_status st, const stk_error *err)
{
    char line[1024];
    if (!st) return;
    fprintf(stderr, "bench_tune_honesty: %s\n", stk_error_line(err, line, sizeof line));
    exit(2);
}

/* Both sides are the same recipe; a key that no recipe has tells which one is opened. */
static const char second_side[] = "second";

static stk_status open_arm(void *context, const stk_tune_setting *setting, void **out,
                           stk_error *err)
{
    const stk_tune_setting none = {0};
    bench                 *b = context;
    const int              side = stk_tune_setting_get(setting, second_side) ? 1 : 0;
    b->options.inject = side == b->faulty ? &b->inject : NULL;
    return b->real.open(b->real.context, &none, out, err);
}

static void set(bench *b, const char *key, const char *value)
{
    stk_error err;
    must(stk_train_recipe_set(&b->recipe, key, value, "bench", &err), &err);
}

static void set_number(bench *b, const char *key, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    set(b, key, text);
}

static void set_pair(bench *b, const char *pair)
{
    char        key[STK_TUNE_KEY];
    const char *value = strchr(pair, '=');
    stk_error   err;
    if (!value || (size_t)(value - pair) >= sizeof key)
        must(stk_fail(&err, STK_E_INVALID, "bench", pair, "expected SECTION.KEY=VALUE"), &err);
    snprintf(key, sizeof key, "%.*s", (int)(value - pair), pair);
    set(b, key, value + 1);
}

static void prepare(bench *b, const settings *s)
{
    stk_error err;
    *b = (bench){.s = s, .faulty = NOBODY};
    stk_train_recipe_init(&b->recipe);
    set(b, "data.path", s->data);
    set(b, "model.name", s->model);
    set_number(b, "data.batch", s->batch);
    set_number(b, "knobs.threads", s->threads);
    set_number(b, "knobs.input_threads", s->input_threads);
    for (int i = 0; i < s->set_count; i++)
        set_pair(b, s->sets[i]);
    b->options = (stk_tune_options){.least = s->least, .folder = s->work};
    must(stk_recipe_subject_init(&b->subject, &b->recipe, &b->options, s->work, &err), &err);
    b->subject.block_s = s->block_s;
    b->real = stk_recipe_subject_table(&b->subject);
}

/* Of spans: what else the machine does makes a computation longer by as much as a step. */
static double measure_stretch(double rounds_per_s)
{
    const double begin = bench_seconds();
    stk_burn(burn_s * rounds_per_s);
    return (bench_seconds() - begin) / burn_s;
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, bench_compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static clean_step measure_clean(bench *b)
{
    const stk_tune_setting none = {0};
    const double           rounds_per_s = stk_burn_measure();
    const size_t           count = (size_t)b->s->calibration;
    double                 steps[CALIBRATIONS_MAX], stretches[CALIBRATIONS_MAX];
    void                  *arm;
    stk_error              err;
    b->options.inject = NULL;
    must(b->real.open(b->real.context, &none, &arm, &err), &err);
    for (size_t i = 0; i < count; i++) {
        stk_tune_block block;
        must(b->real.measure(arm, &block, &err), &err);
        steps[i] = block.seconds / block.samples * (double)b->s->batch;
        stretches[i] = measure_stretch(rounds_per_s);
    }
    b->real.close(arm);
    return (clean_step){median(steps, count), median(stretches, count)};
}

static void compare(bench *b, honesty_trial *t)
{
    const stk_tune_setting         none = {0};
    stk_tune_setting               other = {0};
    const stk_tune_compare_options how = {.least = b->s->least};
    stk_tune_subject               table = b->real;
    stk_tune_comparison            pair;
    stk_tune_trial                 trial = {.number = 1};
    stk_error                      err;
    bool                           second;
    const double                   begin = bench_seconds();
    table.open = open_arm;
    table.context = b;
    must(stk_tune_setting_set(&other, second_side, "1", &err), &err);
    must(stk_tune_compare(&pair, &table, &none, &other, &how, &second, &err), &err);
    stk_tune_judge(&trial, &pair, b->s->least);
    t->seconds = bench_seconds() - begin;
    t->mean = pair.test.mean;
    t->low = log1p(trial.gain.low);
    t->high = log1p(trial.gain.high);
    t->deviation = stk_gain_test_deviation(&pair.test);
    t->observations = trial.observations;
    t->decision = trial.decision;
    t->rate = pair.rate_before;
}

static void run_changed(bench *b, honesty_trial *t)
{
    stk_random       random = stk_random_for(b->s->seed, 0, (uint64_t)t->index, 0);
    const double     gain = gain_least + (gain_most - gain_least) * stk_random_double(&random);
    const bool       slower = stk_random_below(&random, 2);
    const clean_step before = measure_clean(b);
    b->faulty = slower ? 1 : 0;
    b->inject = (stk_inject){.callback_s = gain * before.seconds / before.stretch};
    compare(b, t);
    const clean_step after = measure_clean(b);
    t->step_s = (before.seconds + after.seconds) / 2;
    t->fault_s = b->inject.callback_s * (before.stretch + after.stretch) / 2;
    t->truth = log1p(t->fault_s / t->step_s) * (slower ? -1 : 1);
}

static void run_same(bench *b, honesty_trial *t)
{
    b->faulty = NOBODY;
    compare(b, t);
}

/* The two kinds come evenly mixed, so that any part of the numbers is about as long as another. */
static bool is_changed(const settings *s, int64_t index)
{
    const int64_t all = s->trials + s->injected;
    return (index + 1) * s->injected / all > index * s->injected / all;
}

static void tell(const honesty_trial *t)
{
    fprintf(stderr,
            "%4lld %-8s true %+6.2f %%  measured %+6.2f %% (%+.2f to %+.2f)  %2zu observations, "
            "%.1f s  %s\n",
            (long long)t->index, t->changed ? "changed" : "same", 100 * expm1(t->truth),
            100 * expm1(t->mean), 100 * expm1(t->low), 100 * expm1(t->high), t->observations,
            t->seconds, stk_tune_decision_name(t->decision));
}

static void run_trial(bench *b, int64_t index, honesty_trials *all)
{
    stk_error     err;
    honesty_trial t = {.index = index, .changed = is_changed(b->s, index)};
    if (t.changed)
        run_changed(b, &t);
    else
        run_same(b, &t);
    tell(&t);
    must(honesty_trials_add(all, &t, &err), &err);
    if (b->s->out) must(honesty_trial_append(&t, b->s->out, &err), &err);
}

static void run_trials(const settings *s, honesty_trials *all)
{
    const int64_t most = s->trials + s->injected;
    const int64_t end = s->count < 0 || s->first + s->count > most ? most : s->first + s->count;
    stk_error     err;
    bench        *b = malloc(sizeof *b);
    if (!b) exit(2);
    if (s->out) must(honesty_trials_load(all, s->out, &err), &err);
    prepare(b, s);
    for (int64_t i = s->first; i < end; i++)
        if (!honesty_trials_have(all, i)) run_trial(b, i, all);
    stk_recipe_subject_release(&b->subject);
    stk_tune_remove_folder(s->work);
    free(b);
}

static bool parse(settings *s, int argc, char **argv)
{
    static const struct option options[] = {{"data", required_argument, NULL, 'd'},
                                            {"model", required_argument, NULL, 'm'},
                                            {"batch", required_argument, NULL, 'b'},
                                            {"threads", required_argument, NULL, 't'},
                                            {"input-threads", required_argument, NULL, 'i'},
                                            {"set", required_argument, NULL, 'k'},
                                            {"trials", required_argument, NULL, 'n'},
                                            {"injected", required_argument, NULL, 'f'},
                                            {"first", required_argument, NULL, 'a'},
                                            {"count", required_argument, NULL, 'c'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"least", required_argument, NULL, 'l'},
                                            {"block", required_argument, NULL, 'w'},
                                            {"calibration", required_argument, NULL, 'e'},
                                            {"work", required_argument, NULL, 'p'},
                                            {"out", required_argument, NULL, 'o'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"sum", no_argument, NULL, 'u'},
                                            {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'd') s->data = optarg;
        if (c == 'm') s->model = optarg;
        if (c == 'b') s->batch = atoll(optarg);
        if (c == 't') s->threads = atoll(optarg);
        if (c == 'i') s->input_threads = atoll(optarg);
        if (c == 'k' && s->set_count < SETS_MAX) s->sets[s->set_count++] = optarg;
        if (c == 'n') s->trials = atoll(optarg);
        if (c == 'f') s->injected = atoll(optarg);
        if (c == 'a') s->first = atoll(optarg);
        if (c == 'c') s->count = atoll(optarg);
        if (c == 's') s->seed = strtoull(optarg, NULL, 10);
        if (c == 'l') s->least = atof(optarg) / 100;
        if (c == 'w') s->block_s = atof(optarg);
        if (c == 'e') s->calibration = atoll(optarg);
        if (c == 'p') s->work = optarg;
        if (c == 'o') s->out = optarg;
        if (c == 'j') s->json = true;
        if (c == 'u') s->sum = true;
        if (c == '?') return false;
    }
    return (s->sum || s->data) && s->trials >= 0 && s->injected >= 0 && s->first >= 0 &&
           s->trials + s->injected > 0 && s->calibration >= 1 && s->least > 0 && s->block_s > 0 &&
           s->calibration <= CALIBRATIONS_MAX;
}

static int print(const settings *s, const honesty_trials *all)
{
    const honesty_summary summary = honesty_sum_up(all);
    stk_error             err;
    if (s->json)
        must(honesty_print_json(&summary, &err), &err);
    else
        honesty_print(&summary);
    return honesty_holds(&summary) ? 0 : 1;
}

int main(int argc, char **argv)
{
    char           work[] = "/tmp/stoker-honesty-XXXXXX";
    settings       s = {.model = "lenet",
                        .trials = 200,
                        .injected = 100,
                        .count = -1,
                        .batch = 32,
                        .threads = 1,
                        .input_threads = 1,
                        .calibration = 6,
                        .seed = 1,
                        .least = 0.01,   /* the search's */
                        .block_s = 0.4}; /* the recipes' */
    honesty_trials all = {0};
    stk_error      err;
    if (!parse(&s, argc, argv)) {
        fprintf(
            stderr,
            "usage: bench_tune_honesty --data PACK [--model NAME] [--batch N] [--threads N] "
            "[--input-threads N]\n"
            "           [--set KEY=VALUE]... [--trials N] [--injected N] [--first N] [--count N] "
            "[--seed N] [--least PERCENT]\n"
            "           [--block S] [--calibration BLOCKS] [--work FOLDER] [--out FILE] "
            "[--json]\n"
            "       bench_tune_honesty --sum [--json] FILE...\n");
        return 2;
    }
    if (s.sum) {
        for (int i = optind; i < argc; i++)
            must(honesty_trials_load(&all, argv[i], &err), &err);
    } else {
        if (!s.work) s.work = mkdtemp(work);
        if (!s.work) return 2;
        run_trials(&s, &all);
    }
    const int code = print(&s, &all);
    honesty_trials_release(&all);
    return code;
}
