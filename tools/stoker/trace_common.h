/* Shared by the parts of `stoker trace`: flags, reading with progress, formatting of times. */
#ifndef CLI_TOOLS_TRACE_COMMON_H
#define CLI_TOOLS_TRACE_COMMON_H

#include "command.h"
#include "json_out.h"
#include "progress.h"
#include "table.h"

#include <stoker/timeline_analysis.h>

typedef struct cli_trace_values {
    bool        json, quiet;
    int64_t     events;
    const char *color;
} cli_trace_values;

#define CLI_TRACE_OPTIONS(type, member)                                                            \
    {CLI_OPTION(type, member.events, "events", INTEGER, "N"), .least = 0, .most = 1e12,            \
     .group = "Common",                                                                            \
     .help = "most events to keep, of the first whole steps (default 0: 4 million)"},              \
        {CLI_OPTION(type, member.color, "color", CHOICE, "WHEN"), .choice = cli_color_choice,      \
         .group = "Common", .help = "colours: auto (on a terminal), always, never"},               \
        {CLI_OPTION(type, member.json, "json", FLAG, NULL), .group = "Common",                     \
         .help = "print the result as JSON"},                                                      \
    {                                                                                              \
        CLI_OPTION(type, member.quiet, "quiet", FLAG, NULL),                                       \
            .letter = 'q', .group = "Common",                                                      \
            .help = "show no progress and no hints; results and errors only"                       \
    }

/* Reads a trace and reports its losses on stderr. */
STK_NODISCARD stk_status cli_trace_load(stk_timeline **out, const char *path,
                                        const cli_trace_values *values, const cli_command *command,
                                        stk_error *err);
/* Progress callback of stk_timeline_options and others: context is a cli_progress. */
void cli_trace_show_progress(void *context, uint64_t done, uint64_t size);

enum { CLI_TRACE_CAPACITY = 160 };

/* Writes "374 ns", "12.3 us", "4.56 ms" or "1.23 s"; signed. Returns text. */
char *cli_trace_time(char text[CLI_TRACE_CAPACITY], double ns);
/* Writes "17.7 to 19.5 ms", both in the larger unit. Returns text. */
char *cli_trace_range(char text[CLI_TRACE_CAPACITY], double low_ns, double high_ns);
/* Writes "process / thread" as far as named. Returns text. */
char *cli_trace_row_name(char text[CLI_TRACE_CAPACITY], const stk_timeline *timeline, uint32_t row);
/* "S2", or "" for no stage. */
const char *cli_trace_stage_word(stk_stage stage, char text[8]);
/* Writes a number, or null if it is negative (not known). */
void cli_trace_pair_known(stk_json_writer *json, const char *key, double value);

#endif
