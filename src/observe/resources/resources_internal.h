/* A sampler with other sources, for tests. */
#ifndef STK_OBSERVE_RESOURCES_RESOURCES_INTERNAL_H
#define STK_OBSERVE_RESOURCES_RESOURCES_INTERNAL_H

#include "observe/resources/gpu.h"

typedef struct stk_resources_paths {
    const char   *root; /* contains proc and sys */
    stk_gpu_paths gpu;
} stk_resources_paths;

STK_NODISCARD stk_status stk_resources_open_at(stk_resources **out, int process,
                                               const stk_resources_paths *paths, stk_error *err);
/* Samples as if at now_ns of the monotonic clock. */
void stk_resources_sample_at(stk_resources *resources, uint64_t now_ns, stk_resource_sample *out);

#endif
