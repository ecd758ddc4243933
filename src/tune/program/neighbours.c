/* Neighbours of a setting. Predictions are rough: they only say what to try first. */
#include "tune/program/neighbours.h"

#include "storage/file/paths.h"

#include <stdio.h>
#include <string.h>

enum { ALL_NUMBERS = 4 };

static const stk_estimate not_known = {-2, -2, -2};
static const stk_estimate likely = {0.25, -0.1, 1};
static const stk_estimate possible = {0.1, -0.1, 0.5};

/* What a knob does, as far as its name tells. */
typedef struct known_word {
    const char *text; /* within the name, in any case */
    stk_stage   stage;
    bool        learning;
} known_word;

/* The first that is found counts: "batch_workers" is about workers. */
static const known_word words[] = {
    {"worker", STK_STAGE_PREPROCESS, false},
    {"thread", STK_STAGE_PREPROCESS, false},
    {"prefetch", STK_STAGE_PREPROCESS, false},
    {"parallel", STK_STAGE_PREPROCESS, false},
    {"loader", STK_STAGE_PREPROCESS, false},
    {"persistent", STK_STAGE_PREPROCESS, false},
    {"cache", STK_STAGE_READ, false},
    {"readahead", STK_STAGE_READ, false},
    {"pin", STK_STAGE_HOST_TO_DEVICE, false},
    {"accum", STK_STAGE_COMPUTE, true},
    {"batch", STK_STAGE_COMPUTE, true},
    {"amp", STK_STAGE_COMPUTE, true},
    {"precision", STK_STAGE_COMPUTE, true},
    {"dtype", STK_STAGE_COMPUTE, true},
    {"fp16", STK_STAGE_COMPUTE, true},
    {"bf16", STK_STAGE_COMPUTE, true},
    {"half", STK_STAGE_COMPUTE, true},
    {"tf32", STK_STAGE_COMPUTE, true},
    {"channels_last", STK_STAGE_COMPUTE, false},
    {"compile", STK_STAGE_COMPUTE, false},
    {"cudnn", STK_STAGE_COMPUTE, false},
    {"fused", STK_STAGE_COMPUTE, false},
    {"graph", STK_STAGE_COMPUTE, false},
    {"learning_rate", STK_STAGE_NONE, true},
    {"momentum", STK_STAGE_NONE, true},
    {"decay", STK_STAGE_NONE, true},
    {"optim", STK_STAGE_NONE, true},
    {"epochs", STK_STAGE_NONE, true},
    {"resolution", STK_STAGE_NONE, true},
    {"image_size", STK_STAGE_NONE, true},
    {"dropout", STK_STAGE_NONE, true},
    {"augment", STK_STAGE_PREPROCESS, true},
};

static bool contains(const char *name, const char *part)
{
    const size_t length = strlen(part);
    for (; *name; name++) {
        size_t same = 0;
        while (same < length && stk_path_lower(name[same]) == part[same])
            same++;
        if (same == length) return true;
    }
    return false;
}

static const known_word *word_of(const char *name)
{
    static const known_word rate = {"lr", STK_STAGE_NONE, true}, none = {"", STK_STAGE_NONE, false};
    if (stk_path_same(name, rate.text)) return &rate; /* too short to look for inside */
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (contains(name, words[i].text)) return &words[i];
    return &none;
}

bool stk_tune_knob_changes_learning(const char *name)
{
    return word_of(name)->learning;
}

/* Whether work of this stage is what the program waits for. Full cores without a GPU compute. */
static bool limits(stk_usage_bottleneck limit, stk_stage stage)
{
    const bool computes = limit == STK_USAGE_GPU || limit == STK_USAGE_CORES;
    if (stage == STK_STAGE_NONE || limit == STK_USAGE_UNKNOWN || limit == STK_USAGE_OTHERS)
        return false;
    return computes == (stage == STK_STAGE_COMPUTE);
}

/* A program that waits for nothing that is seen may also have too small batches. */
static stk_estimate predict(const known_word *word, stk_usage_bottleneck limit, bool less)
{
    if (limit == STK_USAGE_LATENCY && word->stage == STK_STAGE_COMPUTE && !less) return possible;
    if (!limits(limit, word->stage)) return not_known;
    return less ? possible : likely;
}

/* Whether value is the nearest one to now on its side. */
static bool is_nearest(const stk_tune_knob *knob, double now, double value)
{
    for (size_t i = 0; i < knob->count; i++) {
        double other;
        if (!stk_tune_knob_number(knob->values[i], &other)) continue;
        if ((other > now && other < value) || (other < now && other > value)) return false;
    }
    return true;
}

static bool is_offered(const stk_tune_knob *knob, const char *now, const char *value)
{
    double is, other;
    if (strcmp(now, value) == 0) return false;
    if (!knob->numbers || knob->count <= ALL_NUMBERS) return true;
    return stk_tune_knob_number(now, &is) && stk_tune_knob_number(value, &other) && is != other &&
           is_nearest(knob, is, other);
}

/* The start has run, also where a search goes on and its runs were earlier ones. */
static bool ran_before(const stk_tune_knobs *knobs, stk_tune_record *records,
                       const stk_tune_setting *now, const char *name, const char *value)
{
    stk_tune_setting after = *now;
    if (stk_tune_setting_set(&after, name, value, NULL)) return true; /* it cannot run */
    after = stk_tune_knobs_normalize(knobs, &after);
    return !after.count || stk_tune_records_find(records, &after);
}

static bool is_less(const char *value, const char *now)
{
    double a, b;
    return stk_tune_knob_number(value, &a) && stk_tune_knob_number(now, &b) && a < b;
}

static void add(stk_tune_candidates *out, const stk_tune_knob *knob, const char *now,
                const char *value, stk_usage_bottleneck limit, bool guarded)
{
    const known_word  *word = word_of(knob->name);
    stk_tune_candidate one = {.stage = word->stage,
                              .kind =
                                  guarded && word->learning ? STK_TUNE_LEARNING : STK_TUNE_EQUAL,
                              .predicted = predict(word, limit, is_less(value, now))};
    snprintf(one.action, sizeof one.action, "%s", knob->name);
    snprintf(one.title, sizeof one.title, "%s=%.90s instead of %.90s", knob->name, value, now);
    if (!stk_tune_setting_set(&one.change, knob->name, value, NULL))
        stk_tune_candidates_add(out, &one);
}

void stk_tune_neighbours_list(stk_tune_candidates *out, const stk_tune_knobs *knobs,
                              const stk_tune_setting *now, stk_tune_record *records,
                              stk_usage_bottleneck limit, bool guarded)
{
    for (size_t i = 0; i < knobs->count; i++) {
        const stk_tune_knob *knob = &knobs->list[i];
        const char          *is = stk_tune_knob_value(knob, now);
        for (size_t k = 0; k < knob->count; k++)
            if (is_offered(knob, is, knob->values[k]) &&
                !ran_before(knobs, records, now, knob->name, knob->values[k]))
                add(out, knob, is, knob->values[k], limit, guarded);
    }
}
