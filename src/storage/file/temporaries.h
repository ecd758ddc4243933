/* Temporary files of killed writers: outputs that were never committed. */
#ifndef STK_STORAGE_FILE_TEMPORARIES_H
#define STK_STORAGE_FILE_TEMPORARIES_H

#include <stdbool.h>
#include <stoker/filesystem.h>

/* Removes the temporary files in folder for outputs whose name the callback accepts. No other
 * process may be writing such files. */
STK_NODISCARD stk_status stk_temporaries_sweep(const stk_filesystem *fs, const char *folder,
                                               bool (*ours)(const char *name, size_t length),
                                               stk_error *err);

#endif
