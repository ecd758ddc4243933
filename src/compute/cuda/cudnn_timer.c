#include "compute/cuda/cudnn_timer.h"
#include <stdlib.h>

static stk_status check(cudaError_t status, const char *tried, stk_error *err)
{
    if (status == cudaSuccess) return STK_OK;
    return stk_fail(err, STK_E_IO, "cuda", tried, "%s", cudaGetErrorString(status));
}

stk_status stk_timer_init(stk_timer *timer, cudaStream_t stream, int sets, stk_error *err)
{
    *timer = (stk_timer){.stream = stream, .sets = sets};
    STK_TRY(check(cudaEventCreate(&timer->begin), "cudaEventCreate", err));
    return check(cudaEventCreate(&timer->end), "cudaEventCreate", err);
}

void stk_timer_release(stk_timer *timer)
{
    if (timer->begin) cudaEventDestroy(timer->begin);
    if (timer->end) cudaEventDestroy(timer->end);
    *timer = (stk_timer){0};
}

static stk_status sample(stk_timer *t, stk_status (*run)(void *context, int set, stk_error *err),
                         void *context, double *us, stk_error *err)
{
    float milliseconds;
    STK_TRY(check(cudaEventRecord(t->begin, t->stream), "cudaEventRecord", err));
    for (int i = 0; i < t->sets; i++)
        STK_TRY(run(context, i, err));
    STK_TRY(check(cudaEventRecord(t->end, t->stream), "cudaEventRecord", err));
    STK_TRY(check(cudaEventSynchronize(t->end), "kernels that are timed", err));
    STK_TRY(
        check(cudaEventElapsedTime(&milliseconds, t->begin, t->end), "cudaEventElapsedTime", err));
    *us = 1e3 * milliseconds / t->sets;
    return STK_OK;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Microseconds above which noise is negligible: one sample suffices. */
static const double long_enough = 2000;

stk_status stk_timer_median(stk_timer *timer, int samples, double limit,
                            stk_status (*run)(void *context, int set, stk_error *err),
                            void *context, double *us, stk_error *err)
{
    double list[STK_TIMER_SAMPLES];
    STK_TRY(sample(timer, run, context, &list[0], err));
    STK_TRY(sample(timer, run, context, us, err));
    if ((limit > 0 && *us > limit) || *us * timer->sets > long_enough) return STK_OK;
    for (int i = 0; i < samples; i++)
        STK_TRY(sample(timer, run, context, &list[i], err));
    qsort(list, (size_t)samples, sizeof *list, by_value);
    *us = list[samples / 2];
    return STK_OK;
}
