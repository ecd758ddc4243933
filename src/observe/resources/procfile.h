/* Files of /proc and /sys that are read again and again: kept open, read from the beginning. */
#ifndef STK_OBSERVE_RESOURCES_PROCFILE_H
#define STK_OBSERVE_RESOURCES_PROCFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoker/error.h>

enum {
    STK_PROCFILE_PATH = 64,
    STK_PROCFILE_KEPT = 512 /* descriptors at most: the rest is opened for each read */
};

/* Where they lie and the room they are read into: one thread's. */
typedef struct stk_procfs {
    int    root; /* the folder that holds proc and sys: a descriptor */
    int    kept; /* files that are open */
    char  *text;
    size_t capacity;
} stk_procfs;

typedef struct stk_procfile {
    int  fd; /* -1: not kept open */
    char path[STK_PROCFILE_PATH];
} stk_procfile;

/* root is "/" but in tests. */
STK_NODISCARD stk_status stk_procfs_open(stk_procfs *fs, const char *root, stk_error *err);
void                     stk_procfs_close(stk_procfs *fs);

/* path is relative: "proc/stat". Opens nothing yet. */
void stk_procfile_init(stk_procfile *file, const char *format, ...) STK_PRINTF(2, 3);
void stk_procfile_close(stk_procfile *file, stk_procfs *fs);
/* The text as it is now, until the next read; NULL when there is none (any more). */
const char *stk_procfile_read(stk_procfile *file, stk_procfs *fs);
/* The same once, without keeping it open. */
const char *stk_procfs_read(stk_procfs *fs, const char *format, ...) STK_PRINTF(2, 3);

/* Reading text. */

/* The next number at *at, which is moved behind it; -1 where the next word is none. Larger numbers
 * than an int64_t holds stay at the largest. */
int64_t stk_proc_number(const char **at);
/* Moves *at past count words, or to the end of the line. */
void stk_proc_skip(const char **at, int count);
/* The beginning of the next line; NULL after the last. */
const char *stk_proc_line(const char *at);

#endif
