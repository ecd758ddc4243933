/* Files of /proc and /sys that are read repeatedly: kept open and read from the start. */
#ifndef STK_OBSERVE_RESOURCES_PROCFILE_H
#define STK_OBSERVE_RESOURCES_PROCFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoker/error.h>

enum {
    STK_PROCFILE_PATH = 64,
    STK_PROCFILE_KEPT = 512 /* descriptors kept open; further files are opened for each read */
};

/* Root folder and read buffer; used by one thread. */
typedef struct stk_procfs {
    int    root; /* descriptor of the folder with proc and sys */
    int    kept; /* number of open files */
    char  *text;
    size_t capacity;
} stk_procfs;

typedef struct stk_procfile {
    int  fd; /* -1: not open */
    char path[STK_PROCFILE_PATH];
} stk_procfile;

/* root is "/" except in tests. */
STK_NODISCARD stk_status stk_procfs_open(stk_procfs *fs, const char *root, stk_error *err);
void                     stk_procfs_close(stk_procfs *fs);

/* path is relative: "proc/stat". Does not open the file. */
void stk_procfile_init(stk_procfile *file, const char *format, ...) STK_PRINTF(2, 3);
void stk_procfile_close(stk_procfile *file, stk_procfs *fs);
/* The current text, valid until the next read; NULL if there is none. */
const char *stk_procfile_read(stk_procfile *file, stk_procfs *fs);
/* Reads a file once, without keeping it open. */
const char *stk_procfs_read(stk_procfs *fs, const char *format, ...) STK_PRINTF(2, 3);

/* Functions that parse text. */

/* Parses the number at *at and moves past it; -1 if the next word is no number. Saturates at
 * INT64_MAX. */
int64_t stk_proc_number(const char **at);
/* Moves *at past count words, or to the end of the line. */
void stk_proc_skip(const char **at, int count);
/* The next line; NULL after the last. */
const char *stk_proc_line(const char *at);

#endif
