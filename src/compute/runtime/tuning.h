/* What was measured to be fastest on a device, kept in a file of the user's for the next time: a
 * key, what was chosen and how long it took. Both are short texts of one line, without tabs. */
#ifndef STK_COMPUTE_RUNTIME_TUNING_H
#define STK_COMPUTE_RUNTIME_TUNING_H

#include <stddef.h>
#include <stoker/error.h>

typedef struct stk_tuning stk_tuning;

enum { STK_TUNING_KEY = 320, STK_TUNING_CHOICE = 640 }; /* bytes, the end included */

/* Reads file `name` of the folder $STOKER_CACHE, $XDG_CACHE_HOME/stoker or ~/.cache/stoker.
 * Characters that names of files should not have become '-'. A file that cannot be read is an empty
 * one, lines that are damaged are left out. */
STK_NODISCARD stk_status stk_tuning_open(stk_tuning **out, const char *name, stk_error *err);
void                     stk_tuning_free(stk_tuning *tuning);

/* What was chosen for key, lent until the next set; NULL: not known. us may be NULL. */
const char              *stk_tuning_find(const stk_tuning *tuning, const char *key, double *us);
STK_NODISCARD stk_status stk_tuning_set(stk_tuning *tuning, const char *key, const char *choice,
                                        double us, stk_error *err);
/* Writes what was set, and what other processes have written since, as a whole or not at all. */
STK_NODISCARD stk_status stk_tuning_save(stk_tuning *tuning, stk_error *err);
const char              *stk_tuning_path(const stk_tuning *tuning);

#endif
