/* Images that look alike: another size, another quality, a little lighter. Two images are
 * compared only where an eighth of their 128 bits is the same, and with the next few of those that
 * have it: not every one with every one. */
#include "health/facts.h"

#include <stdlib.h>

enum {
    BANDS = 8,       /* of 16 bits */
    NEIGHBOURS = 64, /* compared in a band */
    BITS_MAX = 12,   /* that differ */
    LEVELS_MAX = 3   /* that cells differ in the mean, apart from a lighter or darker whole */
};

typedef struct entry {
    uint64_t key, rest; /* the band, then the other bits: alike ones stand together */
    size_t   fact;
} entry;

static int compare(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    if (a->rest != b->rest) return a->rest < b->rest ? -1 : 1;
    return (a->fact > b->fact) - (a->fact < b->fact);
}

static bool looks_like(const stk_health_fact *a, const stk_health_fact *b)
{
    int sum = 0, distance = 0;
    if (__builtin_popcountll(a->looks[0] ^ b->looks[0]) +
            __builtin_popcountll(a->looks[1] ^ b->looks[1]) >
        BITS_MAX)
        return false;
    for (int i = 0; i < STK_HEALTH_CELLS; i++)
        sum += a->cells[i] - b->cells[i];
    for (int i = 0; i < STK_HEALTH_CELLS; i++)
        distance += abs(STK_HEALTH_CELLS * (a->cells[i] - b->cells[i]) - sum) / STK_HEALTH_CELLS;
    return distance <= LEVELS_MAX * STK_HEALTH_CELLS;
}

typedef struct search {
    const stk_health_facts *facts;
    stk_health_finding     *near, *overlap;
    uint8_t                *marks; /* of each fact: 1 near another, 2 near one of another split */
    entry                  *entries;
} search;

static void show(const search *s, stk_health_finding *finding, const stk_health_fact *a,
                 const stk_health_fact *b)
{
    char x[96], y[96];
    if (!finding || finding->example_count == STK_HEALTH_EXAMPLES) return;
    stk_health_name(s->facts->source, a->item, x, sizeof x);
    stk_health_name(s->facts->source, b->item, y, sizeof y);
    stk_health_example(finding, "%s ~ %s", x, y);
}

static void note(search *s, size_t a, size_t b)
{
    const stk_health_facts *facts = s->facts;
    const size_t            later = a > b ? a : b, earlier = a > b ? b : a;
    if (!(s->marks[later] & 1)) show(s, s->near, &facts->all[earlier], &facts->all[later]);
    s->marks[later] |= 1;
    if (facts->all[a].split == facts->all[b].split) return;
    const size_t tested =
        stk_health_is_train(facts->source, facts->all[later].split) ? earlier : later;
    const size_t other = tested == later ? earlier : later;
    if (!(s->marks[tested] & 2)) show(s, s->overlap, &facts->all[tested], &facts->all[other]);
    s->marks[tested] |= 2;
}

static void compare_neighbours(search *s, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1;
             k < count && k <= i + NEIGHBOURS && s->entries[k].key == s->entries[i].key; k++) {
            const stk_health_fact *a = &s->facts->all[s->entries[i].fact];
            const stk_health_fact *b = &s->facts->all[s->entries[k].fact];
            if (a->content != b->content && looks_like(a, b))
                note(s, s->entries[i].fact, s->entries[k].fact);
        }
}

static void search_band(search *s, int band)
{
    size_t count = 0;
    for (size_t i = 0; i < s->facts->count; i++) {
        const stk_health_fact *fact = &s->facts->all[i];
        if (fact->bad || fact->flat) continue;
        s->entries[count++] = (entry){fact->looks[band / 4] >> (16 * (band % 4)) & 0xffff,
                                      fact->looks[1 - band / 4] ^ fact->looks[band / 4], i};
    }
    if (count) qsort(s->entries, count, sizeof *s->entries, compare);
    compare_neighbours(s, count);
}

static void count_marks(const search *s, stk_health_report *report)
{
    for (size_t i = 0; i < s->facts->count; i++) {
        report->near_copies += s->marks[i] & 1;
        report->near_overlap += s->marks[i] >> 1 & 1;
    }
    if (s->near) {
        s->near->count = report->near_copies;
        stk_health_say(s->near,
                       "images that look like another one (resized, compressed again, a little "
                       "lighter): %llu; where they are copies, keep one",
                       (unsigned long long)report->near_copies);
    }
    if (s->overlap) {
        s->overlap->count = report->near_overlap;
        stk_health_say(s->overlap,
                       "images for validation or test that look like one of another split: %llu; "
                       "results on copies are too good: look at them",
                       (unsigned long long)report->near_overlap);
    }
}

stk_status stk_health_near(const stk_health_facts *facts, stk_health_report *report, stk_error *err)
{
    search   s = {.facts = facts};
    stk_blob entries, marks;
    stk_blob_init(&entries, facts->ledger, STK_MEMORY_INDEX);
    stk_blob_init(&marks, facts->ledger, STK_MEMORY_INDEX);
    stk_status st = stk_blob_reserve(&entries, facts->count * sizeof(entry), err);
    if (!st) st = stk_blob_reserve(&marks, facts->count, err);
    if (!st) {
        s.entries = (entry *)(void *)entries.data;
        s.marks = marks.data;
        s.near = stk_health_add(report, "near_duplicates", STK_HEALTH_WARNING, 0);
        s.overlap = stk_health_add(report, "near_overlap", STK_HEALTH_WARNING, 0);
        if (facts->count) memset(s.marks, 0, facts->count);
        for (int band = 0; band < BANDS; band++)
            search_band(&s, band);
        count_marks(&s, report);
    }
    stk_blob_release(&entries);
    stk_blob_release(&marks);
    return st;
}
