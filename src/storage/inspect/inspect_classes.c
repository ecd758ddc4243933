/* The class histogram of a report. */
#include "storage/inspect/inspect_kinds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *name_class(const stk_tally_entry *entry, const stk_feature_info *names)
{
    char number[24];
    if (entry->text) return strndup((const char *)entry->text, (size_t)entry->value);
    if (names && entry->value >= 0 && (uint64_t)entry->value < names->class_count)
        return strdup(names->class_names[entry->value]);
    snprintf(number, sizeof number, "%" PRId64, entry->value);
    return strdup(number);
}

static stk_status add_class(stk_inspect_report *report, const stk_tally_entry *entry,
                            const stk_feature_info *names, stk_error *err)
{
    stk_inspect_class *class = &report->classes[report->class_count];
    class->name = name_class(entry, names);
    if (!class->name) return stk_fail(err, STK_E_NOMEM, "inspect", NULL, "no memory for a name");
    class->label = entry->text ? (int64_t)report->class_count : entry->value;
    class->count = entry->count;
    report->class_count++;
    return STK_OK;
}

stk_status stk_inspect_list_classes(stk_inspect_report *report, const char *feature,
                                    stk_tally *tally, const stk_feature_info *names, bool all_read,
                                    stk_error *err)
{
    const stk_tally_entry *entry = stk_tally_sort(tally), *end = entry + tally->used;
    if (names && !names->class_names) names = NULL;
    const size_t named =
        names && all_read && !(tally->used && entry->text) ? names->class_count : 0;
    report->label_feature = strdup(feature);
    report->classes = calloc(tally->used + named + 1, sizeof *report->classes);
    if (!report->label_feature || !report->classes)
        return stk_fail(err, STK_E_NOMEM, "inspect", feature, "no memory for %zu classes",
                        tally->used + named);
    size_t next = 0; /* the next class that has a name */
    for (; entry < end || next < named; next++) {
        for (; entry < end && (next >= named || entry->value < (int64_t)next); entry++)
            STK_TRY(add_class(report, entry, names, err));
        if (next >= named) break;
        stk_tally_entry absent = {.value = (int64_t)next};
        if (entry < end && entry->value == (int64_t)next) absent = *entry++;
        STK_TRY(add_class(report, &absent, names, err));
    }
    return STK_OK;
}
