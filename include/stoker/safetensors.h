/* stoker/safetensors.h - tensors by name in one file, as the safetensors format has them.
 * A file is a length, a JSON header (names, types, shapes, places, a map of texts) and the data of
 * all tensors without gaps. Files of ours also carry a CRC-32C per tensor, in the map of texts
 * under STK_SAFETENSORS_CHECKSUMS; other programs see one more text and nothing else. */
#ifndef STOKER_SAFETENSORS_H
#define STOKER_SAFETENSORS_H

#include <stoker/bytes.h>
#include <stoker/filesystem.h>
#include <stoker/tensor.h>

STK_BEGIN_DECLS

/* The key whose text is a JSON object: tensor name to CRC-32C of its data, 8 hexadecimal digits. */
#define STK_SAFETENSORS_CHECKSUMS "stoker.crc32c"

enum { STK_SAFETENSORS_HEADER_MOST = 100000000 }; /* bytes of a header: the format's own limit */

typedef struct stk_safetensors_tensor {
    const char *name;
    stk_dtype   dtype;
    stk_shape   shape;
    uint64_t    bytes;
    uint64_t    offset;     /* of the data, from the beginning of the file */
    bool        has_crc32c; /* crc32c is known */
    uint32_t    crc32c;     /* of the data */
} stk_safetensors_tensor;

typedef struct stk_safetensors stk_safetensors; /* immutable: any thread may read from it */

typedef struct stk_safetensors_options {
    bool        skip_checksums; /* for files that another program changed with our texts kept */
    stk_ledger *ledger;         /* NULL is fine; must outlive the file */
} stk_safetensors_options;

/* Reads and checks the whole header: places that overlap, leave holes or pass the end of the file,
 * sizes that do not go with type and shape, names given twice. A header that makes no sense is
 * STK_E_FORMAT, a file cut off STK_E_DATALOSS, a type or rank we have not STK_E_UNSUPPORTED; the
 * error names the file and the tensor. options may be NULL. On failure *out is NULL. */
STK_API STK_NODISCARD stk_status stk_safetensors_open(stk_safetensors     **out,
                                                      const stk_filesystem *fs, const char *path,
                                                      const stk_safetensors_options *options,
                                                      stk_error                     *err);
/* NULL is fine. */
STK_API void stk_safetensors_free(stk_safetensors *file);

STK_API size_t stk_safetensors_count(const stk_safetensors *file);
/* In the order of their data; NULL past the last. Lent as long as the file. */
STK_API const stk_safetensors_tensor *stk_safetensors_at(const stk_safetensors *file, size_t index);
/* NULL when there is none of that name. */
STK_API const stk_safetensors_tensor *stk_safetensors_find(const stk_safetensors *file,
                                                           const char            *name);

/* The map of texts, in the file's order. */
STK_API size_t      stk_safetensors_text_count(const stk_safetensors *file);
STK_API const char *stk_safetensors_text_key(const stk_safetensors *file, size_t index);
STK_API const char *stk_safetensors_text_at(const stk_safetensors *file, size_t index);
/* NULL when there is none under key. */
STK_API const char *stk_safetensors_text(const stk_safetensors *file, const char *key);

/* Reads the data of a tensor of this file to dst, which has room for tensor->bytes. Data that does
 * not go with its checksum is STK_E_DATALOSS; dst then holds what was read. */
STK_API STK_NODISCARD stk_status stk_safetensors_read(const stk_safetensors        *file,
                                                      const stk_safetensors_tensor *tensor,
                                                      void *dst, stk_error *err);

/* The checksum of a tensor's data, to be given to stk_safetensors_writer_add. */
STK_API uint32_t stk_safetensors_crc32c(stk_bytes data);

/* Writing: texts and descriptions, then all data, in one pass. The header comes before the data, so
 * checksums must be known before any data is written. For one thread at a time. After the first
 * failure every call gives that failure again, and the file can not be committed. */
typedef struct stk_safetensors_writer stk_safetensors_writer;

/* The file appears under path when it is committed, not before: what was there stays until then.
 * ledger may be NULL. On failure *out is NULL. */
STK_API STK_NODISCARD stk_status stk_safetensors_writer_open(stk_safetensors_writer **out,
                                                             const stk_filesystem    *fs,
                                                             const char *path, stk_ledger *ledger,
                                                             stk_error *err);
/* One entry of the map of texts; UTF-8. A key given twice, or the checksums' own, is
 * STK_E_INVALID. */
STK_API STK_NODISCARD stk_status stk_safetensors_writer_text(stk_safetensors_writer *writer,
                                                             const char *key, const char *text,
                                                             stk_error *err);
/* Describes a tensor. crc32c is of the data that will follow; NULL: it has no checksum. */
STK_API STK_NODISCARD stk_status stk_safetensors_writer_add(stk_safetensors_writer *writer,
                                                            const char *name, stk_dtype dtype,
                                                            const stk_shape *shape,
                                                            const uint32_t *crc32c, stk_error *err);
/* Which tensor's data comes next: its number in the order of adding, SIZE_MAX when all is written.
 * Tensors of larger elements come first, so that all lie aligned; else the order is that of adding.
 * The first call ends the descriptions and writes the header. */
STK_API STK_NODISCARD stk_status stk_safetensors_writer_next(stk_safetensors_writer *writer,
                                                             size_t *index, stk_error *err);
/* Writes all or the next part of that tensor's data. Data that does not go with the checksum it
 * was announced with is STK_E_DATALOSS: it changed in between. */
STK_API STK_NODISCARD stk_status stk_safetensors_writer_write(stk_safetensors_writer *writer,
                                                              stk_bytes part, stk_error *err);
/* Makes the file durable and visible. STK_E_INVALID while data is missing. */
STK_API STK_NODISCARD stk_status stk_safetensors_writer_commit(stk_safetensors_writer *writer,
                                                               stk_error              *err);
/* Without a commit before, nothing is left behind. NULL is fine. */
STK_API void stk_safetensors_writer_free(stk_safetensors_writer *writer);

/* The usual case: everything is in memory. */
typedef struct stk_safetensors_item {
    const char *name;
    stk_dtype   dtype;
    stk_shape   shape;
    const void *data; /* dense, row-major */
} stk_safetensors_item;

typedef struct stk_safetensors_text_item {
    const char *key, *text;
} stk_safetensors_text_item;

/* Writes a file with a checksum for every tensor; path holds the old file or the whole new one. */
STK_API STK_NODISCARD stk_status stk_safetensors_save(
    const stk_filesystem *fs, const char *path, const stk_safetensors_item *items, size_t count,
    const stk_safetensors_text_item *texts, size_t text_count, stk_ledger *ledger, stk_error *err);

STK_END_DECLS
#endif
