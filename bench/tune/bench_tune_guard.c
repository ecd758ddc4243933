/* Does the guard of learning refuse what hurts and pass what does not? Pairs of recipes of which
 * the answer is known, each from several seeds, compared as the search does before it keeps a
 * change of learning: the same margin and the same most seeds of a comparison.
 *
 * bench_tune_guard --data PACK [--model NAME] [--epochs X] [--batch N] [--seeds N] [--first N]
 *                  [--only NAME] [--margin POINTS] [--most N] [--out FILE] [--sum FILE...]
 *
 * Prints what each comparison says, as a line of JSON to --out too; --sum adds up such files. Exit
 * 1 unless all that hurts is refused and 9 of 10 of the rest pass. */
#include "bench.h"
#include "tune/recipe/accuracy.h"
#include "tune/recipe/recipe_settings.h"
#include "tune/recipe/remove_folder.h"
#include <getopt.h>
#include <stoker/filesystem.h>
#include <stoker/json.h>
#include <string.h>
#include <unistd.h>

enum { KEYS_MAX = 4, SETS_MAX = 32, OUT_BYTES_MAX = 16 << 20, SEED_STEP = 1000 };

static const double passes_least = 0.9;

typedef struct assignment {
    const char *key, *value;
} assignment;

/* What is changed, and whether accuracy suffers. */
typedef struct change {
    const char *name, *what;
    bool        hurts;
    assignment  before[KEYS_MAX], after[KEYS_MAX]; /* after has those of before, too */
} change;

static const change changes[] = {
    {.name = "batch",
     .what = "batches of 8192 at the rate of small ones",
     .hurts = true,
     .before = {{"train.learning_rate", "0.05"}},
     .after = {{"data.batch", "8192"}}},
    {.name = "part",
     .what = "a fiftieth of the data until the last tenth of training",
     .hurts = true,
     .after = {{"progressive.sample_from", "0.02"}, {"progressive.sample_until", "0.9"}}},
    {.name = "rate",
     .what = "fifty times the rate",
     .hurts = true,
     .before = {{"train.learning_rate", "0.05"}},
     .after = {{"train.learning_rate", "2.5"}}},
    {.name = "slow",
     .what = "a twentieth of the rate",
     .hurts = true,
     .before = {{"train.learning_rate", "0.05"}},
     .after = {{"train.learning_rate", "0.0025"}}},
    {.name = "larger", .what = "batches half as large again", .after = {{"data.batch", "96"}}},
    {.name = "seed", .what = "another seed", .after = {{"train.seed", "+500"}}},
    {.name = "threads",
     .what = "two threads prepare input",
     .after = {{"knobs.input_threads", "2"}}},
};

enum { CHANGES = sizeof changes / sizeof *changes };

typedef struct settings {
    const char *data, *model, *out, *only, *work;
    const char *sets[SETS_MAX];
    int         set_count, seeds, first, most;
    int64_t     batch, threads;
    double      epochs, margin;
    bool        sum;
} settings;

typedef struct counts {
    int    all, passed;
    double seconds;
} counts;

static void must(stk_status st, const stk_error *err)
{
    char line[1024];
    if (!st) return;
    fprintf(stderr, "bench_tune_guard: %s\n", stk_error_line(err, line, sizeof line));
    exit(2);
}

static void set(stk_train_recipe *recipe, const char *key, const char *value)
{
    stk_error err;
    must(stk_train_recipe_set(recipe, key, value, "bench", &err), &err);
}

static void set_number(stk_train_recipe *recipe, const char *key, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    set(recipe, key, text);
}

static void set_pair(stk_train_recipe *recipe, const char *pair)
{
    char        key[STK_TUNE_KEY];
    const char *value = strchr(pair, '=');
    stk_error   err;
    if (!value || (size_t)(value - pair) >= sizeof key)
        must(stk_fail(&err, STK_E_INVALID, "bench", pair, "expected SECTION.KEY=VALUE"), &err);
    snprintf(key, sizeof key, "%.*s", (int)(value - pair), pair);
    set(recipe, key, value + 1);
}

static void describe(stk_train_recipe *recipe, const settings *s, int round)
{
    stk_train_recipe_init(recipe);
    set(recipe, "data.path", s->data);
    set(recipe, "model.name", s->model);
    set_number(recipe, "data.batch", s->batch);
    set_number(recipe, "knobs.threads", s->threads);
    set_number(recipe, "knobs.input_threads", 1);
    for (int i = 0; i < s->set_count; i++)
        set_pair(recipe, s->sets[i]);
    recipe->train.seed = (round + 1) * SEED_STEP;
    recipe->train.epochs = s->epochs;
}

/* "+500" is added to the seed. */
static void fill(stk_tune_setting *setting, const assignment *list, const stk_train_recipe *recipe)
{
    for (int i = 0; i < KEYS_MAX && list[i].key; i++) {
        char        text[32];
        const char *value = list[i].value;
        stk_error   err;
        snprintf(text, sizeof text, "%lld", (long long)(recipe->train.seed + atoll(value)));
        must(stk_tune_setting_set(setting, list[i].key, *value == '+' ? text : value, &err), &err);
    }
}

typedef struct pair {
    stk_train_recipe    asked, before, after;
    stk_recipe_settings settings;
} pair;

/* A training that cannot go on is refused, as by the search. */
static void run_pair(stk_tune_guard_result *out, pair *p, const change *c, const settings *s)
{
    stk_tune_setting           before = {0}, after;
    stk_accuracy_side          sides[2] = {{.recipe = &p->before}, {.recipe = &p->after}};
    const stk_accuracy_options how = {
        .margin = s->margin, .epochs = s->epochs, .seeds = s->most, .folder = s->work};
    stk_error err;
    fill(&before, c->before, &p->asked);
    after = before;
    fill(&after, c->after, &p->asked);
    must(stk_recipe_settings_resolve(&p->before, &sides[0].data, &p->settings, &before, &err),
         &err);
    must(stk_recipe_settings_resolve(&p->after, &sides[1].data, &p->settings, &after, &err), &err);
    if (!stk_accuracy_compare(out, &sides[0], &sides[1], &how, &err)) return;
    *out = (stk_tune_guard_result){.passed = false};
    stk_error_line(&err, out->reason, sizeof out->reason);
}

static void append(const settings *s, const change *c, int round,
                   const stk_tune_guard_result *result, double seconds)
{
    stk_blob        line;
    stk_json_writer w;
    stk_error       err;
    stk_blob_init(&line, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&w, &line, 0);
    stk_json_object(&w);
    stk_json_pair_string(&w, "change", c->name);
    stk_json_pair_int(&w, "round", round);
    stk_json_pair_bool(&w, "passed", result->passed);
    stk_json_pair_string(&w, "reason", result->reason);
    stk_json_pair_double(&w, "seconds", seconds);
    stk_json_object_end(&w);
    must(stk_json_end(&w, &err), &err);
    FILE *file = fopen(s->out, "a");
    if (!file) must(stk_fail(&err, STK_E_IO, "bench", s->out, "cannot be written"), &err);
    fprintf(file, "%.*s\n", (int)line.size, (const char *)line.data);
    fclose(file);
    stk_blob_release(&line);
}

static void run_change(counts *sum, const change *c, const settings *s)
{
    pair *p = calloc(1, sizeof *p);
    if (!p) exit(2);
    p->settings.recipe = &p->asked;
    p->settings.folder = s->work;
    for (int round = s->first; round < s->first + s->seeds; round++) {
        stk_tune_guard_result result;
        const double          begin = bench_seconds();
        describe(&p->asked, s, round);
        run_pair(&result, p, c, s);
        const double seconds = bench_seconds() - begin;
        fprintf(stderr, "%-8s %2d  %-7s %6.1f s  %s\n", c->name, round,
                result.passed ? "passed" : "refused", seconds, result.reason);
        if (s->out) append(s, c, round, &result, seconds);
        sum->all++;
        sum->passed += result.passed;
        sum->seconds += seconds;
    }
    stk_recipe_settings_release(&p->settings);
    free(p);
}

static void add_line(counts sums[CHANGES], stk_bytes line, const char *path)
{
    stk_json_document *document;
    stk_error          err;
    must(stk_json_parse(&document, line, path, &err), &err);
    const stk_json_value *root = stk_json_root(document);
    for (int i = 0; i < CHANGES; i++) {
        if (strcmp(stk_json_text(stk_json_get(root, "change"), ""), changes[i].name) != 0) continue;
        sums[i].all++;
        sums[i].passed += stk_json_truth(stk_json_get(root, "passed"), false);
        sums[i].seconds += stk_json_number(stk_json_get(root, "seconds"), 0);
    }
    stk_json_document_free(document);
}

static void add_file(counts sums[CHANGES], const char *path)
{
    stk_blob  text;
    stk_error err;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    must(stk_file_read_all(NULL, path, 0, OUT_BYTES_MAX, &text, &err), &err);
    const uint8_t *at = text.data, *end = at + text.size, *line_end;
    while (at < end && (line_end = memchr(at, '\n', (size_t)(end - at)))) {
        add_line(sums, stk_bytes_of(at, (size_t)(line_end - at)), path);
        at = line_end + 1;
    }
    stk_blob_release(&text);
}

static bool holds(const change *c, const counts *sum)
{
    return c->hurts ? sum->passed == 0 : sum->passed >= passes_least * sum->all;
}

static int print(const counts sums[CHANGES])
{
    bool all = true;
    printf("%-10s%-58s%8s%8s%11s\n", "change", "", "passed", "of", "seconds");
    for (int i = 0; i < CHANGES; i++) {
        const change *c = &changes[i];
        const counts *sum = &sums[i];
        if (!sum->all) continue;
        printf("%-10s%-58s%8d%8d%11.1f  wanted: %s  %s\n", c->name, c->what, sum->passed, sum->all,
               sum->seconds / sum->all, c->hurts ? "none" : "9 of 10",
               holds(c, sum) ? "yes" : "NO");
        all &= holds(c, sum);
    }
    return all ? 0 : 1;
}

static bool parse(settings *s, int argc, char **argv)
{
    static const struct option options[] = {{"data", required_argument, NULL, 'd'},
                                            {"model", required_argument, NULL, 'm'},
                                            {"epochs", required_argument, NULL, 'e'},
                                            {"batch", required_argument, NULL, 'b'},
                                            {"threads", required_argument, NULL, 't'},
                                            {"set", required_argument, NULL, 'k'},
                                            {"seeds", required_argument, NULL, 's'},
                                            {"first", required_argument, NULL, 'a'},
                                            {"only", required_argument, NULL, 'n'},
                                            {"margin", required_argument, NULL, 'g'},
                                            {"most", required_argument, NULL, 'x'},
                                            {"work", required_argument, NULL, 'w'},
                                            {"out", required_argument, NULL, 'o'},
                                            {"sum", no_argument, NULL, 'u'},
                                            {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'd') s->data = optarg;
        if (c == 'm') s->model = optarg;
        if (c == 'e') s->epochs = atof(optarg);
        if (c == 'b') s->batch = atoll(optarg);
        if (c == 't') s->threads = atoll(optarg);
        if (c == 'k' && s->set_count < SETS_MAX) s->sets[s->set_count++] = optarg;
        if (c == 's') s->seeds = atoi(optarg);
        if (c == 'a') s->first = atoi(optarg);
        if (c == 'n') s->only = optarg;
        if (c == 'g') s->margin = atof(optarg) / 100;
        if (c == 'x') s->most = atoi(optarg);
        if (c == 'w') s->work = optarg;
        if (c == 'o') s->out = optarg;
        if (c == 'u') s->sum = true;
        if (c == '?') return false;
    }
    return (s->sum || s->data) && s->epochs > 0 && s->seeds > 0 && s->first >= 0 && s->most > 0 &&
           s->margin > 0;
}

int main(int argc, char **argv)
{
    char     work[] = "/tmp/stoker-guard-XXXXXX";
    settings s = {.model = "mlp",
                  .epochs = 1,
                  .batch = 64,
                  .threads = 1,
                  .seeds = 10,
                  .margin = 0.005, /* the search's, as is the next */
                  .most = 24};
    counts   sums[CHANGES] = {0};
    if (!parse(&s, argc, argv)) {
        fprintf(stderr, "usage: bench_tune_guard --data PACK [--model NAME] [--epochs X] "
                        "[--batch N] [--threads N]\n"
                        "           [--set KEY=VALUE]... [--seeds N] [--first N] [--only NAME] "
                        "[--margin POINTS]\n"
                        "           [--most N] [--work FOLDER] [--out FILE]\n"
                        "       bench_tune_guard --sum FILE...\n");
        return 2;
    }
    for (int i = optind; s.sum && i < argc; i++)
        add_file(sums, argv[i]);
    if (!s.sum && !s.work && !(s.work = mkdtemp(work))) return 2;
    for (int i = 0; !s.sum && i < CHANGES; i++)
        if (!s.only || strcmp(s.only, changes[i].name) == 0) run_change(&sums[i], &changes[i], &s);
    if (!s.sum) stk_tune_remove_folder(s.work);
    return print(sums);
}
