/* Runs models with parameters and images computed from name and index, by the formula of
 * scripts/golden/make_models.py, and reads PyTorch's results for them. */
#ifndef STK_TESTS_MODEL_SUPPORT_H
#define STK_TESTS_MODEL_SUPPORT_H

#include "harness.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline uint32_t name_hash(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    return hash;
}

/* From -0.5 to 0.5. */
static inline double noise_at(uint32_t hash, int64_t index)
{
    uint32_t x = hash + (uint32_t)index * 2654435761u;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return (x ^ x >> 16) / 4294967296.0 - 0.5;
}

static inline bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static inline int64_t count_of(const stk_shape *shape)
{
    int64_t count = 1;
    for (int i = 0; i < shape->rank; i++)
        count *= shape->dim[i];
    return count;
}

static inline void fill_variable(const char *name, const stk_shape *shape, float *values)
{
    int64_t  count = count_of(shape);
    uint32_t hash = name_hash(name);
    double   shift = 0, factor = 0.2;
    if (ends_with(name, "running_var"))
        shift = 1, factor = 1;
    else if (shape->rank == 1 && ends_with(name, "weight"))
        shift = 1, factor = 0.4;
    else if (shape->rank == 2 || shape->rank == 4)
        factor = sqrt(24 / ((double)count / (double)shape->dim[0]));
    for (int64_t i = 0; i < count; i++)
        values[i] = (float)(shift + factor * noise_at(hash, i));
}

static inline void fill_images(const char *name, float *values, int64_t count)
{
    uint32_t hash = name_hash(name);
    for (int64_t i = 0; i < count; i++)
        values[i] = (float)(2 * noise_at(hash, i));
}

static inline void fill_variables(stk_variables *variables)
{
    stk_error err;
    for (size_t i = 0; i < stk_variables_count(variables); i++) {
        stk_variable_info info = stk_variables_at(variables, i);
        if (info.role != STK_VARIABLE_PARAMETER && info.role != STK_VARIABLE_STATISTIC) continue;
        size_t bytes = (size_t)count_of(&info.shape) * sizeof(float);
        float *values = malloc(bytes);
        EXPECT(values != NULL);
        fill_variable(info.name, &info.shape, values);
        EXPECT_OK(stk_variables_write(variables, i, values, bytes, &err));
        free(values);
    }
}

/* Reads the numbers after "key:" in a golden file; returns their count. */
static inline int golden_numbers(const char *file, const char *key, double *numbers, int capacity)
{
    char path[256], start[64];
    snprintf(path, sizeof path, "%s/models/%s", STK_TEST_DATA, file);
    snprintf(start, sizeof start, "%s: ", key);
    stk_bytes bytes = stk_test_read_file(path);
    char     *text = strndup((const char *)bytes.data, bytes.size), *line = strstr(text, start);
    int       count = 0;
    if (!line) fail_msg("no line \"%s\" in %s", start, path);
    for (char *at = line + strlen(start), *end; count < capacity; at = end) {
        while (*at == ' ')
            at++;
        if (*at == '\n') break;
        numbers[count++] = strtod(at, &end);
    }
    free(text);
    return count;
}

#endif
