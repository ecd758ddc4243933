/* stoker trace gaps: idle gaps of a device, and the spans during them. */
#include "format.h"
#include "text.h"
#include "trace_common.h"

#include <string.h>

typedef struct values {
    cli_trace_values trace;
    int64_t          count;
} values;

static const values defaults = {.count = 10};

static const cli_option options[] = {
    {CLI_OPTION(values, count, "count", INTEGER, "N"), .letter = 'n', .least = 1, .most = 1000000,
     .group = "What to show",
     .help = "gaps to show of each device, the longest first (default 10)"},
    CLI_TRACE_OPTIONS(values, trace),
};

typedef struct session {
    const cli_invocation *call;
    const values         *values;
    stk_timeline         *timeline;
    stk_timeline_gaps     gaps;
} session;

static void print_span(const session *s, const stk_timeline_gap *gap,
                       const stk_timeline_gap_span *span)
{
    char percent[CLI_FORMAT_CAPACITY], word[8], name[300], row[CLI_TRACE_CAPACITY];
    cli_text_fit(name, sizeof name, stk_timeline_text(s->timeline, span->name), 50);
    printf("      %5s  %-2s  %s  (", cli_format_percent(percent, span->ns, gap->ns),
           cli_trace_stage_word(span->stage, word), name);
    cli_text_print(stdout, cli_trace_row_name(row, s->timeline, span->row));
    printf(")\n");
}

static void print_gap(const session *s, const stk_timeline_gap *gap, const cli_style *style)
{
    char time[CLI_TRACE_CAPACITY], at[CLI_TRACE_CAPACITY];
    printf("    %s%s%s at %s", style->bold, cli_trace_time(time, (double)gap->ns), style->plain,
           cli_trace_time(at, (double)gap->begin_ns));
    if (gap->step >= 0) printf(", step %.0f", gap->step);
    printf("\n");
    for (size_t i = 0; i < gap->span_count; i++)
        print_span(s, gap, &gap->spans[i]);
    if (!gap->span_count) printf("      nothing that the trace has spans of\n");
}

static void print_device(const session *s, const stk_timeline_idle *idle, const cli_style *style)
{
    char name[CLI_TRACE_CAPACITY], percent[CLI_FORMAT_CAPACITY], time[CLI_TRACE_CAPACITY],
        all[CLI_TRACE_CAPACITY];
    char count[CLI_FORMAT_CAPACITY];
    printf("%s", style->bold);
    cli_text_print(stdout, cli_trace_row_name(name, s->timeline, idle->row));
    printf("%s\n  idle %s of %s (%s), %s gaps\n", style->plain,
           cli_trace_time(time, (double)idle->idle_ns),
           cli_trace_time(all, (double)idle->window_ns),
           cli_format_percent(percent, idle->idle_ns, idle->window_ns),
           cli_format_count(count, idle->gaps));
    for (size_t i = 0; i < s->gaps.count; i++)
        if (s->gaps.list[i].row == idle->row) print_gap(s, &s->gaps.list[i], style);
}

static void print_causes(const session *s)
{
    uint64_t idle = 0;
    char     time[CLI_TRACE_CAPACITY], percent[CLI_FORMAT_CAPACITY];
    for (size_t i = 0; i < s->gaps.row_count; i++)
        idle += s->gaps.rows[i].idle_ns;
    if (!idle) return;
    printf("\nAll gaps, by what was done meanwhile\n");
    for (int stage = 0; stage < STK_STAGE_COUNT; stage++) {
        const uint64_t ns = s->gaps.idle_ns_by_stage[stage];
        if (!ns) continue;
        printf("  %-20s %9s  %s\n", stage ? stk_stage_name((stk_stage)stage) : "no stage",
               cli_trace_time(time, (double)ns), cli_format_percent(percent, ns, idle));
    }
}

static int print_text(const session *s)
{
    const cli_style style = cli_style_for(stdout, s->values->trace.color);
    if (!s->gaps.row_count) printf("the trace has no spans\n");
    for (size_t i = 0; i < s->gaps.row_count; i++) {
        if (i) printf("\n");
        print_device(s, &s->gaps.rows[i], &style);
    }
    print_causes(s);
    return CLI_EXIT_OK;
}

static void write_gap(stk_json_writer *json, const session *s, const stk_timeline_gap *gap)
{
    char row[CLI_TRACE_CAPACITY];
    stk_json_object(json);
    stk_json_pair_string(json, "row", cli_trace_row_name(row, s->timeline, gap->row));
    stk_json_pair_uint(json, "begin_ns", gap->begin_ns);
    stk_json_pair_uint(json, "ns", gap->ns);
    cli_trace_pair_known(json, "step", gap->step);
    stk_json_key(json, "meanwhile");
    stk_json_array(json);
    for (size_t i = 0; i < gap->span_count; i++) {
        const stk_timeline_gap_span *span = &gap->spans[i];
        stk_json_object(json);
        stk_json_pair_string(json, "name", stk_timeline_text(s->timeline, span->name));
        stk_json_pair_string(json, "row", cli_trace_row_name(row, s->timeline, span->row));
        stk_json_pair_string(json, "stage", stk_stage_name(span->stage));
        stk_json_pair_uint(json, "ns", span->ns);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
    stk_json_object_end(json);
}

static int print_json(const session *s)
{
    cli_json_out out;
    char         row[CLI_TRACE_CAPACITY];
    cli_json_out_begin(&out);
    stk_json_writer *json = &out.writer;
    stk_json_object(json);
    stk_json_pair_string(json, "trace", s->call->operands[0]);
    stk_json_pair_string(json, "tool", stk_timeline_tool_name(stk_timeline_made_by(s->timeline)));
    stk_json_key(json, "rows");
    stk_json_array(json);
    for (size_t i = 0; i < s->gaps.row_count; i++) {
        const stk_timeline_idle *idle = &s->gaps.rows[i];
        stk_json_object(json);
        stk_json_pair_string(json, "row", cli_trace_row_name(row, s->timeline, idle->row));
        stk_json_pair_bool(json, "is_device",
                           stk_timeline_row_at(s->timeline, idle->row)->is_device);
        stk_json_pair_uint(json, "window_ns", idle->window_ns);
        stk_json_pair_uint(json, "idle_ns", idle->idle_ns);
        stk_json_pair_uint(json, "gaps", idle->gaps);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
    stk_json_key(json, "gaps");
    stk_json_array(json);
    for (size_t i = 0; i < s->gaps.count; i++)
        write_gap(json, s, &s->gaps.list[i]);
    stk_json_array_end(json);
    stk_json_key(json, "idle_ns_by_stage");
    stk_json_object(json);
    for (int stage = 0; stage < STK_STAGE_COUNT; stage++)
        stk_json_pair_uint(json, stk_stage_name((stk_stage)stage), s->gaps.idle_ns_by_stage[stage]);
    stk_json_object_end(json);
    stk_json_object_end(json);
    return cli_json_out_end(&out, s->call);
}

static int run(const cli_invocation *call)
{
    const values *v = call->values;
    session       s = {.call = call, .values = v};
    stk_error     err;
    int           code;
    if (cli_trace_load(&s.timeline, call->operands[0], &v->trace, call->command, &err))
        return cli_report_error(call->command, &err, NULL);
    if (stk_timeline_find_gaps(&s.gaps, s.timeline, (size_t)v->count, &err))
        code = cli_report_error(call->command, &err, NULL);
    else
        code = v->trace.json ? print_json(&s) : print_text(&s);
    stk_timeline_gaps_release(&s.gaps);
    stk_timeline_free(s.timeline);
    return code;
}

const cli_command cli_command_trace_gaps = {
    .name = "trace gaps",
    .summary = "the largest blocks in which a device was idle, and what the host did in each",
    .operands = "TRACE",
    .description =
        "Finds blocks of time in which nothing was computed: on each device, all its streams "
        "together; without a device, on the row that computes most. Below each block stands what "
        "was done meanwhile, with its share of the block. Work that goes on beside a busy device "
        "is in no block: it costs nothing.",
    .examples = "stoker trace gaps trace.json.gz\n"
                "stoker trace gaps --count 3 --json trace.json.gz | jq .gaps[0]",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .run = run,
};
