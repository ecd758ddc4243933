/* Record files kept open for reading by number, from any thread: no more at a time than a process
 * may have open. */
#ifndef STK_PIPELINE_SUPPORT_RECORD_FILES_H
#define STK_PIPELINE_SUPPORT_RECORD_FILES_H

#include "pipeline/support/file_list.h"

#include <stoker/record_index.h>

typedef struct stk_record_files stk_record_files;

/* Reads or builds all indexes, so that the number of records is known. The names must outlive it.
 */
STK_NODISCARD stk_status stk_record_files_open(stk_record_files **out, const stk_filesystem *fs,
                                               const stk_file_list        *list,
                                               const stk_tfrecord_options *options, stk_error *err);
/* NULL is fine. */
void     stk_record_files_free(stk_record_files *files);
uint64_t stk_record_files_count(const stk_record_files *files);

/* Where record number is: *file is its file's number. Reads it as stk_record_file_read does. Past
 * the end is not checked. */
STK_NODISCARD stk_status stk_record_files_read(stk_record_files *files, uint64_t number,
                                               size_t *file, stk_blob *scratch, stk_record *record,
                                               stk_error *err);

#endif
