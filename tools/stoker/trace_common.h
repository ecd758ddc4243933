/* What the parts of `stoker trace` share: flags, reading with progress, how times look. */
#ifndef STK_TOOLS_TRACE_COMMON_H
#define STK_TOOLS_TRACE_COMMON_H

#include "command.h"
#include "json_out.h"
#include "progress.h"
#include "table.h"

#include <stoker/timeline_analysis.h>

typedef struct stk_trace_values {
    bool        json, quiet;
    int64_t     events;
    const char *color;
} stk_trace_values;

#define STK_TRACE_OPTIONS(type, member)                                                            \
    {.name = "events",                                                                             \
     .metavar = "N",                                                                               \
     .kind = STK_OPTION_INTEGER,                                                                   \
     .target = offsetof(type, member.events),                                                      \
     .least = 0,                                                                                   \
     .most = 1e12,                                                                                 \
     .group = "Common",                                                                            \
     .help = "most events to keep, of the first whole steps (default 0: 4 million)"},              \
        {.name = "color",                                                                          \
         .metavar = "WHEN",                                                                        \
         .kind = STK_OPTION_CHOICE,                                                                \
         .target = offsetof(type, member.color),                                                   \
         .choice = stk_color_choice,                                                               \
         .group = "Common",                                                                        \
         .help = "colours: auto (on a terminal), always, never"},                                  \
        {.name = "json",                                                                           \
         .kind = STK_OPTION_FLAG,                                                                  \
         .target = offsetof(type, member.json),                                                    \
         .group = "Common",                                                                        \
         .help = "print the result as JSON"},                                                      \
    {                                                                                              \
        .name = "quiet", .letter = 'q', .kind = STK_OPTION_FLAG,                                   \
        .target = offsetof(type, member.quiet), .group = "Common",                                 \
        .help = "show no progress and no hints; results and errors only"                           \
    }

/* Reads a trace. What is missing of it is told on stderr. */
STK_NODISCARD stk_status stk_trace_load(stk_timeline **out, const char *path,
                                        const stk_trace_values *values, const stk_command *command,
                                        stk_error *err);
/* For stk_timeline_options and its like: context is a stk_progress. */
void stk_trace_show_progress(void *context, uint64_t done, uint64_t size);

enum { STK_TRACE_ROOM = 160 };

/* "374 ns", "12.3 us", "4.56 ms", "1.23 s"; signed. Returns text. */
char *stk_trace_time(char text[STK_TRACE_ROOM], double ns);
/* "17.7 to 19.5 ms": both in the unit of the larger. Returns text. */
char *stk_trace_range(char text[STK_TRACE_ROOM], double low_ns, double high_ns);
/* "process / thread", as far as they have names. Returns text. */
char *stk_trace_row_name(char text[STK_TRACE_ROOM], const stk_timeline *timeline, uint32_t row);
/* "S2", or "" for no stage. */
const char *stk_trace_stage_word(stk_stage stage, char text[8]);
/* A number, or null where it is negative: not known. */
void stk_trace_pair_known(stk_json_writer *json, const char *key, double value);

#endif
