/* What processes that were killed while they wrote left behind: outputs that never got their names.
 */
#ifndef STK_STORAGE_FILE_TEMPORARIES_H
#define STK_STORAGE_FILE_TEMPORARIES_H

#include <stdbool.h>
#include <stoker/filesystem.h>

/* Removes the temporary files of folder that would have become files whose name (length bytes) is
 * ours. No other process may write such files now. */
STK_NODISCARD stk_status stk_temporaries_sweep(const stk_filesystem *fs, const char *folder,
                                               bool (*ours)(const char *name, size_t length),
                                               stk_error *err);

#endif
