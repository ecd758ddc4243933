/* Roles of splits by their names. */
#ifndef STK_STORAGE_FILE_SPLIT_NAME_H
#define STK_STORAGE_FILE_SPLIT_NAME_H

#include <stdbool.h>
#include <stddef.h>

typedef enum stk_split_role {
    STK_SPLIT_OTHER, /* not a split's name */
    STK_SPLIT_TRAIN,
    STK_SPLIT_VALIDATION,
    STK_SPLIT_TEST
} stk_split_role;

/* By common words, ignoring case: train, training; val, valid, validation, dev, eval...; test,
 * testing; also with a neutral word, as in "Training_Set" or "test images". */
stk_split_role stk_split_role_of(const char *name, size_t length);

/* Whether name is a split's name, by which folders and files are divided. */
bool stk_path_is_split(const char *name, size_t length);

/* The index of the split that wanted means: an exact match, else one ignoring case, else the first
 * of the same role ("train" means "Training"). count: none. */
size_t stk_split_find(const char *const *names, size_t count, const char *wanted);

/* The index of the best name of this role, the plainest first ("train" before "training"); count:
 * none. */
size_t stk_split_find_role(const char *const *names, size_t count, stk_split_role role);

#endif
