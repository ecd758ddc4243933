/* Expands file patterns. */
#ifndef STK_PIPELINE_SUPPORT_FILE_GLOB_H
#define STK_PIPELINE_SUPPORT_FILE_GLOB_H

#include "pipeline/support/file_list.h"

/* pattern is a file, a folder (for its direct files) or a path with * ? [] in any component; only a
 * leading dot matches hidden files. Sorted by bytes. No match is STK_E_INVALID "No files matched".
 * An existing name is taken literally. */
STK_NODISCARD stk_status stk_file_glob(stk_file_list *out, const char *component,
                                       const stk_filesystem *fs, const char *pattern,
                                       stk_error *err);

#endif
