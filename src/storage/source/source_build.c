/* Helpers of importers that fill a source: features, class names, splits. */
#include "storage/source/source_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

stk_status stk_source_reserve_features(stk_source *source, size_t count, stk_error *err)
{
    source->features = stk_arena_array(&source->arena, count, sizeof *source->features, err);
    if (!source->features) return err->status;
    source->feature_capacity = count;
    source->feature_count = 0;
    return STK_OK;
}

stk_status stk_source_add_feature(stk_source *source, const char *name, stk_feature_meaning meaning,
                                  stk_dtype dtype, stk_feature_info **out, stk_error *err)
{
    if (source->feature_count == source->feature_capacity)
        return stk_fail(err, STK_E_LIMIT, "source", source->path, "space for %zu features only",
                        source->feature_capacity);
    char *copy = stk_arena_text(&source->arena, name, strlen(name), err);
    if (!copy) return err->status;
    stk_feature_info *feature = &source->features[source->feature_count++];
    *feature = (stk_feature_info){.name = copy, .meaning = meaning, .dtype = dtype};
    if (out) *out = feature;
    return STK_OK;
}

stk_status stk_source_number_classes(stk_source *source, stk_feature_info *feature, size_t count,
                                     stk_error *err)
{
    char **names = stk_arena_array(&source->arena, count, sizeof *names, err);
    if (!names) return err->status;
    for (size_t i = 0; i < count; i++) {
        char      text[32];
        const int length = snprintf(text, sizeof text, "%zu", i);
        names[i] = stk_arena_text(&source->arena, text, (size_t)length, err);
        if (!names[i]) return err->status;
    }
    feature->class_names = names;
    feature->class_count = count;
    return STK_OK;
}

stk_status stk_source_set_splits(stk_source *source, const char *const *names, size_t count,
                                 stk_error *err)
{
    source->splits = stk_arena_array(&source->arena, count, sizeof *source->splits, err);
    if (!source->splits) return err->status;
    for (size_t i = 0; i < count; i++) {
        source->splits[i] = stk_arena_text(&source->arena, names[i], strlen(names[i]), err);
        if (!source->splits[i]) return err->status;
    }
    source->split_count = count;
    return STK_OK;
}

stk_status stk_source_note(stk_source *source, stk_error *err, const char *format, ...)
{
    char    line[512];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (length < 0) return STK_OK;
    return stk_blob_append(&source->notes, line, strlen(line) + 1, err);
}

const char *stk_source_next_note(const stk_source *source, const char *note)
{
    if (!source->notes.size) return NULL;
    const char *first = (const char *)source->notes.data, *end = first + source->notes.size;
    const char *next = note ? note + strlen(note) + 1 : first;
    return next < end ? next : NULL;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

stk_status stk_source_check_names(stk_source *source, stk_error *err)
{
    const size_t count = source->feature_count;
    char       **names = stk_arena_array(&source->arena, count, sizeof *names, err);
    if (!names) return err->status;
    for (size_t i = 0; i < count; i++)
        names[i] = source->features[i].name;
    /* Sorted, since a table may have tens of thousands of columns. */
    if (count) qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++)
        if (!strcmp(names[i - 1], names[i]))
            return stk_fail(err, STK_E_FORMAT, "source", source->path,
                            "two parts of each item would be the field '%s'; rename one", names[i]);
    return STK_OK;
}
