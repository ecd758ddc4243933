/* Seeing that no shard of a set is missing. */
#include "storage/dataset/shards_complete.h"

#include "storage/file/paths.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAMED = 3,           /* missing files named in a message */
    LOOKED_AT = 1000000, /* a name may claim four billion shards; no set has that many */
};

typedef struct member {
    const char    *name;
    stk_shard_name shard;
} member;

typedef struct gap_report {
    const char *pattern;
    char        text[256]; /* the first missing names */
    size_t      used;
    uint64_t    missing, looked_at;
} gap_report;

static int compare_sets(const member *a, const member *b)
{
    const size_t shorter =
        a->shard.stem_length < b->shard.stem_length ? a->shard.stem_length : b->shard.stem_length;
    const int order = memcmp(a->name, b->name, shorter);
    if (order) return order;
    if (a->shard.stem_length != b->shard.stem_length)
        return a->shard.stem_length < b->shard.stem_length ? -1 : 1;
    return a->shard.count < b->shard.count ? -1 : a->shard.count > b->shard.count;
}

static int compare_members(const void *left, const void *right)
{
    const member *a = left, *b = right;
    const int     order = compare_sets(a, b);
    if (order) return order;
    return a->shard.index < b->shard.index ? -1 : a->shard.index > b->shard.index;
}

static void note_missing(gap_report *report, const member *sibling, uint32_t index)
{
    char name[512];
    snprintf(name, sizeof name, "%.*s-%05" PRIu32 "-of-%05" PRIu32, (int)sibling->shard.stem_length,
             sibling->name, index, sibling->shard.count);
    if (report->pattern && fnmatch(report->pattern, name, FNM_PERIOD)) return;
    if (report->missing++ >= NAMED) return;
    const int wrote = snprintf(report->text + report->used, sizeof report->text - report->used,
                               "%s%s", report->used ? ", " : "", name);
    if (wrote > 0 && (size_t)wrote < sizeof report->text - report->used)
        report->used += (size_t)wrote;
}

/* The indices from first up to, not including, end are not there. */
static void note_gap(gap_report *report, const member *sibling, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end && report->looked_at < LOOKED_AT; i++, report->looked_at++)
        note_missing(report, sibling, i);
}

static void find_gaps(gap_report *report, const member *members, size_t count)
{
    uint32_t expected = 0;
    for (size_t i = 0; i < count; i++) {
        const stk_shard_name *shard = &members[i].shard;
        if (shard->index >= expected) {
            note_gap(report, &members[i], expected, shard->index);
            expected = shard->index + 1;
        }
        if (i + 1 < count && !compare_sets(&members[i], &members[i + 1])) continue;
        note_gap(report, &members[i], expected, shard->count);
        expected = 0;
    }
}

stk_status stk_shards_check_complete(const stk_shards *shards, const char *path,
                                     const char *pattern, stk_error *err)
{
    gap_report report = {.pattern = pattern};
    size_t     count = 0;
    if (!shards->count) return STK_OK;
    member *members = calloc(shards->count, sizeof *members);
    if (!members)
        return stk_fail(err, STK_E_NOMEM, "shards", NULL, "no memory for %zu names", shards->count);
    for (size_t i = 0; i < shards->count; i++) {
        members[count].name = stk_path_base(shards->paths[i]);
        if (stk_shard_name_parse(members[count].name, &members[count].shard)) count++;
    }
    if (count) qsort(members, count, sizeof *members, compare_members);
    find_gaps(&report, members, count);
    free(members);
    if (!report.missing) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "shards", path,
                    "the set is not complete: %" PRIu64 "%s missing: %s%s", report.missing,
                    report.looked_at >= LOOKED_AT ? " or more files are"
                    : report.missing == 1         ? " file is"
                                                  : " files are",
                    report.text, report.missing > NAMED ? ", ..." : "");
}
