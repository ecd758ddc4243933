/* Loads a checkpoint into variables and state. */
#include "train/checkpoint/checkpoint_format.h"
#include "train/checkpoint/staging.h"

enum { SHAPE_CAPACITY = 192 };

static stk_status plan(stk_staging *staging, const stk_safetensors *file,
                       const stk_variables *variables, const char *path, stk_error *err)
{
    const stk_safetensors_tensor *tensor;
    for (size_t i = 0; i < stk_variables_count(variables); i++) {
        const stk_variable_info info = stk_variables_at(variables, i);
        if (!stk_checkpoint_keeps(info.role)) continue;
        STK_TRY(stk_staging_match(file, &info, path, &tensor, err));
        STK_TRY(stk_staging_add(staging, tensor, i, err));
    }
    return STK_OK;
}

static bool is_wanted(const stk_variables *variables, const char *name)
{
    const size_t index = stk_variables_find(variables, name);
    if (index == SIZE_MAX) return stk_checkpoint_is_ours(name);
    return stk_checkpoint_keeps(stk_variables_at(variables, index).role);
}

static stk_status check_left_over(const stk_safetensors *file, const stk_variables *variables,
                                  const char *path, stk_error *err)
{
    char shape[SHAPE_CAPACITY];
    for (size_t i = 0; i < stk_safetensors_count(file); i++) {
        const stk_safetensors_tensor *t = stk_safetensors_at(file, i);
        if (is_wanted(variables, t->name)) continue;
        return stk_fail(err, STK_E_INVALID, "checkpoint", path,
                        "the file has '%s' as %s%s but the model has no such variable: it is of "
                        "another model or optimizer",
                        t->name, stk_dtype_name(t->dtype),
                        stk_shape_text(&t->shape, shape, sizeof shape));
    }
    return STK_OK;
}

static stk_status load_from(const stk_safetensors *file, const char *path, stk_staging *staging,
                            stk_variables *variables, stk_run_state *fresh, stk_error *err)
{
    STK_TRY(plan(staging, file, variables, path, err));
    STK_TRY(check_left_over(file, variables, path, err));
    STK_TRY(stk_run_state_read(fresh, file, path, err));
    STK_TRY(stk_staging_read(staging, file, err));
    return stk_staging_put(staging, variables, err);
}

stk_status stk_checkpoint_load(const stk_filesystem *fs, const char *path, stk_variables *variables,
                               stk_run_state *state, stk_error *err)
{
    stk_ledger      *ledger = state->input.ledger;
    stk_run_state    fresh;
    stk_staging      staging;
    stk_safetensors *file;
    STK_TRY(stk_checkpoint_open(&file, fs, path, ledger, err));
    stk_run_state_init(&fresh, ledger);
    stk_staging_init(&staging, variables);
    const stk_status st = load_from(file, path, &staging, variables, &fresh, err);
    if (!st) {
        const stk_run_state before = *state;
        *state = fresh;
        fresh = before;
    }
    stk_staging_release(&staging);
    stk_run_state_release(&fresh);
    stk_safetensors_free(file);
    return st;
}
