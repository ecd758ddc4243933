/* A small set of variables of all roles and several types, whose content is a function of a seed;
 * and a run state likewise. Included by tests. */
#ifndef STK_TESTS_CHECKPOINT_SUPPORT_H
#define STK_TESTS_CHECKPOINT_SUPPORT_H

#include "compute/runtime/device_variables.h"
#include "harness.h"
#include "train/checkpoint/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RUN_CAPACITY = 1 << 19, PATH_CAPACITY = 512 };

typedef struct run_variable {
    const char       *name;
    stk_dtype         dtype;
    stk_shape         shape;
    stk_variable_role role;
} run_variable;

static const run_variable usual_variables[] = {
    {"conv1.weight", STK_DTYPE_F32, {4, {4, 3, 3, 3}}, STK_VARIABLE_PARAMETER},
    {"bn1.running_mean", STK_DTYPE_F32, {1, {4}}, STK_VARIABLE_STATISTIC},
    {"fc.weight", STK_DTYPE_F32, {2, {10, 4}}, STK_VARIABLE_PARAMETER},
    {"fc.bias", STK_DTYPE_F32, {1, {10}}, STK_VARIABLE_PARAMETER},
    {"optimizer.momentum/fc.weight", STK_DTYPE_F32, {2, {10, 4}}, STK_VARIABLE_OPTIMIZER},
    {"ema.fc.weight", STK_DTYPE_F32, {2, {10, 4}}, STK_VARIABLE_OPTIMIZER},
    {"optimizer.count", STK_DTYPE_I64, {0, {0}}, STK_VARIABLE_OPTIMIZER},
    {"optimizer.half", STK_DTYPE_F16, {1, {3}}, STK_VARIABLE_OPTIMIZER},
    {"loss.sum", STK_DTYPE_F32, {1, {2}}, STK_VARIABLE_METRIC},
};

typedef struct run {
    stk_device    *device;
    stk_variables *variables;
    stk_run_state  state;
} run;

static inline void run_open(run *r, const run_variable *list, size_t count)
{
    stk_error err;
    EXPECT_OK(stk_device_open(&r->device, "ref", NULL, &err));
    EXPECT_OK(stk_variables_new(&r->variables, r->device, 1, &err));
    for (size_t i = 0; i < count; i++) {
        const stk_tensor_type      type = {list[i].dtype, list[i].shape};
        const stk_variable_options options = {.role = list[i].role};
        size_t                     index;
        EXPECT_OK(stk_variables_add(r->variables, list[i].name, &type, &options, &index, &err));
    }
    stk_run_state_init(&r->state, NULL);
}

static inline void run_open_usual(run *r)
{
    run_open(r, usual_variables, COUNT_OF(usual_variables));
}

static inline void run_close(run *r)
{
    stk_run_state_release(&r->state);
    stk_variables_free(r->variables);
    stk_device_free(r->device);
}

/* The content of variable index for a seed; the first words of floats are NaNs with payloads. */
static inline size_t run_content(const run *r, size_t index, uint64_t seed, uint8_t *bytes)
{
    const stk_variable_info info = stk_variables_at(r->variables, index);
    const uint32_t          odd[] = {0x7fc12345, 0xff800001, 0x80000000, 0x7f800000};
    int64_t                 count = 0;
    EXPECT(!stk_shape_count(&info.shape, &count, NULL));
    const size_t size = (size_t)count * stk_dtype_bytes(info.dtype);
    uint64_t     x = seed * 0x9e3779b97f4a7c15 + index * 77 + 1;
    EXPECT(size <= RUN_CAPACITY);
    for (size_t i = 0; i < size; i++) {
        x = x * 6364136223846793005 + 1442695040888963407;
        bytes[i] = (uint8_t)(x >> 56);
    }
    if (size >= sizeof odd) memcpy(bytes, odd, sizeof odd);
    return size;
}

static inline void run_fill_blob(stk_blob *blob, uint64_t seed, size_t size)
{
    stk_error err;
    blob->size = 0;
    for (size_t i = 0; i < size; i++)
        EXPECT_OK(stk_blob_append(blob, &(uint8_t){(uint8_t)(seed * 31 + i)}, 1, &err));
}

static inline void run_fill(run *r, uint64_t seed)
{
    static uint8_t bytes[RUN_CAPACITY];
    stk_error      err;
    for (size_t i = 0; i < stk_variables_count(r->variables); i++) {
        const size_t size = run_content(r, i, seed, bytes);
        EXPECT_OK(stk_variables_write(r->variables, i, bytes, size, &err));
    }
    r->state.step = (int64_t)seed;
    r->state.group = 2;
    r->state.group_step = INT64_MIN + (int64_t)seed;
    r->state.best_step = INT64_MAX - (int64_t)seed;
    r->state.best_accuracy = 1.0 / (double)(seed + 3);
    r->state.seconds = 1e300 / 7;
    r->state.not_better = -1;
    r->state.recipe = UINT64_MAX - seed;
    run_fill_blob(&r->state.input, seed, 5 + seed % 3);
    run_fill_blob(&r->state.schedule, seed, 0);
    run_fill_blob(&r->state.metrics, seed + 1, seed % 2 ? 9 : 0);
}

static inline bool same_blob(const stk_blob *a, const stk_blob *b)
{
    return a->size == b->size && (!a->size || !memcmp(a->data, b->data, a->size));
}

static inline bool same_numbers(const stk_run_state *a, const stk_run_state *b)
{
    return !memcmp(a, b, offsetof(stk_run_state, input));
}

/* Whether variables (but metrics) and state are those of seed. */
static inline bool run_is(const run *r, uint64_t seed)
{
    static uint8_t expected[RUN_CAPACITY], found[RUN_CAPACITY];
    run            other;
    stk_error      err;
    bool           same = true;
    for (size_t i = 0; i < stk_variables_count(r->variables); i++) {
        const size_t size = run_content(r, i, seed, expected);
        EXPECT_OK(stk_variables_read(r->variables, i, found, size, &err));
        if (stk_variables_at(r->variables, i).role != STK_VARIABLE_METRIC)
            same = same && !memcmp(expected, found, size);
    }
    run_open(&other, NULL, 0);
    run_fill(&other, seed);
    same = same && same_numbers(&r->state, &other.state) &&
           same_blob(&r->state.input, &other.state.input) &&
           same_blob(&r->state.schedule, &other.state.schedule) &&
           same_blob(&r->state.metrics, &other.state.metrics);
    run_close(&other);
    return same;
}

/* A folder of that name, made now. */
static inline const char *make_folder(const char *name)
{
    const char *path = stk_test_path(name);
    if (mkdir(path, 0777)) fail_msg("cannot make %s", path);
    return path;
}

static inline const char *step_path(const char *folder, int64_t step, char path[PATH_CAPACITY])
{
    snprintf(path, PATH_CAPACITY, "%s/step-%09lld.safetensors", folder, (long long)step);
    return path;
}

static inline stk_status write_now(run *r, const stk_filesystem *fs, const char *folder,
                                   int64_t keep, stk_error *err)
{
    stk_snapshot *snapshot;
    STK_TRY(stk_snapshot_new(&snapshot, NULL, err));
    stk_status st = stk_snapshot_take(snapshot, r->variables, &r->state, err);
    if (!st) st = stk_snapshot_write(snapshot, fs, folder, keep, err);
    stk_snapshot_free(snapshot);
    return st;
}

/* Fills with seed, which is the step too, and writes. */
static inline void write_seed(run *r, const char *folder, int64_t seed, int64_t keep)
{
    stk_error err;
    run_fill(r, (uint64_t)seed);
    EXPECT_OK(write_now(r, NULL, folder, keep, &err));
}

typedef struct warnings {
    int  count;
    char last[2048];
} warnings;

static inline void take_warning(void *context, const char *line)
{
    warnings *w = context;
    w->count++;
    snprintf(w->last, sizeof w->last, "%s", line);
}

#endif
