/* Names of checkpoints. */
#include "train/checkpoint/folder.h"

#include "storage/file/paths.h"
#include "storage/file/temporaries.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_CAPACITY = 64 };

static char *name_of(int64_t step, char name[NAME_CAPACITY])
{
    snprintf(name, NAME_CAPACITY, "step-%09" PRId64 ".safetensors", step);
    return name;
}

stk_status stk_checkpoint_path(stk_blob *text, const char *folder, int64_t step, stk_error *err)
{
    char name[NAME_CAPACITY];
    return stk_path_join(text, folder, name_of(step, name), err);
}

/* Accepts only names in our format: a copy called step-5.safetensors belongs to the user. */
static bool parse_name(const char *name, int64_t *step)
{
    char again[NAME_CAPACITY];
    if (strncmp(name, "step-", 5) || name[5] < '0' || name[5] > '9') return false;
    *step = strtoll(name + 5, NULL, 10);
    return !strcmp(name, name_of(*step, again));
}

static stk_status note_step(void *context, const char *name, const stk_file_info *info,
                            stk_error *err)
{
    int64_t step;
    if (info->kind != STK_FILE_REGULAR || !parse_name(name, &step)) return STK_OK;
    return stk_blob_append(context, &step, sizeof step, err);
}

static int compare_steps(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x > y ? -1 : x < y;
}

stk_status stk_checkpoint_steps(const stk_filesystem *fs, const char *folder, stk_blob *steps,
                                stk_error *err)
{
    STK_TRY(stk_path_list(fs, folder, STK_LIST_KINDS, note_step, steps, err));
    if (steps->size)
        qsort(steps->data, steps->size / sizeof(int64_t), sizeof(int64_t), compare_steps);
    return STK_OK;
}

static bool is_checkpoint(const char *name, size_t length)
{
    return length > 5 && strncmp(name, "step-", 5) == 0;
}

stk_status stk_checkpoint_sweep(const stk_filesystem *fs, const char *folder, stk_error *err)
{
    return stk_temporaries_sweep(fs, folder, is_checkpoint, err);
}
