/* What tests of importers share: making small data sets and looking at samples. */
#ifndef STK_TESTS_SOURCE_SUPPORT_H
#define STK_TESTS_SOURCE_SUPPORT_H

#include "harness.h"

#include <string.h>
#include <sys/stat.h>

/* Writes size bytes as FOLDER/name, making the folders on the way. */
static inline const char *put_bytes(const char *name, const void *data, size_t size)
{
    char *path = (char *)stk_test_path(name);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    stk_test_write_file(path, data, size);
    return path;
}

static inline const char *put(const char *name, const char *text)
{
    return put_bytes(name, text, strlen(text));
}

static inline stk_source *open_source(const char *path, const char *kind)
{
    stk_error          err;
    stk_source        *source;
    stk_source_options options = {.kind = kind};
    EXPECT_OK(stk_source_open(&source, NULL, path, &options, &err));
    return source;
}

/* The source must not open; its error is left in err. */
static inline void refuse(stk_status expected, const char *path, const char *kind, stk_error *out)
{
    stk_error          err = {0};
    stk_source        *source;
    stk_source_options options = {.kind = kind};
    EXPECT_STATUS(expected, stk_source_open(&source, NULL, path, &options, &err));
    EXPECT(source == NULL);
    *out = err;
}

static inline const stk_field *find_field(const stk_sample *sample, const char *name)
{
    for (size_t i = 0; i < sample->field_count; i++)
        if (!strcmp(sample->fields[i].name, name)) return &sample->fields[i];
    return NULL;
}

static inline void expect_text_field(const stk_sample *sample, const char *name, const char *text)
{
    const stk_field *field = find_field(sample, name);
    EXPECT(field != NULL);
    EXPECT_INT_EQ(STK_DTYPE_BYTES, field->dtype);
    EXPECT_INT_EQ(1, field->count);
    const stk_bytes *bytes = field->data;
    EXPECT_INT_EQ(strlen(text), bytes->size);
    EXPECT_MEM_EQ(text, bytes->data, bytes->size);
}

static inline void expect_int_field(const stk_sample *sample, const char *name, int64_t value)
{
    const stk_field *field = find_field(sample, name);
    EXPECT(field != NULL);
    EXPECT_INT_EQ(STK_DTYPE_I64, field->dtype);
    EXPECT_INT_EQ(value, *(const int64_t *)field->data);
}

static inline const stk_feature_info *find_feature(const stk_source *source, const char *name)
{
    size_t                  count;
    const stk_feature_info *all = stk_source_features(source, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(all[i].name, name)) return &all[i];
    return NULL;
}

/* Opens context (a path), reads every item, closes: for injected failures. */
static inline stk_status read_everything(void *context, stk_error *err)
{
    stk_source        *source = NULL;
    stk_source_cursor *cursor = NULL;
    const stk_sample  *sample;
    stk_status         st = stk_source_open(&source, NULL, context, NULL, err);
    if (!st) st = stk_source_cursor_new(&cursor, source, err);
    for (uint64_t i = 0; !st && i < stk_source_count(source); i++)
        st = stk_source_read(cursor, i, &sample, err);
    stk_source_cursor_free(cursor);
    stk_source_free(source);
    return st;
}

#endif
