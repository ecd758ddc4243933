/* Records for the tests of Examples, put together from bytes. */
#ifndef STK_TESTS_EXAMPLE_RECORDS_H
#define STK_TESTS_EXAMPLE_RECORDS_H

#include "harness.h"

#include <string.h>

/* Bytes of a string literal, zero bytes included. */
#define BYTES_OF(literal) stk_bytes_of((literal), sizeof(literal) - 1)

/* {k: [5]} */
#define FIVE "\x0a\x0c\x0a\x0a\x0a\x01k\x12\x05\x1a\x03\x0a\x01\x05"

/* One field for a sample. */
static inline stk_field field_of(const char *name, stk_dtype dtype, const void *data, size_t count)
{
    return (stk_field){.name = name,
                       .dtype = dtype,
                       .shape = stk_shape_1d((int64_t)count),
                       .data = data,
                       .count = count};
}

/* Serializes fields behind what blob holds; returns where the record begins. */
static inline size_t add_example(stk_blob *blob, const stk_field *fields, size_t count)
{
    stk_error        err;
    const stk_sample sample = {.fields = fields, .field_count = count};
    const size_t     begin = blob->size;
    EXPECT_OK(stk_example_write(blob, &sample, &err));
    return begin;
}

static inline stk_feature_spec dense(const char *name, stk_dtype dtype)
{
    return (stk_feature_spec){.name = name, .kind = STK_FEATURE_DENSE, .dtype = dtype};
}

static inline stk_feature_spec varlen(const char *name, stk_dtype dtype)
{
    return (stk_feature_spec){.name = name, .kind = STK_FEATURE_VARLEN, .dtype = dtype};
}

#endif
