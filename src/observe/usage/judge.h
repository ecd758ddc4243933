/* Parts of the usage analysis. */
#ifndef STK_OBSERVE_USAGE_JUDGE_H
#define STK_OBSERVE_USAGE_JUDGE_H

#include "observe/usage/metric_series.h"

#include <stoker/usage.h>

/* Input of the analysis. */
typedef struct stk_usage_input {
    const stk_machine_info    *machine;
    const stk_resource_sample *samples;
    size_t                     count;
    unsigned                   gpus; /* bit mask of the GPUs in use */
} stk_usage_input;

/* offset: of a member of stk_resource_sample, or with gpus of stk_gpu_sample. */
stk_metric_series stk_usage_series(const stk_usage_input *c, size_t offset);
stk_metric_series stk_usage_gpu_series(const stk_usage_input *c, size_t offset, unsigned gpus);

/* Each fills its part of usage. */
void stk_usage_find(stk_usage *usage, const stk_usage_input *c);   /* findings */
void stk_usage_decide(stk_usage *usage, const stk_usage_input *c); /* limit, verdict, advice */

/* Write "12.3 MB" or "45 %" to text and return it. */
enum { STK_USAGE_NUMBER = 32 };
char *stk_usage_bytes(char text[STK_USAGE_NUMBER], double bytes);
char *stk_usage_percent(char text[STK_USAGE_NUMBER], double fraction);

#endif
