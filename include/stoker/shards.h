/* stoker/shards.h - data sets of several files: names "…-00003-of-00012", folders, patterns. A set
 * is complete or an error that names the missing shard. */
#ifndef STOKER_SHARDS_H
#define STOKER_SHARDS_H

#include <stoker/filesystem.h>

STK_BEGIN_DECLS

/* The parts of a shard's name. */
typedef struct stk_shard_name {
    size_t   stem_length; /* characters before "-00003-of-00012" */
    uint32_t index;
    uint32_t count;
} stk_shard_name;

/* False when the name does not end in -NNNNN-of-NNNNN (five or more digits, index below count). */
STK_API int stk_shard_name_parse(const char *name, stk_shard_name *out);

/* Writes "stem-00003-of-00012", always terminated; STK_E_LIMIT when it does not fit. */
STK_API STK_NODISCARD stk_status stk_shard_name_write(char *text, size_t capacity, const char *stem,
                                                      uint32_t index, uint32_t count,
                                                      stk_error *err);

/* The files of one data set, sorted by name. */
typedef struct stk_shards {
    char **paths;
    size_t count;
    char **splits; /* splits[i] is the split in the name of paths[i] ("train"), or "" */
} stk_shards;

/* Finds the files of path: a TFRecord file, a folder of them (TFDS folders too), or a pattern with
 * * ? []. No match is STK_E_NOTFOUND "No files matched"; an incomplete "-of-" set is STK_E_DATALOSS
 * naming the missing files. Hidden files are ignored. */
STK_API STK_NODISCARD stk_status stk_shards_find(stk_shards *out, const stk_filesystem *fs,
                                                 const char *path, stk_error *err);
STK_API void                     stk_shards_release(stk_shards *shards);

STK_END_DECLS
#endif
