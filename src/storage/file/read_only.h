/* A read-only view of a file system. */
#ifndef STK_STORAGE_FILE_READ_ONLY_H
#define STK_STORAGE_FILE_READ_ONLY_H

#include <stoker/filesystem.h>

typedef struct stk_read_only {
    stk_filesystem        fs;    /* first: pass &it.fs */
    const stk_filesystem *inner; /* NULL means the local one */
} stk_read_only;

/* Forwards reads to inner; writes are STK_E_PERMISSION. */
void stk_read_only_init(stk_read_only *view, const stk_filesystem *inner);

#endif
