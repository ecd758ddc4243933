/* What a name says a split is for. */
#ifndef STK_STORAGE_FILE_SPLIT_NAME_H
#define STK_STORAGE_FILE_SPLIT_NAME_H

#include <stdbool.h>
#include <stddef.h>

typedef enum stk_split_role {
    STK_SPLIT_OTHER, /* no name of a split */
    STK_SPLIT_TRAIN,
    STK_SPLIT_VALIDATION,
    STK_SPLIT_TEST
} stk_split_role;

/* By the words people use, in any case: train, training; val, valid, validation, dev, eval...;
 * test, testing; also with a word that says nothing, as in "Training_Set" or "test images". */
stk_split_role stk_split_role_of(const char *name, size_t length);

/* Whether it is a split's name at all: what folders and files are parted by. */
bool stk_path_is_split(const char *name, size_t length);

/* The place of the split that wanted means among names: the one of this very name; else the one of
 * this name in another case; else the first of the same role ("train" means "Training"). count:
 * there is none. */
size_t stk_split_find(const char *const *names, size_t count, const char *wanted);

/* The place of the first name of this role, the plainest name first ("train" before "training");
 * count: there is none. */
size_t stk_split_find_role(const char *const *names, size_t count, stk_split_role role);

#endif
