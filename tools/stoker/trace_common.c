/* Shared by the parts of `stoker trace`. */
#include "trace_common.h"

#include "format.h"
#include "signals.h"
#include "text.h"

#include <math.h>
#include <string.h>

void cli_trace_show_progress(void *context, uint64_t done, uint64_t size)
{
    cli_progress_update(context, done, size, 0, 0);
}

static void print_losses(const stk_timeline *t, const char *path, const cli_command *command)
{
    char count[CLI_FORMAT_CAPACITY];
    if (stk_timeline_cut(t)) {
        fprintf(stderr, "stoker %s: ", command->name);
        cli_text_print(stderr, path);
        fprintf(stderr, " is cut off: what is whole of it is told\n");
    }
    if (stk_timeline_left_out(t)) {
        fprintf(stderr, "stoker %s: ", command->name);
        cli_text_print(stderr, path);
        fprintf(stderr, ": %s events were left out; --events keeps more\n",
                cli_format_count(count, stk_timeline_left_out(t)));
    }
}

stk_status cli_trace_load(stk_timeline **out, const char *path, const cli_trace_values *values,
                          const cli_command *command, stk_error *err)
{
    cli_progress progress;
    cli_progress_begin(&progress, "reading", values->quiet);
    const stk_timeline_options options = {.max_events = (uint64_t)values->events,
                                          .cancel = cli_signals_token(),
                                          .progress = cli_trace_show_progress,
                                          .context = &progress};
    const stk_status           st = stk_timeline_read(out, path, &options, err);
    cli_progress_end(&progress);
    if (!st && !values->quiet) print_losses(*out, path, command);
    return st;
}

typedef struct unit {
    double      ns;
    const char *name;
} unit;

static unit unit_of(double ns)
{
    static const unit units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    int               i = 0;
    while (i < 3 && fabs(ns) < units[i].ns * 0.9995)
        i++;
    return units[i];
}

/* Three digits; nanoseconds have no decimals. */
static int decimals(double ns, unit in)
{
    const double value = fabs(ns / in.ns);
    return in.ns == 1 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
}

char *cli_trace_time(char text[CLI_TRACE_CAPACITY], double ns)
{
    const unit in = unit_of(ns);
    snprintf(text, CLI_TRACE_CAPACITY, "%.*f %s", decimals(ns, in), ns / in.ns, in.name);
    return text;
}

char *cli_trace_range(char text[CLI_TRACE_CAPACITY], double low_ns, double high_ns)
{
    const double larger = fabs(low_ns) > fabs(high_ns) ? low_ns : high_ns;
    const unit   in = unit_of(larger);
    const int    digits = decimals(larger, in);
    snprintf(text, CLI_TRACE_CAPACITY, "%.*f to %.*f %s", digits, low_ns / in.ns, digits,
             high_ns / in.ns, in.name);
    return text;
}

char *cli_trace_row_name(char text[CLI_TRACE_CAPACITY], const stk_timeline *timeline, uint32_t row)
{
    const stk_timeline_row *r = stk_timeline_row_at(timeline, row);
    const char             *process = stk_timeline_text(timeline, r->process_name);
    const char             *thread = stk_timeline_text(timeline, r->thread_name);
    char                    number[32];
    snprintf(number, sizeof number, "thread %lld", (long long)r->thread);
    snprintf(text, CLI_TRACE_CAPACITY, "%.70s%s%.70s", process, process[0] ? " / " : "",
             thread[0] ? thread : number);
    return text;
}

const char *cli_trace_stage_word(stk_stage stage, char text[8])
{
    snprintf(text, 8, "%.2s", stage == STK_STAGE_NONE ? "" : stk_stage_name(stage));
    return text;
}

void cli_trace_pair_known(stk_json_writer *json, const char *key, double value)
{
    stk_json_key(json, key);
    if (value < 0)
        stk_json_null(json);
    else
        stk_json_double(json, value);
}
