/* PyTorch's profiler (Kineto). */
#include "observe/timeline/tool.h"

#define HOST(category, name, stage)                                                                \
    {                                                                                              \
        STK_TOOL_HOST, category, name, STK_TIMELINE_SPAN, stage                                    \
    }
#define DEVICE(category, name, stage)                                                              \
    {                                                                                              \
        STK_TOOL_ANYWHERE, category, name, STK_TIMELINE_SPAN, stage                                \
    }
#define LAUNCH(category, name)                                                                     \
    {                                                                                              \
        STK_TOOL_HOST, category, name, STK_TIMELINE_LAUNCH, STK_STAGE_NONE                         \
    }

static const stk_tool_rule rules[] = {
    {STK_TOOL_HOST, "user_annotation", "ProfilerStep#*", STK_TIMELINE_STEP, STK_STAGE_NONE},
    /* Older versions give annotations the category of operations. */
    {STK_TOOL_HOST, "cpu_op", "ProfilerStep#*", STK_TIMELINE_STEP, STK_STAGE_NONE},

    DEVICE("kernel", "nccl*", STK_STAGE_ALLREDUCE),
    DEVICE("kernel", "*AllReduce*", STK_STAGE_ALLREDUCE),
    DEVICE("kernel", NULL, STK_STAGE_COMPUTE),
    DEVICE("gpu_memcpy", "*HtoD*", STK_STAGE_HOST_TO_DEVICE),
    DEVICE("gpu_memcpy", "*DtoH*", STK_STAGE_DEVICE_TO_HOST),
    DEVICE("gpu_memcpy", NULL, STK_STAGE_COMPUTE),
    DEVICE("gpu_memset", NULL, STK_STAGE_COMPUTE),
    DEVICE("gpu_user_annotation", NULL, STK_STAGE_NONE),

    HOST(NULL, "enumerate(DataLoader)#*", STK_STAGE_PREPROCESS),
    HOST(NULL, "enumerate(DataPipe)#*", STK_STAGE_PREPROCESS),
    HOST("python_function", "*dataloader.py*__next__*", STK_STAGE_PREPROCESS),
    HOST("python_function", "*serialization.py*save*", STK_STAGE_WRITE),
    HOST(NULL, "nccl:*", STK_STAGE_ALLREDUCE),
    HOST(NULL, "gloo:*", STK_STAGE_ALLREDUCE),
    HOST(NULL, "mpi:*", STK_STAGE_ALLREDUCE),
    HOST(NULL, "c10d::*", STK_STAGE_ALLREDUCE),
    HOST(NULL, "Optimizer.step#*", STK_STAGE_COMPUTE),
    HOST(NULL, "Optimizer.zero_grad#*", STK_STAGE_COMPUTE),
    LAUNCH("cuda_runtime", "*Launch*"),
    LAUNCH("cuda_driver", "*Launch*"),
    HOST("cpu_op", NULL, STK_STAGE_COMPUTE),
    /* Category names of old versions. */
    HOST("Operator", NULL, STK_STAGE_COMPUTE),
    DEVICE("Kernel", NULL, STK_STAGE_COMPUTE),
};

static const char *const device_labels[] = {"GPU*", "XPU*", "HPU*", "MTIA*", NULL};
static const char *const device_threads[] = {"stream *", NULL};
static const char *const background[] = {"*pt_data_pin*", "*pt_data_worker*", NULL};
static const char *const derived[] = {"PyTorch Profiler*", "Trace PyTorch*", NULL};
static const char *const missing[] = {
    "PyTorch traces do not tell reading (S1) from preprocessing (S2): both are the wait for the "
    "DataLoader, counted as S2",
    "PyTorch traces do not say how many samples a step has: rates are of steps",
    "PyTorch traces have no span for callbacks (S7) and checkpoints (S8): their time is with no "
    "stage unless user code marked it",
    NULL};

const stk_tool stk_tool_kineto = {
    .name = "PyTorch Kineto",
    .rules = rules,
    .rule_count = sizeof rules / sizeof *rules,
    .device_labels = device_labels,
    .device_threads = device_threads,
    .background_threads = background,
    .derived_threads = derived,
    .missing = missing,
};
