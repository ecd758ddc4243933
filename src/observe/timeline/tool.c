/* Identifies the tool that wrote a trace, and labels events by its table. */
#include "observe/timeline/tool.h"

#include <stdlib.h>

static const stk_tool *const tools[] = {
    [STK_TIMELINE_UNKNOWN] = &stk_tool_unknown,
    [STK_TIMELINE_STOKER] = &stk_tool_stoker,
    [STK_TIMELINE_KINETO] = &stk_tool_kineto,
    [STK_TIMELINE_TENSORFLOW] = &stk_tool_tensorflow,
};

const stk_tool *stk_tool_of(const stk_timeline *timeline)
{
    return tools[timeline->tool];
}

const char *stk_timeline_tool_name(stk_timeline_tool tool)
{
    return (unsigned)tool < sizeof tools / sizeof *tools ? tools[tool]->name : "unknown";
}

/* Backtracks to the last '*' on a mismatch. */
bool stk_tool_fits(const char *pattern, const char *text)
{
    const char *star = NULL, *resume = text;
    while (*text)
        if (*pattern == '*') {
            star = pattern++;
            resume = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++resume;
        } else {
            return false;
        }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

static bool fits_any(const char *const *patterns, const char *text)
{
    for (; patterns && *patterns; patterns++)
        if (stk_tool_fits(*patterns, text)) return true;
    return false;
}

static bool has_text(const stk_timeline *t, const char *text)
{
    return stk_string_table_find(&t->texts, text) != 0;
}

static bool has_stages(const stk_timeline *t)
{
    for (int s = STK_STAGE_READ; s < STK_STAGE_COUNT; s++)
        if (has_text(t, stk_stage_name((stk_stage)s))) return true;
    return false;
}

static bool has_tensorflow_processes(const stk_timeline *t)
{
    for (size_t i = 0; i < stk_timeline_row_count(t); i++) {
        const char *name = stk_timeline_text(t, stk_timeline_tracks(t)[i].row.process_name);
        if (stk_tool_fits("*/device:*", name) || stk_tool_fits("/host:*", name)) return true;
    }
    return false;
}

/* Our traces also look like Kineto's, so stages are checked first. */
static stk_timeline_tool find_tool(const stk_timeline *t)
{
    if (t->origin.is_stoker || has_stages(t)) return STK_TIMELINE_STOKER;
    if (t->origin.is_kineto || has_text(t, "cpu_op") || has_text(t, "cuda_runtime"))
        return STK_TIMELINE_KINETO;
    return has_tensorflow_processes(t) ? STK_TIMELINE_TENSORFLOW : STK_TIMELINE_UNKNOWN;
}

static void label_rows(stk_timeline *t, const stk_tool *tool)
{
    for (size_t i = 0; i < stk_timeline_row_count(t); i++) {
        stk_timeline_track *track = &stk_timeline_tracks(t)[i];
        const char         *thread = stk_timeline_text(t, track->row.thread_name);
        track->is_derived = fits_any(tool->derived_threads, thread);
        track->row.is_device =
            fits_any(tool->device_processes, stk_timeline_text(t, track->row.process_name)) ||
            fits_any(tool->device_labels, stk_timeline_text(t, track->labels)) ||
            fits_any(tool->device_threads, thread);
        if (track->is_derived) track->row.is_device = false;
        track->is_background = fits_any(tool->background_threads, thread);
    }
}

static const stk_tool_rule *find_rule(const stk_tool *tool, bool device, const char *category,
                                      const char *name)
{
    for (size_t i = 0; i < tool->rule_count; i++) {
        const stk_tool_rule *rule = &tool->rules[i];
        if (rule->row_kind && (rule->row_kind == STK_TOOL_DEVICE) != device) continue;
        if (rule->category && !stk_tool_fits(rule->category, category)) continue;
        if (rule->name && !stk_tool_fits(rule->name, name)) continue;
        return rule;
    }
    return NULL;
}

/* "ProfilerStep#12", "train 12": the number at the end. */
static double number_at_end(const char *name)
{
    size_t end = strlen(name), begin = end;
    while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9')
        begin--;
    return begin < end ? strtod(name + begin, NULL) : -1;
}

/* Memo: events of a name mostly have one category. */
typedef struct memo {
    uint32_t             category; /* plus 1; 0: empty */
    bool                 device;
    const stk_tool_rule *rule;
} memo;

static void label_event(const stk_timeline *t, const stk_tool *tool, stk_timeline_event *event,
                        memo *m)
{
    const stk_timeline_track *track = &stk_timeline_tracks(t)[event->row];
    const bool                device = track->row.is_device;
    if (track->is_derived) return;
    if (m->category != event->category + 1 || m->device != device) {
        *m = (memo){.category = event->category + 1, .device = device};
        m->rule = find_rule(tool, device, stk_timeline_text(t, event->category),
                            stk_timeline_text(t, event->name));
    }
    /* Steps may be identified by an argument already. */
    if (event->kind != STK_TIMELINE_SPAN || !m->rule) return;
    if (m->rule->kind == STK_TIMELINE_STEP) {
        const double number = number_at_end(stk_timeline_text(t, event->name));
        if (number < 0) return;
        event->value = number;
    }
    event->kind = m->rule->kind;
    event->stage = m->rule->stage;
}

stk_status stk_tool_label(stk_timeline *timeline, stk_error *err)
{
    timeline->tool = find_tool(timeline);
    const stk_tool *tool = stk_tool_of(timeline);
    memo           *memos = calloc(stk_string_table_count(&timeline->texts), sizeof *memos);
    if (!memos) return stk_fail(err, STK_E_NOMEM, "trace", NULL, "no memory to label events");
    label_rows(timeline, tool);
    for (size_t i = 0; i < stk_timeline_count(timeline); i++) {
        stk_timeline_event *event = &stk_timeline_events(timeline)[i];
        label_event(timeline, tool, event, &memos[event->name]);
    }
    free(memos);
    return STK_OK;
}
