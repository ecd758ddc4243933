/* Images with the same bytes: found by sorting their hashes. */
#include "health/facts.h"

#include <stdlib.h>

/* A sort entry: a hash and its image. */
typedef struct entry {
    uint64_t content, bytes;
    size_t   fact;
} entry;

static int compare(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    if (a->content != b->content) return a->content < b->content ? -1 : 1;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? -1 : 1;
    return (a->fact > b->fact) - (a->fact < b->fact);
}

typedef struct findings {
    stk_health_finding *copies, *overlap, *conflicts;
} findings;

static bool is_same(const entry *a, const entry *b)
{
    return a->content == b->content && a->bytes == b->bytes;
}

static void show(stk_health_finding *finding, const stk_source *source, const stk_health_fact *a,
                 const stk_health_fact *b)
{
    char x[96], y[96];
    if (!finding || finding->example_count == STK_HEALTH_EXAMPLES) return;
    stk_health_name(source, a->item, x, sizeof x);
    stk_health_name(source, b->item, y, sizeof y);
    stk_health_example(finding, "%s = %s", x, y);
}

/* One image of a group of copies against the others: in another split, under another class? */
static void judge(const stk_health_facts *facts, const entry *group, size_t count, size_t at,
                  stk_health_report *report, findings *f)
{
    const stk_health_fact *one = &facts->all[group[at].fact];
    const stk_health_fact *elsewhere = NULL, *otherwise = NULL;
    for (size_t i = 0; i < count; i++) {
        const stk_health_fact *other = &facts->all[group[i].fact];
        if (other->split != one->split && !elsewhere) elsewhere = other;
        if (other->label != one->label && i < at && !otherwise) otherwise = other;
    }
    if (at) show(f->copies, facts->source, &facts->all[group[0].fact], one);
    if (elsewhere && !stk_health_is_train(facts->source, one->split)) {
        report->overlap++;
        show(f->overlap, facts->source, one, elsewhere);
    }
    if (otherwise) {
        report->conflicts++;
        show(f->conflicts, facts->source, otherwise, one);
    }
}

static void judge_groups(const stk_health_facts *facts, const entry *all, size_t count,
                         stk_health_report *report, findings *f)
{
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && is_same(&all[begin], &all[end]);)
            end++;
        if (end - begin < 2) continue;
        report->copies += end - begin - 1;
        /* Of thousands of copies of one image the first are enough to compare with. */
        const size_t max = end - begin < 64 ? end - begin : 64;
        for (size_t i = 0; i < end - begin; i++)
            judge(facts, all + begin, max, i, report, f);
    }
}

static void say(const stk_health_report *report, findings *f)
{
    if (f->overlap) {
        f->overlap->count = report->overlap;
        stk_health_say(
            f->overlap,
            "images for validation or test that are in another split, too, byte for byte: %llu; "
            "results on them say nothing: remove them from one of the splits",
            (unsigned long long)report->overlap);
    }
    if (f->conflicts) {
        f->conflicts->count = report->conflicts;
        stk_health_say(f->conflicts,
                       "copies that stand under another class: %llu; one of the labels is wrong",
                       (unsigned long long)report->conflicts);
    }
    if (f->copies) {
        f->copies->count = report->copies;
        stk_health_say(f->copies, "copies of other images, byte for byte: %llu",
                       (unsigned long long)report->copies);
    }
}

stk_status stk_health_copies(const stk_health_facts *facts, stk_health_report *report,
                             stk_error *err)
{
    size_t   count = 0;
    stk_blob entries;
    stk_blob_init(&entries, facts->ledger, STK_MEMORY_INDEX);
    stk_status st = stk_blob_reserve(&entries, facts->count * sizeof(entry), err);
    if (!st) {
        entry   *all = (entry *)(void *)entries.data;
        findings f = {stk_health_add(report, "duplicates", STK_HEALTH_WARNING, 0),
                      stk_health_add(report, "split_overlap", STK_HEALTH_PROBLEM, 0),
                      stk_health_add(report, "label_conflicts", STK_HEALTH_PROBLEM, 0)};
        for (size_t i = 0; i < facts->count; i++)
            if (!facts->all[i].bad)
                all[count++] = (entry){facts->all[i].content, facts->all[i].bytes, i};
        if (count) qsort(all, count, sizeof *all, compare);
        judge_groups(facts, all, count, report, &f);
        say(report, &f);
    }
    stk_blob_release(&entries);
    return st;
}
