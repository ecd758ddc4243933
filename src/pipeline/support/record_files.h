/* Record files with random access from any thread; bounds the number of open files. */
#ifndef STK_PIPELINE_SUPPORT_RECORD_FILES_H
#define STK_PIPELINE_SUPPORT_RECORD_FILES_H

#include "pipeline/support/file_list.h"

#include <stoker/record_index.h>

typedef struct stk_record_files stk_record_files;

/* Reads or builds all indexes, which give the number of records. Borrows the names of list. */
STK_NODISCARD stk_status stk_record_files_open(stk_record_files **out, const stk_filesystem *fs,
                                               const stk_file_list        *list,
                                               const stk_tfrecord_options *options, stk_error *err);
/* NULL is fine. */
void     stk_record_files_free(stk_record_files *files);
uint64_t stk_record_files_count(const stk_record_files *files);

/* Reads record number (in range: not checked) as stk_record_file_read; *file is the index of its
 * file. */
STK_NODISCARD stk_status stk_record_files_read(stk_record_files *files, uint64_t number,
                                               size_t *file, stk_blob *scratch, stk_record *record,
                                               stk_error *err);

#endif
