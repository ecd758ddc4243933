/* Merges samples by their mean, which preserves rates; peaks are kept separately. A sample is
 * treated as an array of doubles. */
#include "observe/resources/series.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST = offsetof(stk_resource_sample, cpu) / sizeof(double),
    COUNT = offsetof(stk_resource_sample, gpu_count) / sizeof(double),
    GPU = sizeof(stk_gpu_sample) / sizeof(double)
};

stk_status stk_series_init(stk_series *series, size_t capacity, stk_error *err)
{
    *series = (stk_series){.capacity = capacity / 2 * 2, .merged = 1};
    series->samples = calloc(series->capacity, sizeof *series->samples);
    if (!series->samples)
        return stk_fail(err, STK_E_NOMEM, "resources", NULL, "no memory for %zu samples", capacity);
    return STK_OK;
}

void stk_series_release(stk_series *series)
{
    free(series->samples);
    *series = (stk_series){0};
}

/* Weighted mean of a (weight) and b; an unknown one is ignored. */
static double mean(double a, double b, double weight)
{
    if (a < 0) return b;
    return b < 0 ? a : (a * weight + b) / (weight + 1);
}

static double larger(double a, double b, double weight)
{
    (void)weight;
    return a > b ? a : b;
}

static void combine(stk_resource_sample *a, const stk_resource_sample *b, double weight,
                    double (*how)(double, double, double))
{
    double       *x = (double *)a;
    const double *y = (const double *)b;
    for (size_t i = FIRST; i < COUNT; i++)
        x[i] = how(x[i], y[i], weight);
    for (int g = 0; g < b->gpu_count; g++) {
        double       *to = (double *)&a->gpus[g];
        const double *from = (const double *)&b->gpus[g];
        for (size_t i = 0; i < GPU; i++)
            to[i] = g < a->gpu_count ? how(to[i], from[i], weight) : from[i];
    }
    if (b->gpu_count > a->gpu_count) a->gpu_count = b->gpu_count;
}

/* A merged sample covers the time until its end, like all others. */
static void merge(stk_resource_sample *a, const stk_resource_sample *b, double weight)
{
    combine(a, b, weight, mean);
    a->seconds = b->seconds;
}

static void halve(stk_series *s)
{
    for (size_t i = 0; i < s->count / 2; i++) {
        const stk_resource_sample second = s->samples[2 * i + 1];
        s->samples[i] = s->samples[2 * i];
        merge(&s->samples[i], &second, 1);
    }
    s->count /= 2;
    s->merged *= 2;
    s->part = s->merged;
}

void stk_series_add(stk_series *series, const stk_resource_sample *sample)
{
    stk_series *s = series;
    if (!s->count)
        s->peaks = *sample;
    else
        combine(&s->peaks, sample, 1, larger);
    s->peaks.seconds = sample->seconds;
    if (s->count && s->part < s->merged) {
        merge(&s->samples[s->count - 1], sample, (double)s->part++);
        return;
    }
    if (s->count == s->capacity) halve(s);
    s->samples[s->count++] = *sample;
    s->part = 1;
}
