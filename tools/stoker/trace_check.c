/* stoker trace check: validates a trace. */
#include "format.h"
#include "text.h"
#include "trace_common.h"

#include <string.h>

typedef struct values {
    cli_trace_values trace;
} values;

static const values defaults = {.trace = {.json = false}};

static const cli_option options[] = {CLI_TRACE_OPTIONS(values, trace)};

typedef struct line {
    const char *key, *text;
    uint64_t    value;
    bool        wrong; /* a non-zero count is an error */
} line;

enum { LINES_MAX = 24 };

static size_t list_findings(const stk_timeline_findings *f, line *lines)
{
    const line all[] = {
        {"events", "events", f->events, false},
        {"spans", "spans", f->spans, false},
        {"counters", "values of counters", f->counters, false},
        {"instants", "instants", f->instants, false},
        {"flows", "arrows", f->flows, false},
        {"names", "names and other metadata", f->names, false},
        {"others", "of other kinds", f->others, false},
        {"steps", "steps", f->steps, false},
        {"rows", "rows with spans", f->rows, false},
        {"devices", "of them of devices", f->devices, false},
        {"begins_open", "begun and never ended", f->begins_open, true},
        {"ends_alone", "ended and never begun", f->ends_alone, true},
        {"flows_alone", "arrows without a beginning", f->flows_alone, true},
        {"without_times", "without a time, or of negative length", f->without_times, true},
        {"crossing", "overlap another of their row without being inside it", f->crossing, true},
        {"dropped", "lost while recording, says the tool", f->dropped, true},
        {"left_out", "left out by --events", f->left_out, false},
    };
    memcpy(lines, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* Lost events do not make a file invalid. */
static bool is_sound(const stk_timeline_findings *f)
{
    return !f->cut && !f->begins_open && !f->ends_alone && !f->flows_alone && !f->without_times &&
           !f->crossing;
}

static int print_text(const cli_invocation *call, const stk_timeline *t,
                      const stk_timeline_findings *f)
{
    const values   *v = call->values;
    const cli_style style = cli_style_for(stdout, v->trace.color);
    line            lines[LINES_MAX];
    char            count[CLI_FORMAT_CAPACITY], time[CLI_TRACE_CAPACITY];
    cli_text_print(stdout, call->operands[0]);
    printf("  %s, %s\n", stk_timeline_tool_name(stk_timeline_made_by(t)),
           cli_trace_time(time, (double)f->ns));
    const size_t total = list_findings(f, lines);
    for (size_t i = 0; i < total; i++) {
        const bool bad = lines[i].wrong && lines[i].value;
        if (!lines[i].value && i) continue;
        printf("  %s%12s%s  %s\n", bad ? style.bad : "", cli_format_count(count, lines[i].value),
               bad ? style.plain : "", lines[i].text);
    }
    if (f->cut) printf("  %sthe file ends before its end%s\n", style.bad, style.plain);
    printf("%s\n", is_sound(f) ? "sound" : "not sound");
    return CLI_EXIT_OK;
}

static int print_json(const cli_invocation *call, const stk_timeline *t,
                      const stk_timeline_findings *f)
{
    cli_json_out out;
    line         lines[LINES_MAX];
    const size_t total = list_findings(f, lines);
    cli_json_out_begin(&out);
    stk_json_object(&out.writer);
    stk_json_pair_string(&out.writer, "trace", call->operands[0]);
    stk_json_pair_string(&out.writer, "tool", stk_timeline_tool_name(stk_timeline_made_by(t)));
    stk_json_pair_bool(&out.writer, "sound", is_sound(f));
    stk_json_pair_bool(&out.writer, "cut", f->cut);
    stk_json_pair_uint(&out.writer, "ns", f->ns);
    for (size_t i = 0; i < total; i++)
        stk_json_pair_uint(&out.writer, lines[i].key, lines[i].value);
    stk_json_object_end(&out.writer);
    return cli_json_out_end(&out, call);
}

static int run(const cli_invocation *call)
{
    const values         *v = call->values;
    stk_timeline         *t;
    stk_timeline_findings f;
    stk_error             err;
    if (cli_trace_load(&t, call->operands[0], &v->trace, call->command, &err))
        return cli_report_error(call->command, &err, NULL);
    stk_timeline_validate(t, &f);
    int code = v->trace.json ? print_json(call, t, &f) : print_text(call, t, &f);
    if (!code && !is_sound(&f)) code = CLI_EXIT_FAILED;
    stk_timeline_free(t);
    return code;
}

const cli_command cli_command_trace_check = {
    .name = "trace check",
    .summary = "is a trace valid and whole: counts, nesting, losses",
    .operands = "TRACE",
    .description =
        "Reads a trace and counts what is in it. Exit code 1 when it is no trace, is cut off, or "
        "has "
        "spans that never end, arrows that never begin, negative times, or spans of one row that "
        "overlap without one being inside the other, which viewers show wrongly.",
    .examples = "stoker trace check trace.json.gz\n"
                "stoker trace check --json trace.json.gz | jq .sound",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .run = run,
};
