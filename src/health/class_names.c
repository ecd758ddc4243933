/* Class names that are the same but for case, spaces, separators and accents: mostly one class that
 * was spelt twice. */
#include "health/facts.h"

#include <stdlib.h>

enum { FOLDED = 128 };

/* The letters of U+00C0 to U+017F without their accents. */
static const char plain_letters[] =
    "aaaaaaaceeeeiiiidnooooo*ouuuuypsaaaaaaaceeeeiiiidnooooo/"
    "ouuuuypyaaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkkllllllllllnnnnnnnnnoooooooorr"
    "rrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/* The code point at *text, which is moved behind it; bytes that are no UTF-8 count by themselves.
 */
static uint32_t next_point(const unsigned char **text)
{
    const unsigned char *p = *text;
    const int            more = *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc0 ? 1 : 0;
    uint32_t             point = more == 3 ? *p & 7u : more == 2 ? *p & 15u : more ? *p & 31u : *p;
    for (int i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            *text = p + 1;
            return *p;
        }
        point = point << 6 | (p[i] & 0x3fu);
    }
    *text = p + 1 + more;
    return point;
}

/* Spaces, separators, marks that stand on letters, and what cannot be seen. */
static bool is_nothing(uint32_t c)
{
    return c <= ' ' || c == '_' || c == '-' || c == '.' || c == 0xa0 || c == 0xad ||
           (c >= 0x300 && c <= 0x36f) || (c >= 0x2000 && c <= 0x200f) || c == 0xfe0f ||
           c == 0xfeff || c == 0x3000;
}

/* Latin, Greek and Cyrillic letters to small ones; Latin ones without accents. */
static uint32_t fold_point(uint32_t c)
{
    if (c >= 'A' && c <= 'Z') return c + 32;
    if (c >= 0xc0 && c <= 0x17f) return (unsigned char)plain_letters[c - 0xc0];
    if (c >= 0x391 && c <= 0x3a9) return c + 32;
    if (c >= 0x410 && c <= 0x42f) return c + 32;
    if (c >= 0x400 && c <= 0x40f) return c + 80;
    return c;
}

typedef struct folded {
    uint32_t points[FOLDED]; /* the rest of the name; 0 after the last */
    size_t   number;
} folded;

static void fold(folded *out, const char *name)
{
    const unsigned char *at = (const unsigned char *)name;
    size_t               count = 0;
    memset(out->points, 0, sizeof out->points);
    while (*at && count < FOLDED) {
        const uint32_t point = next_point(&at);
        if (!is_nothing(point)) out->points[count++] = fold_point(point);
    }
}

static int compare(const void *left, const void *right)
{
    const folded *a = left, *b = right;
    for (size_t i = 0; i < FOLDED; i++)
        if (a->points[i] != b->points[i]) return a->points[i] < b->points[i] ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static bool is_alike(const folded *a, const folded *b)
{
    return a->points[0] && !memcmp(a->points, b->points, sizeof a->points);
}

stk_status stk_health_class_names(const stk_source *source, stk_health_report *report,
                                  stk_error *err)
{
    const stk_feature_info *label = stk_health_label(source);
    if (!label || !label->class_names || label->class_count < 2) return STK_OK;
    folded *all = calloc(label->class_count, sizeof *all);
    if (!all)
        return stk_fail(err, STK_E_NOMEM, "health", NULL, "no memory for %zu class names",
                        label->class_count);
    for (size_t i = 0; i < label->class_count; i++) {
        fold(&all[i], label->class_names[i]);
        all[i].number = i;
    }
    qsort(all, label->class_count, sizeof *all, compare);
    stk_health_finding *f = stk_health_add(report, "similar_classes", STK_HEALTH_WARNING, 0);
    for (size_t i = 1; f && i < label->class_count; i++)
        if (is_alike(&all[i - 1], &all[i])) {
            f->count++;
            stk_health_example(f, "'%.80s' and '%.80s'", label->class_names[all[i - 1].number],
                               label->class_names[all[i].number]);
        }
    if (f)
        stk_health_say(f,
                       "class names that differ from another one in case, spaces or accents only: "
                       "%llu; is it one class? Then move its images into one folder",
                       (unsigned long long)f->count);
    free(all);
    return STK_OK;
}
