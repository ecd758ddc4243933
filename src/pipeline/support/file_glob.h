/* The files that a pattern stands for. */
#ifndef STK_PIPELINE_SUPPORT_FILE_GLOB_H
#define STK_PIPELINE_SUPPORT_FILE_GLOB_H

#include "pipeline/support/file_list.h"

/* pattern is a file, a folder (for the files right in it) or a path with * ? [] in any of its
 * parts; hidden files are matched only by a dot. Sorted by bytes. None is STK_E_INVALID "No files
 * matched". A name that exists as it stands is taken as it stands. */
STK_NODISCARD stk_status stk_file_glob(stk_file_list *out, const char *stage,
                                       const stk_filesystem *fs, const char *pattern,
                                       stk_error *err);

#endif
