/* stoker/sample.h - one sample: named fields and their origin. */
#ifndef STOKER_SAMPLE_H
#define STOKER_SAMPLE_H

#include <stoker/bytes.h>
#include <stoker/tensor.h>

STK_BEGIN_DECLS

/* A field borrows its values; the function that returns the sample says until when. */
typedef struct stk_field {
    const char *name;
    stk_dtype   dtype;
    stk_shape   shape;
    const void *data;  /* dense values; for STK_DTYPE_BYTES an array of stk_bytes */
    size_t      count; /* elements; the product of shape */
} stk_field;

/* The origin of a sample: messages name it, and `replay` finds it again. */
typedef struct stk_sample_origin {
    const char *file;
    uint64_t    record; /* index in the file */
    uint64_t    offset; /* in bytes; 0 if the file has one sample */
} stk_sample_origin;

typedef struct stk_sample {
    const stk_field  *fields;
    size_t            field_count;
    stk_sample_origin from;
} stk_sample;

/* NULL without such a field. */
STK_API const stk_field *stk_sample_field(const stk_sample *sample, const char *name);

STK_END_DECLS
#endif
