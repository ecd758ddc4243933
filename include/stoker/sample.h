/* stoker/sample.h - one sample: named fields, and where they came from. */
#ifndef STOKER_SAMPLE_H
#define STOKER_SAMPLE_H

#include <stoker/bytes.h>
#include <stoker/tensor.h>

STK_BEGIN_DECLS

/* A field lends its values; whoever hands out the sample says how long. */
typedef struct stk_field {
    const char *name;
    stk_dtype   dtype;
    stk_shape   shape;
    const void *data;  /* dense values; for STK_DTYPE_BYTES an array of stk_bytes */
    size_t      count; /* elements; the product of shape */
} stk_field;

/* Where a sample came from, so that every error and odd image can be named and replayed. */
typedef struct stk_sample_origin {
    const char *file;
    uint64_t    record; /* its number in the file, from 0 */
    uint64_t    offset; /* in bytes; 0 for a file of its own */
} stk_sample_origin;

typedef struct stk_sample {
    const stk_field  *fields;
    size_t            field_count;
    stk_sample_origin from;
} stk_sample;

/* NULL when there is no such field. */
STK_API const stk_field *stk_sample_field(const stk_sample *sample, const char *name);

STK_END_DECLS
#endif
