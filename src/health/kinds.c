/* Sizes, channels and formats of the images that were decoded, and those that stand out. */
#include "health/facts.h"

#include <stdlib.h>

enum { TINY_FRACTION = 4, LONG_SIDES = 5 };

static int compare(const void *left, const void *right)
{
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

static int32_t short_side(const stk_health_fact *fact)
{
    return fact->width < fact->height ? fact->width : fact->height;
}

static int32_t long_side(const stk_health_fact *fact)
{
    return fact->width < fact->height ? fact->height : fact->width;
}

static int32_t width_of(const stk_health_fact *fact)
{
    return fact->width;
}

static int32_t height_of(const stk_health_fact *fact)
{
    return fact->height;
}

typedef struct range {
    int32_t min, median, max;
} range;

static range find_range(const stk_health_facts *facts, int32_t (*get)(const stk_health_fact *),
                        int32_t                *sides)
{
    size_t count = 0;
    for (size_t i = 0; i < facts->count; i++)
        if (!facts->all[i].bad) sides[count++] = get(&facts->all[i]);
    if (!count) return (range){0};
    qsort(sides, count, sizeof *sides, compare);
    return (range){sides[0], sides[count / 2], sides[count - 1]};
}

static void show(const stk_health_facts *facts, stk_health_finding *f, const stk_health_fact *fact)
{
    char name[150];
    if (f->example_count == STK_HEALTH_EXAMPLES) return;
    stk_health_name(facts->source, fact->item, name, sizeof name);
    stk_health_example(f, "%s: %d x %d", name, fact->width, fact->height);
}

static void judge_sizes(const stk_health_facts *facts, int32_t median, stk_health_report *report)
{
    stk_health_finding *tiny = stk_health_add(report, "tiny_images", STK_HEALTH_WARNING, 0);
    stk_health_finding *banners = stk_health_add(report, "banners", STK_HEALTH_WARNING, 0);
    if (!tiny || !banners) return;
    for (size_t i = 0; i < facts->count; i++) {
        const stk_health_fact *fact = &facts->all[i];
        if (fact->bad) continue;
        if (short_side(fact) < median / TINY_FRACTION) tiny->count++, show(facts, tiny, fact);
        if (long_side(fact) >= LONG_SIDES * short_side(fact))
            banners->count++, show(facts, banners, fact);
    }
    stk_health_say(tiny,
                   "images much smaller than the others, whose short side is %d pixels in the "
                   "middle: %llu; thumbnails?",
                   median, (unsigned long long)tiny->count);
    stk_health_say(
        banners,
        "images %d times as long as they are wide, or more: %llu; crops will miss most of them",
        LONG_SIDES, (unsigned long long)banners->count);
}

stk_status stk_health_sizes(const stk_health_facts *facts, stk_health_report *report,
                            stk_error *err)
{
    stk_blob sides;
    stk_blob_init(&sides, facts->ledger, STK_MEMORY_INDEX);
    const stk_status st = stk_blob_reserve(&sides, facts->count * sizeof(int32_t), err);
    if (!st) {
        int32_t    *all = (int32_t *)(void *)sides.data;
        const range width = find_range(facts, width_of, all);
        const range height = find_range(facts, height_of, all);
        const range shorter = find_range(facts, short_side, all);
        report->min_width = width.min;
        report->median_width = width.median;
        report->max_width = width.max;
        report->min_height = height.min;
        report->median_height = height.median;
        report->max_height = height.max;
        judge_sizes(facts, shorter.median, report);
    }
    stk_blob_release(&sides);
    return st;
}

static void count_kinds(const stk_health_facts *facts, stk_health_report *report)
{
    for (size_t i = 0; i < facts->count; i++) {
        const stk_health_fact *fact = &facts->all[i];
        if (fact->bad) continue;
        report->formats[fact->format]++;
        report->grey += fact->channels <= 2;
        report->colours += fact->channels > 2;
        report->alpha += fact->channels == 2 || fact->channels == 4;
        report->deep += fact->bits > 8;
        report->turned += fact->turned;
        report->more_frames += fact->more_frames;
    }
}

/* Which images a rule is about. */
static bool is_grey(const stk_health_fact *fact)
{
    return fact->channels <= 2;
}

static bool is_coloured(const stk_health_fact *fact)
{
    return fact->channels > 2;
}

static bool has_frames(const stk_health_fact *fact)
{
    return fact->more_frames;
}

static bool is_deep(const stk_health_fact *fact)
{
    return fact->bits > 8;
}

static bool is_misnamed(const stk_health_fact *fact)
{
    return fact->wrong_ending;
}

static stk_health_finding *gather(const stk_health_facts *facts, stk_health_report *report,
                                  const char *rule, stk_health_level level,
                                  bool (*is)(const stk_health_fact *))
{
    stk_health_finding *f = stk_health_add(report, rule, level, 0);
    for (size_t i = 0; f && i < facts->count; i++) {
        if (facts->all[i].bad || !is(&facts->all[i])) continue;
        f->count++;
        show(facts, f, &facts->all[i]);
    }
    return f;
}

void stk_health_kinds(const stk_health_facts *facts, stk_health_report *report)
{
    count_kinds(facts, report);
    const bool          mixed = report->grey && report->colours;
    const bool          few_grey = report->grey <= report->colours;
    stk_health_finding *f = mixed ? gather(facts, report, "mixed_channels", STK_HEALTH_NOTE,
                                           few_grey ? is_grey : is_coloured)
                                  : NULL;
    if (f)
        stk_health_say(f, "grey images: %llu, and with colours: %llu; all are brought to one kind",
                       (unsigned long long)report->grey, (unsigned long long)report->colours);
    f = gather(facts, report, "wrong_endings", STK_HEALTH_NOTE, is_misnamed);
    if (f)
        stk_health_say(f,
                       "files with the ending of another format: %llu; here the content counts, "
                       "other programs may stumble",
                       (unsigned long long)f->count);
    f = gather(facts, report, "first_frames", STK_HEALTH_NOTE, has_frames);
    if (f)
        stk_health_say(f, "animations, and images with pages: %llu; the first one is used",
                       (unsigned long long)f->count);
    f = gather(facts, report, "deep_images", STK_HEALTH_NOTE, is_deep);
    if (f)
        stk_health_say(f, "images of 16 bits a channel: %llu; they are scaled to 8",
                       (unsigned long long)f->count);
}
