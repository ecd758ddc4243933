/* stoker trace diff: compares two traces. */
#include "format.h"
#include "text.h"
#include "trace_common.h"

#include <string.h>

typedef struct values {
    cli_trace_values trace;
    int64_t          count;
} values;

static const values defaults = {.count = 20};

static const cli_option options[] = {
    {CLI_OPTION(values, count, "count", INTEGER, "N"), .letter = 'n', .least = 0, .most = 1e9,
     .group = "What to show",
     .help = "operations to show, the largest change first; 0: all (default 20; JSON has all)"},
    CLI_TRACE_OPTIONS(values, trace),
};

typedef struct session {
    const cli_invocation *call;
    const values         *values;
    stk_timeline         *timelines[2];
    stk_timeline_diff     diff;
} session;

static bool has_interval(const stk_timeline_change *change)
{
    return change->low_ns <= change->high_ns;
}

/* "+12.3 us" with its interval, if it has one. */
static void add_delta(cli_table *table, const stk_timeline_change *change)
{
    char time[CLI_TRACE_CAPACITY], text[CLI_TRACE_CAPACITY + 2];
    snprintf(text, sizeof text, "%s%s", change->delta_ns > 0 ? "+" : "",
             cli_trace_time(time, change->delta_ns));
    cli_table_add(table, text);
    cli_table_add(
        table, has_interval(change) ? cli_trace_range(time, change->low_ns, change->high_ns) : "");
}

/* As percent, or as a factor for large changes. */
static void add_percent(cli_table *table, const stk_timeline_change *change)
{
    const double ratio = change->ns[0] > 0 ? change->ns[1] / change->ns[0] : 0;
    char         text[CLI_FORMAT_CAPACITY] = "";
    if (ratio >= 10)
        snprintf(text, sizeof text, "%.3g x", ratio);
    else if (change->ns[0] > 0)
        snprintf(text, sizeof text, "%+.1f %%", 100 * (ratio - 1));
    else if (change->ns[1] > 0)
        snprintf(text, sizeof text, "new");
    cli_table_add(table, text);
}

static void add_change(cli_table *table, const stk_timeline_change *change, bool with_calls)
{
    char text[CLI_TRACE_CAPACITY], name[300];
    cli_text_fit(name, sizeof name, change->name, 50);
    cli_table_add(table, name);
    if (with_calls) {
        snprintf(text, sizeof text, "%.4g > %.4g", change->calls[0], change->calls[1]);
        cli_table_add(table, change->calls[0] == change->calls[1] ? strchr(text, '>') + 2 : text);
    }
    cli_table_add(table, cli_trace_time(text, change->ns[0]));
    cli_table_add(table, cli_trace_time(text, change->ns[1]));
    add_delta(table, change);
    add_percent(table, change);
}

static void print_table(const session *s, bool ops, const cli_style *style)
{
    static const char *const headings[] = {"", "calls", "A", "B", "change", "95 %", ""};
    const size_t             most = s->values->count ? (size_t)s->values->count : SIZE_MAX;
    cli_table                table;
    cli_table_init(&table, ops ? "frrrrrr" : "frrrrr");
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (ops || i != 1) cli_table_add(&table, headings[i]);
    if (!ops) add_change(&table, &s->diff.step, false);
    for (int i = 0; !ops && i < STK_STAGE_COUNT; i++) {
        const stk_timeline_change *stage = &s->diff.stages[i];
        if (stage->ns[0] > 0 || stage->ns[1] > 0) add_change(&table, stage, false);
    }
    for (size_t i = 0; ops && i < s->diff.op_count && i < most; i++)
        add_change(&table, &s->diff.ops[i], true);
    cli_table_print(&table, stdout, style);
    cli_table_release(&table);
}

static int print_text(const session *s)
{
    const cli_style style = cli_style_for(stdout, s->values->trace.color);
    for (int i = 0; i < 2; i++) {
        printf("%c  ", 'A' + i);
        cli_text_print(stdout, s->call->operands[i]);
        printf("  %s, %llu steps\n", stk_timeline_tool_name(stk_timeline_made_by(s->timelines[i])),
               (unsigned long long)s->diff.steps[i]);
    }
    printf("\nExposed time of a step, by stage\n");
    print_table(s, false, &style);
    printf("\nOwn time of operations in a step\n");
    print_table(s, true, &style);
    if (!has_interval(&s->diff.step) && !s->values->trace.quiet)
        fprintf(stderr, "stoker trace diff: too few steps for intervals; both traces need 4\n");
    return CLI_EXIT_OK;
}

static void write_change(stk_json_writer *json, const stk_timeline_change *change)
{
    stk_json_object(json);
    stk_json_pair_string(json, "name", change->name);
    stk_json_pair_string(json, "stage", stk_stage_name(change->stage));
    for (int i = 0; i < 2; i++) {
        stk_json_key(json, i ? "b" : "a");
        stk_json_object(json);
        stk_json_pair_double(json, "calls", change->calls[i]);
        stk_json_pair_double(json, "ns", change->ns[i]);
        cli_trace_pair_known(json, "mean_ns", change->mean_ns[i]);
        stk_json_object_end(json);
    }
    stk_json_pair_double(json, "delta_ns", change->delta_ns);
    if (has_interval(change)) {
        stk_json_pair_double(json, "low_ns", change->low_ns);
        stk_json_pair_double(json, "high_ns", change->high_ns);
    }
    stk_json_object_end(json);
}

static int print_json(const session *s)
{
    cli_json_out out;
    cli_json_out_begin(&out);
    stk_json_writer *json = &out.writer;
    stk_json_object(json);
    for (int i = 0; i < 2; i++) {
        stk_json_key(json, i ? "b" : "a");
        stk_json_object(json);
        stk_json_pair_string(json, "trace", s->call->operands[i]);
        stk_json_pair_string(json, "tool",
                             stk_timeline_tool_name(stk_timeline_made_by(s->timelines[i])));
        stk_json_pair_uint(json, "steps", s->diff.steps[i]);
        stk_json_object_end(json);
    }
    stk_json_key(json, "step");
    write_change(json, &s->diff.step);
    stk_json_key(json, "stages");
    stk_json_array(json);
    for (int i = 0; i < STK_STAGE_COUNT; i++)
        write_change(json, &s->diff.stages[i]);
    stk_json_array_end(json);
    stk_json_key(json, "operations");
    stk_json_array(json);
    for (size_t i = 0; i < s->diff.op_count; i++)
        write_change(json, &s->diff.ops[i]);
    stk_json_array_end(json);
    stk_json_object_end(json);
    return cli_json_out_end(&out, s->call);
}

static stk_status compare(session *s, stk_error *err)
{
    for (int i = 0; i < 2; i++)
        STK_TRY(cli_trace_load(&s->timelines[i], s->call->operands[i], &s->values->trace,
                               s->call->command, err));
    return stk_timeline_compare(&s->diff, s->timelines[0], s->timelines[1], err);
}

static int run(const cli_invocation *call)
{
    const values *v = call->values;
    session       s = {.call = call, .values = v};
    stk_error     err;
    int           code;
    if (compare(&s, &err))
        code = cli_report_error(call->command, &err, NULL);
    else
        code = v->trace.json ? print_json(&s) : print_text(&s);
    stk_timeline_diff_release(&s.diff);
    stk_timeline_free(s.timelines[0]);
    stk_timeline_free(s.timelines[1]);
    return code;
}

const cli_command cli_command_trace_diff = {
    .name = "trace diff",
    .summary = "what changed from one trace to another, by stage and by operation",
    .operands = "BEFORE AFTER",
    .description = "Compares two traces by what a step costs: the exposed time of each stage, and "
                   "the own time "
                   "of each operation, the largest change first. Intervals come from drawing the "
                   "steps of both "
                   "again 400 times; a change whose interval holds 0 may be chance.",
    .examples = "stoker trace diff before.json.gz after.json.gz\n"
                "stoker trace diff --json before.json.gz after.json.gz | jq .operations[0]",
    .least_operands = 2,
    .most_operands = 2,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .run = run,
};
