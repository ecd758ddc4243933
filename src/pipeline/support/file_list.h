/* The file names in a source's parameters. */
#ifndef STK_PIPELINE_SUPPORT_FILE_LIST_H
#define STK_PIPELINE_SUPPORT_FILE_LIST_H

#include "pipeline/plan/operator.h"

#include <stoker/blob.h>
#include <stoker/buffer.h>
#include <stoker/filesystem.h>

typedef struct stk_file_list {
    char **paths;
    size_t count;
} stk_file_list;

/* Copies the names. A NULL or empty name is STK_E_INVALID. An empty list is fine. */
STK_NODISCARD stk_status stk_file_list_copy(stk_file_list *out, const char *component,
                                            const char *const *paths, size_t count, stk_error *err);
/* The files of a set of shards. */
STK_NODISCARD stk_status stk_file_list_shards(stk_file_list *out, const char *component,
                                              const stk_filesystem *fs, const char *path,
                                              stk_error *err);
/* Every count-th name of all, from index first. */
STK_NODISCARD stk_status stk_file_list_every(stk_file_list *out, const char *component,
                                             const stk_file_list *all, size_t count, size_t first,
                                             stk_error *err);
/* A zeroed list is fine. */
void stk_file_list_release(stk_file_list *list);

/* Appends "train-00000 and 11 more, names 0123456789abcdef". Other names relative to the common
 * folder, or another order, change the text. */
STK_NODISCARD stk_status stk_file_list_describe(const stk_file_list *list, stk_blob *out,
                                                stk_error *err);
/* The content hash of the files: see stk_operator.content. */
STK_NODISCARD stk_status stk_file_list_content(const stk_file_list *list, const stk_filesystem *fs,
                                               stk_content *content, stk_error *err);

/* The names as shared buffers for origins: an array of list->count, or NULL on failure. */
STK_NODISCARD stk_status stk_file_list_names(const stk_file_list *list, const char *component,
                                             stk_buffer ***out, stk_error *err);
void                     stk_file_list_free_names(const stk_file_list *list, stk_buffer **names);

#endif
