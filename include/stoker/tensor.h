/* stoker/tensor.h - element types, shapes, and tensors over shared storage. */
#ifndef STOKER_TENSOR_H
#define STOKER_TENSOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stoker/buffer.h>

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
/* STK_DTYPE_NONE for a name that is none. */
STK_API stk_dtype stk_dtype_from_name(const char *name);

enum { STK_MAX_RANK = 8 };

typedef struct stk_shape {
    int     rank; /* 0 is a scalar */
    int64_t dim[STK_MAX_RANK];
} stk_shape;

static inline stk_shape stk_shape_scalar(void)
{
    return (stk_shape){0, {0}};
}

static inline stk_shape stk_shape_1d(int64_t a)
{
    return (stk_shape){1, {a}};
}

static inline stk_shape stk_shape_2d(int64_t a, int64_t b)
{
    return (stk_shape){2, {a, b}};
}

static inline stk_shape stk_shape_3d(int64_t a, int64_t b, int64_t c)
{
    return (stk_shape){3, {a, b, c}};
}

static inline stk_shape stk_shape_4d(int64_t a, int64_t b, int64_t c, int64_t d)
{
    return (stk_shape){4, {a, b, c, d}};
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

/* A dense, row-major tensor over a part of a shared buffer. A value: copy it, but then count the
 * buffer with stk_tensor_ref. */
typedef struct stk_tensor {
    stk_dtype   dtype;
    stk_layout  layout;
    stk_shape   shape;
    stk_buffer *storage; /* one reference; NULL when the tensor is none */
    size_t      offset;  /* bytes into storage */
} stk_tensor;

/* Allocates storage for shape. On failure *out is all zero. */
STK_API STK_NODISCARD stk_status stk_tensor_init(stk_tensor *out, stk_ledger *ledger,
                                                 stk_memory memory, stk_dtype dtype,
                                                 const stk_shape *shape, stk_error *err);
/* A second tensor over the same storage. */
STK_API stk_tensor stk_tensor_ref(const stk_tensor *tensor);
/* Row index of the leading dimension, as a tensor of one rank less over the same storage. */
STK_API STK_NODISCARD stk_status stk_tensor_row(const stk_tensor *tensor, int64_t index,
                                                stk_tensor *out, stk_error *err);
/* Drops the reference; the struct is all zero after. */
STK_API void   stk_tensor_release(stk_tensor *tensor);
STK_API void  *stk_tensor_data(const stk_tensor *tensor);
STK_API size_t stk_tensor_bytes(const stk_tensor *tensor);

STK_END_DECLS
#endif
