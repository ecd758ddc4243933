/* What the events of a tool mean. Each tool is one table: the first rule that fits an event's
 * category and name gives its kind and stage. */
#ifndef STK_OBSERVE_TIMELINE_TOOL_H
#define STK_OBSERVE_TIMELINE_TOOL_H

#include "observe/timeline/timeline_internal.h"

/* Where a rule holds. */
typedef enum stk_tool_row_kind {
    STK_TOOL_ANYWHERE,
    STK_TOOL_DEVICE,
    STK_TOOL_HOST
} stk_tool_row_kind;

typedef struct stk_tool_rule {
    stk_tool_row_kind row_kind;
    const char       *category, *name; /* '*' stands for any text; NULL fits all */
    stk_timeline_kind kind;
    stk_stage         stage;
} stk_tool_rule;

typedef struct stk_tool {
    const char          *name;
    const stk_tool_rule *rules;
    size_t               rule_count;
    /* Patterns of the names of a row that is a device's, or whose work nobody waits for directly;
     * NULL at the end. Of process, process_labels, thread. */
    const char *const *device_processes, *const *device_labels, *const *device_threads;
    const char *const
        *waiting_devices; /* of these, launches last as long as their kernels; or NULL */
    const char *const *background_threads;
    /* Rows that tell again what others tell. */
    const char *const *derived_threads;
    /* Only the row with the steps tells what was waited for; other rows are work. */
    bool only_step_row_exposed;
    /* What such traces cannot tell; lines, NULL at the end. */
    const char *const *missing;
} stk_tool;

extern const stk_tool stk_tool_stoker;
extern const stk_tool stk_tool_kineto;
extern const stk_tool stk_tool_tensorflow;
extern const stk_tool stk_tool_unknown;

const stk_tool *stk_tool_of(const stk_timeline *timeline);

/* Finds out the tool, the devices, and the kind and stage of every event. */
STK_NODISCARD stk_status stk_tool_label(stk_timeline *timeline, stk_error *err);

bool stk_tool_fits(const char *pattern, const char *text);

#endif
