/* Whether files lie in a folder or below, whatever links and ".." their names go through. Untrusted
 * data must not reach other files of this machine. */
#ifndef STK_STORAGE_SOURCE_INSIDE_H
#define STK_STORAGE_SOURCE_INSIDE_H

#include <stdbool.h>
#include <stoker/filesystem.h>

typedef struct stk_inside {
    const stk_filesystem *fs;
    stk_blob              root;         /* without links, ends in '/', not terminated */
    stk_blob              folder, real; /* the one asked about last, terminated; scratch */
    bool                  holds_folder; /* its result */
} stk_inside;

/* folder "" is the current one. Release also after a failure. */
STK_NODISCARD stk_status stk_inside_open(stk_inside *inside, const stk_filesystem *fs,
                                         const char *folder, stk_ledger *ledger, stk_error *err);
void                     stk_inside_release(stk_inside *inside);

/* How many files of folder itself are links that lead out of it, and the name of the first in
 * bytewise order. */
STK_NODISCARD stk_status stk_inside_count(const stk_filesystem *fs, const char *folder,
                                          stk_ledger *ledger, uint64_t *count, char *example,
                                          size_t capacity, stk_error *err);
/* STK_E_INVALID where there are such. */
STK_NODISCARD stk_status stk_inside_check(const stk_filesystem *fs, const char *folder,
                                          stk_ledger *ledger, stk_error *err);
/* The same for description files only: records named one by one may be links, but not the files
 * beside them. */
STK_NODISCARD stk_status stk_inside_check_description(const stk_filesystem *fs, const char *folder,
                                                      stk_ledger *ledger, stk_error *err);

/* Whether path, which is there, lies in the folder. link: its last part is one. */
STK_NODISCARD stk_status stk_inside_holds(stk_inside *inside, const char *path, bool link,
                                          bool *holds, stk_error *err);

#endif
