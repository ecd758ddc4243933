/* Texts of one name a line. */
#ifndef STK_STORAGE_FILE_TEXT_LINES_H
#define STK_STORAGE_FILE_TEXT_LINES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stoker/filesystem.h>

/* Takes the next line off the beginning of rest, without its end (\n or \r\n). False at the end. */
bool stk_next_line(stk_bytes *rest, stk_bytes *line);

/* The lines of a small file, into arena; empty ones at its end are left out. */
STK_NODISCARD stk_status stk_lines_read(const stk_filesystem *fs, const char *path,
                                        stk_arena *arena, char ***lines, size_t *count,
                                        stk_error *err);

#endif
