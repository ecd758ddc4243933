/* Entries that a listing skips: counted by reason and ending, with the first of each as an example.
 */
#ifndef STK_STORAGE_SOURCE_LEFT_OUT_H
#define STK_STORAGE_SOURCE_LEFT_OUT_H

#include "base/arena.h"

#include <stoker/blob.h>
#include <stoker/source.h>

typedef struct stk_left_out_list {
    stk_blob items; /* stk_source_left_out[], by reason and then as they were met */
} stk_left_out_list;

/* Counts one more. folder and name make the path of an example, which is copied to the arena. */
STK_NODISCARD stk_status stk_left_out_add(stk_left_out_list *list, stk_arena *arena,
                                          stk_left_out_reason reason, const char *folder,
                                          const char *name, stk_error *err);

/* As if it had never been counted. */
void stk_left_out_forget(stk_left_out_list *list, stk_left_out_reason reason);

/* For a file of this name that is no image that can be read. */
stk_left_out_reason stk_left_out_reason_of(const char *name);

#endif
