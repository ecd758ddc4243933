/* Our own traces: the category is the stage. */
#include "observe/timeline/tool.h"

#define S(text, value)                                                                             \
    {                                                                                              \
        STK_TOOL_ANYWHERE, text " *", NULL, STK_TIMELINE_SPAN, value                               \
    }

static const stk_tool_rule rules[] = {
    {STK_TOOL_ANYWHERE, "user_annotation", "ProfilerStep#*", STK_TIMELINE_STEP, STK_STAGE_NONE},
    S("S1", STK_STAGE_READ),
    S("S2", STK_STAGE_PREPROCESS),
    S("S3", STK_STAGE_HOST_TO_DEVICE),
    S("S4", STK_STAGE_COMPUTE),
    S("S5", STK_STAGE_ALLREDUCE),
    S("S6", STK_STAGE_DEVICE_TO_HOST),
    S("S7", STK_STAGE_OUTPUT),
    S("S8", STK_STAGE_WRITE),
    /* Device rows use Kineto's words. */
    {STK_TOOL_ANYWHERE, "kernel", "nccl*", STK_TIMELINE_SPAN, STK_STAGE_ALLREDUCE},
    {STK_TOOL_ANYWHERE, "kernel", NULL, STK_TIMELINE_SPAN, STK_STAGE_COMPUTE},
    {STK_TOOL_ANYWHERE, "gpu_memcpy", "*HtoD*", STK_TIMELINE_SPAN, STK_STAGE_HOST_TO_DEVICE},
    {STK_TOOL_ANYWHERE, "gpu_memcpy", "*DtoH*", STK_TIMELINE_SPAN, STK_STAGE_DEVICE_TO_HOST},
    {STK_TOOL_ANYWHERE, "cuda_runtime", NULL, STK_TIMELINE_LAUNCH, STK_STAGE_NONE},
    {STK_TOOL_ANYWHERE, "cpu_op", NULL, STK_TIMELINE_SPAN, STK_STAGE_COMPUTE},
};

static const char *const devices[] = {"* compute", "cuda:*", "gpu:*", NULL};
static const char *const waiting[] = {"cpu:*", NULL};
static const char *const missing[] = {NULL};

const stk_tool stk_tool_stoker = {
    .name = "stoker",
    .rules = rules,
    .rule_count = sizeof rules / sizeof *rules,
    .device_processes = devices,
    .waiting_devices = waiting,
    .only_step_row_exposed = true,
    .missing = missing,
};
