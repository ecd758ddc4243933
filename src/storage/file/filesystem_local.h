/* The parts of the local file system: reading and names, outputs, locks. */
#ifndef STK_STORAGE_FILE_FILESYSTEM_LOCAL_H
#define STK_STORAGE_FILE_FILESYSTEM_LOCAL_H

#include <stoker/filesystem.h>

/* The table's create: a temporary file beside path that takes its name when committed. */
STK_NODISCARD stk_status stk_local_create(const stk_filesystem *fs, const char *path,
                                          stk_output **out, stk_error *err);

/* The table's append. */
STK_NODISCARD stk_status stk_local_append(const stk_filesystem *fs, const char *path,
                                          stk_output **out, stk_error *err);

/* The table's lock. */
STK_NODISCARD stk_status stk_local_lock(const stk_filesystem *fs, const char *path, stk_lock **out,
                                        stk_error *err);

/* Flushes fd to disk: 0, or the errno that says why not. */
int stk_local_flush(int fd);

/* The same for a folder. Some file systems have no such call; their renames are durable by
 * themselves. */
int stk_local_flush_folder(int fd);

#endif
