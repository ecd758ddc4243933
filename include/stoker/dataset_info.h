/* stoker/dataset_info.h - the description in a data set's folder: dataset_info.json, features.json
 * and class names, in TensorFlow Datasets' form. */
#ifndef STOKER_DATASET_INFO_H
#define STOKER_DATASET_INFO_H

#include <stoker/filesystem.h>
#include <stoker/tensor.h>

STK_BEGIN_DECLS

/* Meaning of a feature. */
typedef enum stk_feature_meaning {
    STK_MEANING_TENSOR, /* numbers, or with dtype U8 raw bytes of a fixed shape */
    STK_MEANING_TEXT,   /* a byte string */
    STK_MEANING_IMAGE,  /* an encoded image: encoding is "jpeg", "png", "webp" or "" (by content) */
    STK_MEANING_LABEL   /* an int64 class index */
} stk_feature_meaning;

typedef struct stk_feature_info {
    char               *name;
    stk_feature_meaning meaning;
    stk_dtype           dtype;
    stk_shape           shape; /* -1: unknown dimension */
    char                encoding[8];
    char              **class_names; /* LABEL: NULL or class_count names */
    size_t              class_count;
} stk_feature_info;

typedef struct stk_split_info {
    char     *name;
    uint64_t *shard_lengths; /* records in each shard */
    size_t    shard_count;
    uint64_t  bytes;
} stk_split_info;

typedef struct stk_dataset_info {
    char             *name;
    char             *version;
    stk_feature_info *features;
    size_t            feature_count;
    stk_split_info   *splits;
    size_t            split_count;
} stk_dataset_info;

/* Reads the description; one of features.json and dataset_info.json is enough, without both it is
 * STK_E_NOTFOUND. Features of other kinds are read as TENSOR. */
STK_API STK_NODISCARD stk_status stk_dataset_info_read(stk_dataset_info     *out,
                                                       const stk_filesystem *fs, const char *folder,
                                                       stk_error *err);
/* Writes features.json, NAME.labels.txt per label, then dataset_info.json, which marks a complete
 * folder. Each file is replaced atomically. */
STK_API STK_NODISCARD stk_status stk_dataset_info_write(const stk_dataset_info *info,
                                                        const stk_filesystem   *fs,
                                                        const char *folder, stk_error *err);
STK_API void                     stk_dataset_info_release(stk_dataset_info *info);

/* NULL without such a feature. */
STK_API const stk_feature_info *stk_dataset_info_feature(const stk_dataset_info *info,
                                                         const char             *name);

STK_END_DECLS
#endif
