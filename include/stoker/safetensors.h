/* stoker/safetensors.h - named tensors in one file, in the safetensors format. A file is a length,
 * a JSON header (names, types, shapes, offsets, metadata texts) and the data of all tensors without
 * gaps. Stoker adds a CRC-32C per tensor to the metadata under STK_SAFETENSORS_CHECKSUMS; other
 * programs ignore it. */
#ifndef STOKER_SAFETENSORS_H
#define STOKER_SAFETENSORS_H

#include <stoker/bytes.h>
#include <stoker/filesystem.h>
#include <stoker/tensor.h>

STK_BEGIN_DECLS

/* The key whose text is a JSON object: tensor name to CRC-32C of its data, 8 hexadecimal digits. */
#define STK_SAFETENSORS_CHECKSUMS "stoker.crc32c"

enum { STK_SAFETENSORS_HEADER_MAX = 100000000 }; /* bytes of a header: the format's own limit */

typedef struct stk_safetensors_tensor {
    const char *name;
    stk_dtype   dtype;
    stk_shape   shape;
    uint64_t    bytes;
    uint64_t    offset;     /* of the data, from the beginning of the file */
    bool        has_crc32c; /* crc32c is known */
    uint32_t    crc32c;     /* of the data */
} stk_safetensors_tensor;

typedef struct stk_safetensors stk_safetensors; /* immutable, thread-safe */

typedef struct stk_safetensors_options {
    bool skip_checksums; /* for files that other programs changed while keeping the metadata */
    stk_ledger *ledger;  /* NULL is fine; must outlive the file */
} stk_safetensors_options;

/* Reads and validates the header: overlaps, holes, data past the end of the file, sizes that
 * contradict type and shape, duplicate names. An invalid header is STK_E_FORMAT, a truncated file
 * STK_E_DATALOSS, an unsupported type or rank STK_E_UNSUPPORTED; the error names file and tensor.
 * options may be NULL. On failure *out is NULL. */
STK_API STK_NODISCARD stk_status stk_safetensors_open(stk_safetensors     **out,
                                                      const stk_filesystem *fs, const char *path,
                                                      const stk_safetensors_options *options,
                                                      stk_error                     *err);
/* NULL is fine. */
STK_API void stk_safetensors_free(stk_safetensors *file);

STK_API size_t stk_safetensors_count(const stk_safetensors *file);
/* Tensor index in the order of the data; NULL past the last. Borrowed for the lifetime of the file.
 */
STK_API const stk_safetensors_tensor *stk_safetensors_at(const stk_safetensors *file, size_t index);
/* NULL without such a tensor. */
STK_API const stk_safetensors_tensor *stk_safetensors_find(const stk_safetensors *file,
                                                           const char            *name);

/* The metadata, in the file's order. */
STK_API size_t      stk_safetensors_text_count(const stk_safetensors *file);
STK_API const char *stk_safetensors_text_key(const stk_safetensors *file, size_t index);
STK_API const char *stk_safetensors_text_at(const stk_safetensors *file, size_t index);
/* NULL without such a key. */
STK_API const char *stk_safetensors_text(const stk_safetensors *file, const char *key);

/* Reads the data of a tensor of this file into dst, which has tensor->bytes bytes. Data that
 * contradicts its checksum is STK_E_DATALOSS; dst then has what was read. */
STK_API STK_NODISCARD stk_status stk_safetensors_read(const stk_safetensors        *file,
                                                      const stk_safetensors_tensor *tensor,
                                                      void *dst, stk_error *err);

/* The checksum of a tensor's data, for stk_safetensors_writer_add. */
STK_API uint32_t stk_safetensors_crc32c(stk_bytes data);

/* A writer takes metadata and descriptions, then all data, in one pass. The header precedes the
 * data, so checksums are needed first. For one thread at a time. After a failure every call returns
 * it again, and the file cannot be committed. */
typedef struct stk_safetensors_writer stk_safetensors_writer;

/* Opens a writer. The file replaces path at commit. ledger may be NULL. On failure *out is NULL. */
STK_API STK_NODISCARD stk_status stk_safetensors_writer_open(stk_safetensors_writer **out,
                                                             const stk_filesystem    *fs,
                                                             const char *path, stk_ledger *ledger,
                                                             stk_error *err);
/* Adds an entry of the metadata; UTF-8. A duplicate key, or that of the checksums, is
 * STK_E_INVALID. */
STK_API STK_NODISCARD stk_status stk_safetensors_writer_text(stk_safetensors_writer *writer,
                                                             const char *key, const char *text,
                                                             stk_error *err);
/* Describes a tensor. crc32c: of the data to follow; NULL: no checksum. */
STK_API STK_NODISCARD stk_status stk_safetensors_writer_add(stk_safetensors_writer *writer,
                                                            const char *name, stk_dtype dtype,
                                                            const stk_shape *shape,
                                                            const uint32_t *crc32c, stk_error *err);
/* The tensor whose data comes next: its index in the order of adding, SIZE_MAX when all is written.
 * Tensors of larger elements come first, so that all are aligned; otherwise the order is that of
 * adding. The first call ends the descriptions and writes the header. */
STK_API STK_NODISCARD stk_status stk_safetensors_writer_next(stk_safetensors_writer *writer,
                                                             size_t *index, stk_error *err);
/* Writes all or the next part of that tensor's data. Data that contradicts its announced checksum
 * is STK_E_DATALOSS. */
STK_API STK_NODISCARD stk_status stk_safetensors_writer_write(stk_safetensors_writer *writer,
                                                              stk_bytes part, stk_error *err);
/* Makes the file durable and visible. STK_E_INVALID while data is missing. */
STK_API STK_NODISCARD stk_status stk_safetensors_writer_commit(stk_safetensors_writer *writer,
                                                               stk_error              *err);
/* Frees the writer; an uncommitted file leaves nothing. NULL is fine. */
STK_API void stk_safetensors_writer_free(stk_safetensors_writer *writer);

/* A tensor in memory, for stk_safetensors_save. */
typedef struct stk_safetensors_item {
    const char *name;
    stk_dtype   dtype;
    stk_shape   shape;
    const void *data; /* dense, row-major */
} stk_safetensors_item;

typedef struct stk_safetensors_text_item {
    const char *key, *text;
} stk_safetensors_text_item;

/* Writes a file with a checksum for every tensor; path has either the old or the complete new file.
 */
STK_API STK_NODISCARD stk_status stk_safetensors_save(
    const stk_filesystem *fs, const char *path, const stk_safetensors_item *items, size_t count,
    const stk_safetensors_text_item *texts, size_t text_count, stk_ledger *ledger, stk_error *err);

STK_END_DECLS
#endif
