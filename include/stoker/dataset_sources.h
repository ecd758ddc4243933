/* stoker/dataset_sources.h - sources of pipelines. Each call makes a dataset in *out (NULL on
 * failure). A NULL file system means the local one; it must outlive the dataset. */
#ifndef STOKER_DATASET_SOURCES_H
#define STOKER_DATASET_SOURCES_H

#include <stoker/dataset.h>
#include <stoker/filesystem.h>
#include <stoker/function.h>
#include <stoker/source.h>
#include <stoker/tfrecord.h>

STK_BEGIN_DECLS

/* int64 scalars start, start + step, ... before stop. step 0 is STK_E_INVALID. */
STK_API STK_NODISCARD stk_status stk_dataset_range(stk_dataset **out, int64_t start, int64_t stop,
                                                   int64_t step, stk_error *err);

/* The element itself, once; takes a new reference. */
STK_API STK_NODISCARD stk_status stk_dataset_tensors(stk_dataset **out, const stk_element *element,
                                                     stk_error *err);
/* The rows of the element, which gets a new reference: every value needs the same leading
 * dimension. */
STK_API STK_NODISCARD stk_status stk_dataset_slices(stk_dataset **out, const stk_element *element,
                                                    stk_error *err);
/* The given elements in order; takes new references. They must agree in number and types of values;
 * the spec has their common shapes. */
STK_API STK_NODISCARD stk_status stk_dataset_elements(stk_dataset       **out,
                                                      stk_element *const *elements, size_t count,
                                                      stk_error *err);

/* A user-defined sequential source. */
typedef struct stk_generator_info {
    const char *name;
    uint64_t    version;
    void       *context;
    void (*release)(void *context); /* called with the dataset's last reference; NULL is fine */
    const stk_element_spec *output; /* NULL: unknown */
    int64_t                 cardinality; /* or STK_CARDINALITY_UNKNOWN, _INFINITE */
    bool                    blocking;    /* waits for I/O: runs on the I/O engine */
    /* Begins an epoch; *state belongs to it. Several epochs may be open at a time. */
    stk_status (*open)(void *context, uint64_t epoch, void **state, stk_error *err);
    /* Sets *out to NULL at the end. One call at a time per epoch. Calls may follow a failed one. */
    stk_status (*next)(void *context, void *state, const stk_call *call, stk_element **out,
                       stk_error *err);
    void (*close)(void *context, void *state);
    /* For checkpoints. Without them a restored epoch is replayed from its start to the position. */
    stk_status (*save)(void *context, void *state, stk_blob *out, stk_error *err);
    stk_status (*restore)(void *context, void *state, stk_bytes saved, stk_error *err);
} stk_generator_info;

STK_API STK_NODISCARD stk_status stk_dataset_generator(stk_dataset             **out,
                                                       const stk_generator_info *info,
                                                       stk_error                *err);

/* A user-defined source with random access: read is called from any thread. */
typedef struct stk_indexed_info {
    const char *name;
    uint64_t    version;
    void       *context;
    void (*release)(void *context);
    const stk_element_spec *output;
    uint64_t                count;
    bool                    blocking;
    stk_status (*read)(void *context, const stk_call *call, uint64_t index, stk_element **out,
                       stk_error *err);
} stk_indexed_info;

STK_API STK_NODISCARD stk_status stk_dataset_indexed(stk_dataset           **out,
                                                     const stk_indexed_info *info, stk_error *err);

typedef struct stk_files_options {
    bool     shuffle; /* false: sorted */
    uint64_t seed;    /* equal seeds give equal orders */
} stk_files_options;

/* File names as byte strings. pattern is a path with * ? [], or a folder's path for all its files.
 * Fails at once if nothing matches: STK_E_INVALID "No files matched". */
STK_API STK_NODISCARD stk_status stk_dataset_files(stk_dataset **out, const stk_filesystem *fs,
                                                   const char              *pattern,
                                                   const stk_files_options *options,
                                                   stk_error               *err);

/* Reaction to a damaged record. */
typedef enum stk_damage {
    STK_DAMAGE_NEXT_FILE, /* an error; skips the rest of the file, as TensorFlow does */
    STK_DAMAGE_RESYNC     /* an error; continues at the next valid record of the file */
} stk_damage;

typedef struct stk_records_options {
    stk_compression compression;
    size_t          buffer_bytes;     /* size of a read; 0 means 256 KiB */
    uint64_t        max_record_bytes; /* 0 means 1 GiB */
    stk_damage      damage;
} stk_records_options;

/* The records of TFRecord files as byte strings, file by file. path is a file, a folder or a
 * pattern (stk_shards_find). options may be NULL. */
STK_API STK_NODISCARD stk_status stk_dataset_tfrecord(stk_dataset **out, const stk_filesystem *fs,
                                                      const char                *path,
                                                      const stk_records_options *options,
                                                      stk_error                 *err);
/* The same for a list of files. Each is opened when its turn comes. */
STK_API STK_NODISCARD stk_status stk_dataset_tfrecord_files(stk_dataset         **out,
                                                            const stk_filesystem *fs,
                                                            const char *const *paths, size_t count,
                                                            const stk_records_options *options,
                                                            stk_error                 *err);
/* Random access to the records of uncompressed TFRecord files: for global_shuffle and exact
 * positions. Indexes are read or built on first use. */
STK_API STK_NODISCARD stk_status stk_dataset_tfrecord_indexed(stk_dataset              **out,
                                                              const stk_filesystem      *fs,
                                                              const char                *path,
                                                              const stk_records_options *options,
                                                              stk_error                 *err);

/* The same for a list of files. */
STK_API STK_NODISCARD stk_status stk_dataset_tfrecord_indexed_files(
    stk_dataset **out, const stk_filesystem *fs, const char *const *paths, size_t count,
    const stk_records_options *options, stk_error *err);

/* Lines without their newline ("\n" or "\r\n"). */
STK_API STK_NODISCARD stk_status stk_dataset_text(stk_dataset **out, const stk_filesystem *fs,
                                                  const char *const *paths, size_t count,
                                                  const stk_records_options *options,
                                                  stk_error                 *err);

typedef struct stk_fixed_length_options {
    uint64_t        header_bytes, footer_bytes; /* of each file, skipped */
    stk_compression compression;                /* NONE, GZIP or ZLIB; AUTO detects */
    size_t          buffer_bytes;
} stk_fixed_length_options;

/* Records of record_bytes bytes. A body of another length is STK_E_INVALID naming file, body length
 * and record length. */
STK_API STK_NODISCARD stk_status stk_dataset_fixed_length_records(
    stk_dataset **out, const stk_filesystem *fs, const char *const *paths, size_t count,
    uint64_t record_bytes, const stk_fixed_length_options *options, stk_error *err);

/* Any data that stk_source_open reads (folders of images, tar, CSV, IDX, packs): its fields by
 * name. split NULL: all. A split is also found by a synonym ("train": "Training"). */
STK_API STK_NODISCARD stk_status stk_dataset_source(stk_dataset **out, const stk_filesystem *fs,
                                                    const char *path, const char *kind,
                                                    const char *split, stk_error *err);
/* The same for an open source, which is not listed again; path names it in messages. */
STK_API STK_NODISCARD stk_status stk_dataset_of_source(stk_dataset **out, stk_source *source,
                                                       const char *path, const char *split,
                                                       stk_error *err);
/* A split without one of every hold_back items of each class, or (held_back) only those. The only
 * item of a class is never held back. */
STK_API STK_NODISCARD stk_status stk_dataset_of_source_part(stk_dataset **out, stk_source *source,
                                                            const char *path, const char *split,
                                                            int64_t holdout_every,
                                                            bool holdout_only, stk_error *err);

STK_END_DECLS
#endif
