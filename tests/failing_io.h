/* System calls on files that fail on demand: the linker sends those of the library here (--wrap),
 * in the programs that ask for it in CMakeLists.txt. */
#ifndef STK_TESTS_FAILING_IO_H
#define STK_TESTS_FAILING_IO_H

#include <stdbool.h>
#include <stdint.h>

typedef enum stk_io_call {
    STK_IO_OPEN,
    STK_IO_WRITE,
    STK_IO_FSYNC,
    STK_IO_RENAME,
    STK_IO_UNLINK,
    STK_IO_CALLS
} stk_io_call;

/* The call after `after` more successful ones fails with reason, and so do times - 1 after it. */
void stk_io_fail_after(stk_io_call call, int64_t after, int64_t times, int reason);
/* Stops failing; true when a call was failed since the last call to fail_after. */
bool stk_io_fail_stop(void);

/* Called before each renameat with the new name; NULL: nobody is. */
void stk_io_watch_renames(void (*seen)(const char *name));
/* What a file had when it was last synced while renames were watched. */
int64_t stk_io_synced_bytes(const char *path);

#endif
