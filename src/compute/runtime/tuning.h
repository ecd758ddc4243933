/* Tuning cache: the fastest choice per key and its time, kept in a file of the user. Keys and
 * choices are single lines without tabs. */
#ifndef STK_COMPUTE_RUNTIME_TUNING_H
#define STK_COMPUTE_RUNTIME_TUNING_H

#include <stddef.h>
#include <stoker/error.h>

typedef struct stk_tuning stk_tuning;

enum { STK_TUNING_KEY = 320, STK_TUNING_CHOICE = 640 }; /* bytes, with the terminator */

/* Reads file `name` of the folder $STOKER_CACHE, $XDG_CACHE_HOME/stoker or ~/.cache/stoker.
 * Characters unsuitable for file names become '-'. An unreadable file counts as empty; invalid
 * lines are ignored. */
STK_NODISCARD stk_status stk_tuning_open(stk_tuning **out, const char *name, stk_error *err);
void                     stk_tuning_free(stk_tuning *tuning);

/* The choice for key, borrowed until the next set; NULL: unknown. us may be NULL. */
const char              *stk_tuning_find(const stk_tuning *tuning, const char *key, double *us);
STK_NODISCARD stk_status stk_tuning_set(stk_tuning *tuning, const char *key, const char *choice,
                                        double us, stk_error *err);
/* Atomically writes the choices set here, merged with those that other processes have saved
 * since. */
STK_NODISCARD stk_status stk_tuning_save(stk_tuning *tuning, stk_error *err);
const char              *stk_tuning_path(const stk_tuning *tuning);

#endif
