/* Traces of other tools: rules by names that all tools share. */
#include "observe/timeline/tool.h"

static const stk_tool_rule rules[] = {
    {STK_TOOL_HOST, NULL, "ProfilerStep#*", STK_TIMELINE_STEP, STK_STAGE_NONE},
    {STK_TOOL_ANYWHERE, "kernel", NULL, STK_TIMELINE_SPAN, STK_STAGE_COMPUTE},
};

static const char *const devices[] = {"GPU *", "*/device:*", NULL};
static const char *const missing[] = {
    "the tool that wrote this trace is not known: stages of its events are not told", NULL};

const stk_tool stk_tool_unknown = {
    .name = "unknown",
    .rules = rules,
    .rule_count = sizeof rules / sizeof *rules,
    .device_processes = devices,
    .missing = missing,
};
