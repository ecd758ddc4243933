/* Shared by the reader and the writer of safetensors files. */
#ifndef STK_STORAGE_WEIGHTS_SAFETENSORS_FORMAT_H
#define STK_STORAGE_WEIGHTS_SAFETENSORS_FORMAT_H

#include <stoker/safetensors.h>

#define STK_SAFETENSORS_TEXTS "__metadata__" /* the one key of the header that is no tensor */

enum {
    STK_SAFETENSORS_PREFIX = 8, /* bytes of the header's length */
    STK_SAFETENSORS_ALIGNMENT = 8,
    STK_CRC32C_DIGITS = 8
};

/* "F32", "BF16", ...: a literal; NULL for a type the format has not. */
const char *stk_safetensors_dtype_name(stk_dtype dtype);
/* STK_DTYPE_NONE for a name that is none of ours. */
stk_dtype stk_safetensors_dtype(const char *name);

/* Bytes of a tensor's data. STK_E_SHAPE when shape makes no sense or they are too many. */
STK_NODISCARD stk_status stk_safetensors_bytes(stk_dtype dtype, const stk_shape *shape,
                                               uint64_t *bytes, stk_error *err);

#endif
