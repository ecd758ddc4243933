/* TensorFlow: timeline.py (one run call; operations by device) and the profiler's trace viewer
 * (XProf; threads of the host and streams of devices). */
#include "observe/timeline/tool.h"

#define SPAN(name, stage)                                                                          \
    {                                                                                              \
        STK_TOOL_ANYWHERE, NULL, name, STK_TIMELINE_SPAN, stage                                    \
    }
#define OP(name, stage)                                                                            \
    {                                                                                              \
        STK_TOOL_ANYWHERE, "Op", name, STK_TIMELINE_SPAN, stage                                    \
    }

static const stk_tool_rule rules[] = {
    {STK_TOOL_HOST, NULL, "train *", STK_TIMELINE_STEP, STK_STAGE_NONE},

    SPAN("MEMCPYHtoD*", STK_STAGE_HOST_TO_DEVICE),
    SPAN("MEMCPYDtoH*", STK_STAGE_DEVICE_TO_HOST),
    SPAN("MemcpyH2D*", STK_STAGE_HOST_TO_DEVICE),
    SPAN("MemcpyD2H*", STK_STAGE_DEVICE_TO_HOST),
    SPAN("nccl*", STK_STAGE_ALLREDUCE),
    SPAN("NcclAllReduce*", STK_STAGE_ALLREDUCE),
    SPAN("CollectiveReduce*", STK_STAGE_ALLREDUCE),
    SPAN("CollectiveGather*", STK_STAGE_ALLREDUCE),

    /* Waits for input, and input work. */
    SPAN("IteratorGetNext*", STK_STAGE_PREPROCESS),
    SPAN("EagerLocalExecute: IteratorGetNext*", STK_STAGE_PREPROCESS),
    SPAN("Iterator::*TFRecord*", STK_STAGE_READ),
    SPAN("Iterator::*TextLine*", STK_STAGE_READ),
    SPAN("Iterator::*", STK_STAGE_PREPROCESS),
    SPAN("InstantiatedCapturedFunction::Run*", STK_STAGE_PREPROCESS),
    SPAN("QueueDequeue*", STK_STAGE_PREPROCESS),
    SPAN("PyFunc*", STK_STAGE_PREPROCESS),
    SPAN("EagerPyFunc*", STK_STAGE_PREPROCESS),
    SPAN("Decode*", STK_STAGE_PREPROCESS),
    SPAN("ParseExample*", STK_STAGE_PREPROCESS),
    SPAN("ParseSingleExample*", STK_STAGE_PREPROCESS),
    SPAN("ReadFile*", STK_STAGE_READ),
    SPAN("ReaderRead*", STK_STAGE_READ),
    SPAN("SaveV2*", STK_STAGE_WRITE),
    SPAN("MergeV2Checkpoints*", STK_STAGE_WRITE),
    SPAN("WriteSummary*", STK_STAGE_OUTPUT),
    SPAN("WriteScalarSummary*", STK_STAGE_OUTPUT),

    {STK_TOOL_HOST, NULL, "*LaunchKernel*", STK_TIMELINE_LAUNCH, STK_STAGE_NONE},
    {STK_TOOL_HOST, NULL, "ExecutorState::Process", STK_TIMELINE_SPAN, STK_STAGE_COMPUTE},
    {STK_TOOL_HOST, NULL, "EagerLocalExecute: *", STK_TIMELINE_SPAN, STK_STAGE_COMPUTE},
    {STK_TOOL_HOST, NULL, "FunctionRun", STK_TIMELINE_SPAN, STK_STAGE_COMPUTE},
    OP("_Recv", STK_STAGE_NONE),
    OP("_Send", STK_STAGE_NONE),
    OP("_HostRecv", STK_STAGE_NONE),
    OP("_HostSend", STK_STAGE_NONE),
    OP(NULL, STK_STAGE_COMPUTE),
    {STK_TOOL_DEVICE, NULL, NULL, STK_TIMELINE_SPAN, STK_STAGE_COMPUTE},
};

static const char *const devices[] = {"*/device:GPU:* Compute", "*device:GPU:*/stream:*",
                                      "/device:GPU:*", "*/device:TPU:*", NULL};
static const char *const background[] = {"tf_data_*", "*prefetch*", NULL};
static const char *const derived[] = {
    "Steps", "XLA *", "TensorFlow *", "Framework *", "Launch Stats", "Source code", NULL};
static const char *const missing[] = {
    "TensorFlow traces do not say how many samples a step has: rates are of steps", NULL};

const stk_tool stk_tool_tensorflow = {
    .name = "TensorFlow",
    .rules = rules,
    .rule_count = sizeof rules / sizeof *rules,
    .device_processes = devices,
    .background_threads = background,
    .derived_threads = derived,
    .missing = missing,
};
