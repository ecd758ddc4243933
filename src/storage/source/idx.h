/* One IDX file: the format MNIST is published in. A header of big-endian numbers (type, rank,
 * dimensions), then the values. */
#ifndef STK_STORAGE_SOURCE_IDX_H
#define STK_STORAGE_SOURCE_IDX_H

#include <stdbool.h>
#include <stoker/filesystem.h>
#include <stoker/tensor.h>

typedef struct stk_idx {
    stk_dtype dtype;        /* of the values as given out: I8 and I16 are widened to I32 */
    uint8_t   stored;       /* the type's code in the file */
    stk_shape shape;        /* of one item */
    uint64_t  count;        /* items */
    uint64_t  values;       /* in one item */
    uint64_t  stored_bytes; /* of one item in the file */
    uint64_t  offset;       /* of the first item */
    int64_t   modified_ns;
    stk_file *file;    /* a plain file: read when asked for */
    stk_blob  content; /* a compressed one: the whole of it */
} stk_idx;

/* Whether head is the beginning of an IDX file. */
bool stk_idx_is(stk_bytes head);

/* Opens a plain or gzip file; the header's claim is checked against what is there before anything
 * is allocated for it. */
STK_NODISCARD stk_status stk_idx_open(stk_idx *idx, const stk_filesystem *fs, const char *path,
                                      stk_ledger *ledger, stk_error *err);
void                     stk_idx_close(stk_idx *idx);

/* The values of count items from first on, in the machine's byte order. *values is borrowed until
 * scratch changes or the file is closed. Any thread may read with a scratch of its own. */
STK_NODISCARD stk_status stk_idx_read(const stk_idx *idx, uint64_t first, uint64_t count,
                                      stk_blob *scratch, const void **values, stk_error *err);

#endif
