/* stoker/shards.h - sets of files that are one data set: names "…-00003-of-00012", folders,
 * patterns. A set is complete or an error: a missing shard is named, never passed over. */
#ifndef STOKER_SHARDS_H
#define STOKER_SHARDS_H

#include <stoker/filesystem.h>

STK_BEGIN_DECLS

/* What a shard's name says. */
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
    char **splits; /* splits[i] is the split that paths[i]'s name gives ("train"), or "" */
} stk_shards;

/* path is a TFRecord file, a folder that holds some (TFDS folders too), or a pattern with * ? [].
 * No match is STK_E_NOTFOUND "No files matched"; a hole in a "-of-" set is STK_E_DATALOSS naming
 * the missing files. Hidden files are not data. */
STK_API STK_NODISCARD stk_status stk_shards_find(stk_shards *out, const stk_filesystem *fs,
                                                 const char *path, stk_error *err);
STK_API void                     stk_shards_release(stk_shards *shards);

STK_END_DECLS
#endif
