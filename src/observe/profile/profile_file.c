/* Profiles as files. */
#include <stdio.h>
#include <stoker/filesystem.h>
#include <stoker/profile.h>

/* A profile of 4096 steps and an hour of samples is 2 MB. */
static const uint64_t max_bytes = 1u << 30;

stk_status stk_profile_save(const stk_profile *profile, const char *path, stk_error *err)
{
    stk_blob json;
    stk_blob_init(&json, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_profile_write(profile, &json, err);
    if (!st) st = stk_file_write_all(NULL, path, stk_blob_bytes(&json), err);
    stk_blob_release(&json);
    return st;
}

static stk_status fail_in(const char *path, stk_error *err)
{
    const stk_error inside = *err;
    return stk_fail(err, inside.status, inside.component, path, "%s: %s", inside.where,
                    inside.message);
}

stk_status stk_profile_load(stk_profile *out, const char *path, stk_error *err)
{
    stk_blob json;
    stk_profile_init(out);
    stk_blob_init(&json, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_file_read_all(NULL, path, 0, max_bytes, &json, err);
    if (!st && stk_profile_read(out, stk_blob_bytes(&json), err)) st = fail_in(path, err);
    stk_blob_release(&json);
    return st;
}
