/* Event tables of tools. The first rule that matches an event's category and name gives its kind
 * and stage. */
#ifndef STK_OBSERVE_TIMELINE_TOOL_H
#define STK_OBSERVE_TIMELINE_TOOL_H

#include "observe/timeline/timeline_internal.h"

/* The rows that a rule applies to. */
typedef enum stk_tool_row_kind {
    STK_TOOL_ANYWHERE,
    STK_TOOL_DEVICE,
    STK_TOOL_HOST
} stk_tool_row_kind;

typedef struct stk_tool_rule {
    stk_tool_row_kind row_kind;
    const char       *category, *name; /* '*' matches any text; NULL matches all */
    stk_timeline_kind kind;
    stk_stage         stage;
} stk_tool_rule;

typedef struct stk_tool {
    const char          *name;
    const stk_tool_rule *rules;
    size_t               rule_count;
    /* Name patterns of device rows and of background rows; NULL-terminated. They match the process,
     * the process labels, or the thread. */
    const char *const *device_processes, *const *device_labels, *const *device_threads;
    const char *const
        *waiting_devices; /* of these devices, launches last as long as their kernels; or NULL */
    const char *const *background_threads;
    /* Rows that repeat events of others. */
    const char *const *derived_threads;
    /* Only the row with the steps shows waits; other rows are work. */
    bool only_step_row_exposed;
    /* What such traces lack; lines, NULL-terminated. */
    const char *const *missing;
} stk_tool;

extern const stk_tool stk_tool_stoker;
extern const stk_tool stk_tool_kineto;
extern const stk_tool stk_tool_tensorflow;
extern const stk_tool stk_tool_unknown;

const stk_tool *stk_tool_of(const stk_timeline *timeline);

/* Identifies the tool and the devices, and labels each event with kind and stage. */
STK_NODISCARD stk_status stk_tool_label(stk_timeline *timeline, stk_error *err);

bool stk_tool_fits(const char *pattern, const char *text);

#endif
