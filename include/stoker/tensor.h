/* stoker/tensor.h - element types and shapes. */
#ifndef STOKER_TENSOR_H
#define STOKER_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoker/error.h>

STK_BEGIN_DECLS

typedef enum stk_dtype {
    STK_DTYPE_NONE,
    STK_DTYPE_U8,
    STK_DTYPE_I8,
    STK_DTYPE_I32,
    STK_DTYPE_I64,
    STK_DTYPE_F16,
    STK_DTYPE_BF16,
    STK_DTYPE_F32,
    STK_DTYPE_F64,
    STK_DTYPE_BOOL,
    STK_DTYPE_BYTES, /* byte strings: each element is a stk_bytes view */
    STK_DTYPE_COUNT
} stk_dtype;

/* Bytes of one element; sizeof(stk_bytes) for STK_DTYPE_BYTES, 0 for NONE. */
STK_API size_t stk_dtype_bytes(stk_dtype dtype);
/* "uint8", "float32", "bytes", ...: NumPy's names; a literal. */
STK_API const char *stk_dtype_name(stk_dtype dtype);
/* STK_DTYPE_NONE for an unknown name. */
STK_API stk_dtype stk_dtype_from_name(const char *name);

enum { STK_MAX_RANK = 8 };

typedef struct stk_shape {
    int     rank; /* 0 is a scalar */
    int64_t dim[STK_MAX_RANK];
} stk_shape;

static inline stk_shape stk_shape_scalar(void)
{
    const stk_shape shape = {0, {0}};
    return shape;
}

static inline stk_shape stk_shape_1d(int64_t a)
{
    const stk_shape shape = {1, {a}};
    return shape;
}

static inline stk_shape stk_shape_2d(int64_t a, int64_t b)
{
    const stk_shape shape = {2, {a, b}};
    return shape;
}

static inline stk_shape stk_shape_3d(int64_t a, int64_t b, int64_t c)
{
    const stk_shape shape = {3, {a, b, c}};
    return shape;
}

static inline stk_shape stk_shape_4d(int64_t a, int64_t b, int64_t c, int64_t d)
{
    const stk_shape shape = {4, {a, b, c, d}};
    return shape;
}

STK_API bool stk_shape_equal(const stk_shape *a, const stk_shape *b);
/* The product of the dimensions (1 for a scalar). A negative dimension, a rank out of range or a
 * product past INT64_MAX is STK_E_SHAPE. */
STK_API STK_NODISCARD stk_status stk_shape_count(const stk_shape *shape, int64_t *count,
                                                 stk_error *err);
/* "[3,224,224]", always terminated; returns text. */
STK_API char *stk_shape_text(const stk_shape *shape, char *text, int capacity);

/* What the dimensions of an image tensor mean. */
typedef enum stk_layout { STK_LAYOUT_NONE, STK_LAYOUT_NHWC, STK_LAYOUT_NCHW } stk_layout;

STK_END_DECLS
#endif
