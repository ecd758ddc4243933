/* The list of findings: filled, sorted, written. */
#include "health/facts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

stk_health_finding *stk_health_add(stk_health_report *report, const char *rule,
                                   stk_health_level level, uint64_t count)
{
    if (report->finding_count == STK_HEALTH_FINDINGS) return NULL;
    stk_health_finding *f = &report->findings[report->finding_count++];
    *f = (stk_health_finding){.rule = rule, .level = level, .count = count};
    return f;
}

void stk_health_say(stk_health_finding *finding, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(finding->message, sizeof finding->message, format, args);
    va_end(args);
}

void stk_health_example(stk_health_finding *finding, const char *format, ...)
{
    va_list args;
    if (finding->example_count == STK_HEALTH_EXAMPLES) return;
    va_start(args, format);
    vsnprintf(finding->examples[finding->example_count++], sizeof finding->examples[0], format,
              args);
    va_end(args);
}

/* The feature that packs keep the name of an image's file in; NULL: there is none. */
static const char *name_feature(const stk_source *source)
{
    static const char *const known[] = {"image/filename", "file_name", "filename"};
    size_t                   count;
    const stk_feature_info  *all = stk_source_features(source, &count);
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        for (size_t i = 0; i < count; i++)
            if (!strcmp(all[i].name, known[k]) && all[i].dtype == STK_DTYPE_BYTES) return known[k];
    return NULL;
}

/* The image's name before it was packed; "" if unknown. */
static void read_name(const stk_source *source, uint64_t item, char *out, size_t capacity)
{
    const char        *feature = name_feature(source);
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    stk_error          unasked;
    out[0] = '\0';
    if (!feature || stk_source_cursor_new(&cursor, source, &unasked)) return;
    if (!stk_source_read(cursor, item, &sample, &unasked)) {
        const stk_field *field = stk_sample_field(sample, feature);
        const stk_bytes *name =
            field && field->dtype == STK_DTYPE_BYTES && field->count == 1 ? field->data : NULL;
        if (name) snprintf(out, capacity, "%.*s", (int)name->size, (const char *)name->data);
    }
    stk_source_cursor_free(cursor);
}

void stk_health_name(const stk_source *source, uint64_t item, char *out, size_t capacity)
{
    stk_source_item listed, next;
    const uint64_t  count = stk_source_count(source);
    stk_source_item_at(source, item, &listed);
    stk_source_item_at(source, item + 1 < count ? item + 1 : item, &next);
    const bool   several = listed.record || (next.record && !strcmp(next.name, listed.name));
    const size_t length = strlen(listed.name), max = capacity - 32;
    /* The end of a path says more than its beginning. */
    const char *name = length > max ? listed.name + length - max : listed.name;
    while ((*name & 0xc0) == 0x80)
        name++;
    if (several && capacity > 64) {
        char before[80];
        read_name(source, item, before, sizeof before);
        snprintf(out, capacity, "%s%srecord %" PRIu64 " of %s", before, *before ? ", " : "",
                 listed.record, name);
    } else if (several)
        snprintf(out, capacity, "record %" PRIu64 " of %s", listed.record, name);
    else
        snprintf(out, capacity, "%s%s", name == listed.name ? "" : "...", name);
}

bool stk_health_is_train(const stk_source *source, uint32_t split)
{
    const char *name = stk_source_split_name(source, split);
    return stk_source_split_count(source) < 2 || !strncasecmp(name, "train", 5);
}

const stk_feature_info *stk_health_label(const stk_source *source)
{
    size_t                  count;
    const stk_feature_info *all = stk_source_features(source, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].meaning == STK_MEANING_LABEL) return &all[i];
    return NULL;
}

/* Those about nothing go; of one level the order stays. */
void stk_health_sort(stk_health_report *report)
{
    stk_health_finding *all = report->findings;
    size_t              kept = 0;
    for (size_t i = 0; i < report->finding_count; i++) {
        const stk_health_finding finding = all[i];
        size_t                   at = kept;
        if (!finding.count) continue;
        for (; at > 0 && all[at - 1].level < finding.level; at--)
            all[at] = all[at - 1];
        all[at] = finding;
        kept++;
    }
    report->finding_count = kept;
}

const char *stk_health_level_name(stk_health_level level)
{
    static const char *const names[] = {"note", "warning", "problem"};
    return names[level];
}

static void write_finding(stk_json_writer *json, const stk_health_finding *f)
{
    stk_json_object(json);
    stk_json_pair_string(json, "rule", f->rule);
    stk_json_pair_string(json, "level", stk_health_level_name(f->level));
    stk_json_pair_uint(json, "count", f->count);
    stk_json_pair_string(json, "message", f->message);
    stk_json_key(json, "examples");
    stk_json_array(json);
    for (size_t i = 0; i < f->example_count; i++)
        stk_json_string(json, f->examples[i]);
    stk_json_array_end(json);
    stk_json_object_end(json);
}

static void write_range(stk_json_writer *json, const char *name, int32_t min, int32_t median,
                        int32_t max)
{
    stk_json_key(json, name);
    stk_json_object(json);
    stk_json_pair_uint(json, "min", (uint64_t)min);
    stk_json_pair_uint(json, "median", (uint64_t)median);
    stk_json_pair_uint(json, "max", (uint64_t)max);
    stk_json_object_end(json);
}

static void write_lists(stk_json_writer *json, const stk_health_report *r)
{
    stk_json_key(json, "formats");
    stk_json_object(json);
    for (int i = 0; i < STK_IMAGE_FORMATS; i++)
        if (r->formats[i])
            stk_json_pair_uint(json, i ? stk_image_format_name((stk_image_format)i) : "pixels",
                               r->formats[i]);
    stk_json_object_end(json);
    stk_json_key(json, "findings");
    stk_json_array(json);
    for (size_t i = 0; i < r->finding_count; i++)
        write_finding(json, &r->findings[i]);
    stk_json_array_end(json);
    stk_json_key(json, "bad");
    stk_json_array(json);
    for (size_t i = 0; i < r->bad_listed; i++) {
        stk_json_object(json);
        stk_json_pair_string(json, "name", r->bad_list[i].name);
        stk_json_pair_string(json, "reason", r->bad_list[i].reason);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
}

void stk_health_write(stk_json_writer *json, const stk_health_report *r)
{
    const struct {
        const char *name;
        uint64_t    value;
    } numbers[] = {{"items", r->items},
                   {"looked_at", r->looked_at},
                   {"bad_images", r->bad},
                   {"grey", r->grey},
                   {"colours", r->colours},
                   {"alpha", r->alpha},
                   {"deep", r->deep},
                   {"turned", r->turned},
                   {"more_frames", r->more_frames},
                   {"copies", r->copies},
                   {"near_copies", r->near_copies},
                   {"overlap", r->overlap},
                   {"near_overlap", r->near_overlap},
                   {"label_conflicts", r->conflicts}};
    stk_json_object(json);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        stk_json_pair_uint(json, numbers[i].name, numbers[i].value);
    write_range(json, "width", r->min_width, r->median_width, r->max_width);
    write_range(json, "height", r->min_height, r->median_height, r->max_height);
    write_lists(json, r);
    stk_json_object_end(json);
}
