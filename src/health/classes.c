/* How many images the classes have, by the listing: nothing is read for it. */
#include "health/facts.h"

#include <stdlib.h>

enum { RATIO_MAX = 10, FEW = 10 };

static const char *name_of(const stk_feature_info *label, size_t class)
{
    return label->class_names && class < label->class_count ? label->class_names[class] : "?";
}

/* counts of the split that is trained on, and of all others together. */
typedef struct tally {
    const stk_feature_info *label;
    uint64_t               *train, *other;
    bool                    has_other;
} tally;

static void count_items(tally *t, const stk_source *source)
{
    for (uint64_t i = 0; i < stk_source_count(source); i++) {
        stk_source_item item;
        stk_source_item_at(source, i, &item);
        if (item.label < 0 || (uint64_t)item.label >= t->label->class_count) continue;
        const bool train = stk_health_is_train(source, item.split);
        if (!train) t->has_other = true;
        (train ? t->train : t->other)[item.label]++;
    }
}

static void judge_balance(const tally *t, stk_health_report *report)
{
    size_t smallest = 0, largest = 0;
    for (size_t i = 0; i < t->label->class_count; i++) {
        if (t->train[i] > t->train[largest]) largest = i;
        if (t->train[i] && (!t->train[smallest] || t->train[i] < t->train[smallest])) smallest = i;
    }
    if (!t->train[smallest] || t->train[largest] < RATIO_MAX * t->train[smallest]) return;
    stk_health_finding *f = stk_health_add(report, "imbalance", STK_HEALTH_WARNING, 1);
    if (!f) return;
    stk_health_say(f,
                   "class '%.60s' has %llu images to train on, '%.60s' %llu: accuracy will be "
                   "that of the large classes; add images, or weigh classes",
                   name_of(t->label, largest), (unsigned long long)t->train[largest],
                   name_of(t->label, smallest), (unsigned long long)t->train[smallest]);
}

static void judge_few(const tally *t, stk_health_report *report)
{
    stk_health_finding *f = stk_health_add(report, "few_images", STK_HEALTH_WARNING, 0);
    for (size_t i = 0; f && i < t->label->class_count; i++) {
        if (!t->train[i] || t->train[i] >= FEW) continue;
        f->count++;
        stk_health_example(f, "'%.100s': %llu", name_of(t->label, i),
                           (unsigned long long)t->train[i]);
    }
    if (f)
        stk_health_say(f,
                       "classes with fewer than %d images to train on: %llu; too few to learn from",
                       FEW, (unsigned long long)f->count);
}

/* Classes without an image to train on, and such that no other split has. */
static void judge_missing(const tally *t, stk_health_report *report)
{
    stk_health_finding *f = stk_health_add(report, "missing_classes", STK_HEALTH_WARNING, 0);
    for (size_t i = 0; f && t->has_other && i < t->label->class_count; i++) {
        if (t->train[i] && t->other[i]) continue;
        f->count++;
        stk_health_example(f, "'%.100s': none %s", name_of(t->label, i),
                           t->train[i] ? "outside of the training split" : "to train on");
    }
    if (f)
        stk_health_say(
            f, "classes that are not in all splits: %llu; they cannot be learned, or not tested",
            (unsigned long long)f->count);
}

stk_status stk_health_classes(const stk_source *source, stk_health_report *report, stk_error *err)
{
    tally t = {.label = stk_health_label(source)};
    if (!t.label || t.label->class_count < 2) return STK_OK;
    t.train = calloc(2 * t.label->class_count, sizeof *t.train);
    if (!t.train)
        return stk_fail(err, STK_E_NOMEM, "health", NULL, "no memory for %zu classes",
                        t.label->class_count);
    t.other = t.train + t.label->class_count;
    count_items(&t, source);
    judge_balance(&t, report);
    judge_few(&t, report);
    judge_missing(&t, report);
    free(t.train);
    return STK_OK;
}
