/* A file system with one file, whose bytes lie in memory: for readers that want a file. */
#ifndef STK_OBSERVE_REPORT_MEMORY_FILE_H
#define STK_OBSERVE_REPORT_MEMORY_FILE_H

#include <stoker/filesystem.h>

typedef struct stk_memory_files {
    stk_filesystem base;
    stk_bytes      bytes; /* lent */
} stk_memory_files;

/* Every path opens the bytes, for reading; nothing else can be done with it. */
stk_memory_files stk_memory_files_of(stk_bytes bytes);

#endif
