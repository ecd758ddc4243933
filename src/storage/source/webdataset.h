/* Archive members as samples, the way WebDataset does it: neighbours whose names are the same up to
 * the first dot of the last component are one sample, the rest of the name says which field. */
#ifndef STK_STORAGE_SOURCE_WEBDATASET_H
#define STK_STORAGE_SOURCE_WEBDATASET_H

#include "storage/source/class_path.h"

enum { STK_WEBDATASET_FIELDS = 64 };

typedef struct stk_tar_entry {
    const char *name;
    uint64_t    offset, bytes;
    uint32_t    archive;
    uint32_t    field; /* index into the fields, once grouped */
} stk_tar_entry;

typedef struct stk_tar_sample {
    stk_path_class at; /* path is the first member's name */
    uint64_t       bytes;
    uint32_t       first, count; /* entries */
    uint32_t       archive, record;
} stk_tar_sample;

typedef struct stk_webdataset {
    char   names[STK_WEBDATASET_FIELDS][32]; /* "image", "cls", "json", ... */
    size_t count;
    int    image, cls; /* their fields, -1 where there is none */
} stk_webdataset;

/* Whether members are grouped so: some neighbours share a name up to the dot, or none is an image.
 */
bool stk_webdataset_is(const stk_tar_entry *entries, size_t count);

/* Appends the samples to samples (stk_tar_sample[]) and numbers the fields. Each sample must have
 * every field once: else STK_E_FORMAT names one that has not. */
STK_NODISCARD stk_status stk_webdataset_group(stk_webdataset *web, stk_tar_entry *entries,
                                              size_t count, stk_blob *samples, const char *path,
                                              stk_error *err);

#endif
