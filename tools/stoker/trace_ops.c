/* stoker trace ops: a row per operation. */
#include "format.h"
#include "roofline.h"
#include "text.h"
#include "trace_common.h"

#include <stdlib.h>
#include <string.h>

typedef struct values {
    cli_trace_values trace;
    bool             csv;
    int64_t          count;
    const char      *sort;
} values;

static const values defaults = {.count = 30, .sort = "self"};

static const char *sort_choice(size_t index)
{
    static const char *const words[] = {"self", "total", "calls", "mean", "p95", "name"};
    return index < sizeof words / sizeof *words ? words[index] : NULL;
}

static const cli_option options[] = {
    {CLI_OPTION(values, sort, "sort", CHOICE, "BY"), .choice = sort_choice, .group = "What to show",
     .help = "self (default), total, calls, mean, p95 or name"},
    {CLI_OPTION(values, count, "count", INTEGER, "N"), .letter = 'n', .least = 0, .most = 1e9,
     .group = "What to show",
     .help = "operations to show; 0: all (default 30; JSON and CSV have all)"},
    {CLI_OPTION(values, csv, "csv", FLAG, NULL), .group = "What to show",
     .help = "print the table as CSV"},
    CLI_TRACE_OPTIONS(values, trace),
};

typedef struct session {
    const cli_invocation *call;
    const values         *values;
    stk_timeline         *timeline;
    stk_timeline_ops      ops;
    stk_machine_peaks     peaks; /* of the machine, if the trace has them */
} session;

static double mean_ns(const stk_timeline_op *op)
{
    return (double)op->total_ns / (double)op->calls;
}

static cli_roofline roofline_of(const session *s, const stk_timeline_op *op)
{
    const double seconds = mean_ns(op) / 1e9;
    if (op->flops_per_s < 0 && op->bytes_per_s < 0) return (cli_roofline){0};
    return cli_roofline_of(&s->peaks, op->flops_per_s * seconds, op->bytes_per_s * seconds,
                           mean_ns(op));
}

static double key_of(const stk_timeline_op *op, const char *sort)
{
    switch (sort[0]) {
    case 't':
        return (double)op->total_ns;
    case 'c':
        return (double)op->calls;
    case 'm':
        return mean_ns(op);
    case 'p':
        return (double)op->p95_ns;
    default:
        return (double)op->self_ns;
    }
}

static int compare(const void *left, const void *right, void *context)
{
    const session         *s = context;
    const stk_timeline_op *a = left, *b = right;
    const double           first = key_of(a, s->values->sort), second = key_of(b, s->values->sort);
    if (s->values->sort[0] != 'n' && first != second) return first < second ? 1 : -1;
    return strcmp(stk_timeline_text(s->timeline, a->name), stk_timeline_text(s->timeline, b->name));
}

static void add_rate(cli_table *table, double rate, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    char                     text[CLI_FORMAT_CAPACITY] = "";
    int                      i = 0;
    for (; rate >= 999.5 && i < 5; i++)
        rate /= 1000;
    if (rate >= 0) snprintf(text, sizeof text, "%.3g %s%s", rate, prefixes[i], unit);
    cli_table_add(table, text);
}

static void add_row(cli_table *table, const session *s, const stk_timeline_op *op)
{
    char text[CLI_TRACE_CAPACITY], name[400], where[8];
    snprintf(name, sizeof name, "%s%s", op->is_device ? "device " : "",
             cli_trace_stage_word(op->stage, where));
    cli_table_add(table, name);
    cli_text_fit(name, sizeof name, stk_timeline_text(s->timeline, op->name), 60);
    cli_table_add(table, name);
    cli_table_add(table, cli_format_count(text, op->calls));
    cli_table_add(table, cli_trace_time(text, (double)op->total_ns));
    cli_table_add(table, cli_trace_time(text, (double)op->self_ns));
    cli_table_add(table, cli_format_percent(text, op->self_ns, s->ops.self_ns));
    cli_table_add(table, cli_trace_time(text, mean_ns(op)));
    cli_table_add(table, cli_trace_time(text, (double)op->p95_ns));
}

/* Rates are in a separate table, since few operations have them. */
static void print_rates(const session *s, size_t shown, const cli_style *style)
{
    static const char *const headings[] = {"operation", "FLOP/s", "bytes/s", "roof"};
    const bool               peaks = cli_peaks_are_known(&s->peaks);
    cli_table                table;
    char                     name[400], text[160];
    bool                     any = false;
    cli_table_init(&table, peaks ? "frrl" : "frr");
    for (int i = 0; i < table.columns; i++)
        cli_table_add(&table, headings[i]);
    for (size_t i = 0; i < shown; i++) {
        const stk_timeline_op *op = &s->ops.list[i];
        if (op->flops_per_s < 0 && op->bytes_per_s < 0) continue;
        any = true;
        cli_text_fit(name, sizeof name, stk_timeline_text(s->timeline, op->name), 60);
        cli_table_add(&table, name);
        add_rate(&table, op->flops_per_s, "FLOP/s");
        add_rate(&table, op->bytes_per_s, "B/s");
        const cli_roofline roofline = roofline_of(s, op);
        if (peaks) cli_table_add(&table, cli_roofline_format(text, &roofline));
    }
    if (any) {
        printf("\nRates\n");
        if (peaks) printf("  roofs: %s\n", cli_peaks_format(text, sizeof text, &s->peaks, ""));
        cli_table_print(&table, stdout, style);
    }
    cli_table_release(&table);
}

static int print_table(const session *s)
{
    static const char *const headings[] = {"stage", "operation", "calls", "total",
                                           "self",  "share",     "mean",  "p95"};
    const cli_style          style = cli_style_for(stdout, s->values->trace.color);
    const size_t             most = s->values->count ? (size_t)s->values->count : SIZE_MAX;
    const size_t             shown = s->ops.count < most ? s->ops.count : most;
    cli_table                table;
    char                     count[CLI_FORMAT_CAPACITY], time[CLI_TRACE_CAPACITY];
    printf("%s operations, %s of own time, %s\n", cli_format_count(count, s->ops.count),
           cli_trace_time(time, (double)s->ops.self_ns),
           stk_timeline_tool_name(stk_timeline_made_by(s->timeline)));
    if (!shown) return CLI_EXIT_OK;
    cli_table_init(&table, "lfrrrrrr");
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        cli_table_add(&table, headings[i]);
    for (size_t i = 0; i < shown; i++)
        add_row(&table, s, &s->ops.list[i]);
    cli_table_print(&table, stdout, &style);
    cli_table_release(&table);
    print_rates(s, shown, &style);
    if (shown < s->ops.count)
        printf("\n%s more; --count 0 shows all\n", cli_format_count(count, s->ops.count - shown));
    return CLI_EXIT_OK;
}

static void print_csv_text(const char *text)
{
    printf("\"");
    for (; *text; text++) {
        if (*text == '"') printf("\"");
        const size_t length = 1 + strcspn(text + 1, "\"");
        cli_print_exact(stk_bytes_of(text, length));
        text += length - 1;
    }
    printf("\"");
}

static void print_csv_roofline(cli_roofline roofline)
{
    printf(",%s,", cli_roofline_name(roofline.kind));
    if (cli_roofline_has_fraction(&roofline)) printf("%.6f", roofline.fraction);
    printf("\n");
}

static int print_csv(const session *s)
{
    printf("name,where,stage,calls,total_ns,self_ns,share,mean_ns,p95_ns,flops_per_s,bytes_per_s,"
           "roof,roof_share\n");
    for (size_t i = 0; i < s->ops.count; i++) {
        const stk_timeline_op *op = &s->ops.list[i];
        char                   word[8];
        print_csv_text(stk_timeline_text(s->timeline, op->name));
        printf(",%s,%s,%llu,%llu,%llu,%.6f,%.1f,%llu,", op->is_device ? "device" : "host",
               cli_trace_stage_word(op->stage, word), (unsigned long long)op->calls,
               (unsigned long long)op->total_ns, (unsigned long long)op->self_ns,
               s->ops.self_ns ? (double)op->self_ns / (double)s->ops.self_ns : 0, mean_ns(op),
               (unsigned long long)op->p95_ns);
        if (op->flops_per_s >= 0) printf("%.6g", op->flops_per_s);
        printf(",");
        if (op->bytes_per_s >= 0) printf("%.6g", op->bytes_per_s);
        print_csv_roofline(roofline_of(s, op));
    }
    return CLI_EXIT_OK;
}

static int print_json(const session *s)
{
    cli_json_out out;
    cli_json_out_begin(&out);
    stk_json_writer *json = &out.writer;
    stk_json_object(json);
    stk_json_pair_string(json, "trace", s->call->operands[0]);
    stk_json_pair_string(json, "tool", stk_timeline_tool_name(stk_timeline_made_by(s->timeline)));
    stk_json_pair_uint(json, "self_ns", s->ops.self_ns);
    cli_peaks_write(json, &s->peaks, "");
    stk_json_key(json, "operations");
    stk_json_array(json);
    for (size_t i = 0; i < s->ops.count; i++) {
        const stk_timeline_op *op = &s->ops.list[i];
        const cli_roofline     roofline = roofline_of(s, op);
        stk_json_object(json);
        stk_json_pair_string(json, "name", stk_timeline_text(s->timeline, op->name));
        stk_json_pair_string(json, "where", op->is_device ? "device" : "host");
        stk_json_pair_string(json, "stage", stk_stage_name(op->stage));
        stk_json_pair_uint(json, "calls", op->calls);
        stk_json_pair_uint(json, "total_ns", op->total_ns);
        stk_json_pair_uint(json, "self_ns", op->self_ns);
        stk_json_pair_double(json, "mean_ns", mean_ns(op));
        stk_json_pair_uint(json, "p95_ns", op->p95_ns);
        cli_trace_pair_known(json, "flops_per_s", op->flops_per_s);
        cli_trace_pair_known(json, "bytes_per_s", op->bytes_per_s);
        cli_roofline_write(json, &roofline);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
    stk_json_object_end(json);
    return cli_json_out_end(&out, s->call);
}

static void take_peaks(session *s)
{
    if (stk_timeline_peaks(s->timeline, &s->peaks)) return;
    s->peaks = (stk_machine_peaks){-1, -1, -1, -1, -1, -1};
}

static int run(const cli_invocation *call)
{
    const values *v = call->values;
    session       s = {.call = call, .values = v};
    stk_error     err;
    int           code;
    if (v->csv && v->trace.json)
        return cli_report_usage(call->command, "--csv and --json are two forms of one result",
                                "give one of them");
    if (cli_trace_load(&s.timeline, call->operands[0], &v->trace, call->command, &err))
        return cli_report_error(call->command, &err, NULL);
    take_peaks(&s);
    if (stk_timeline_count_ops(&s.ops, s.timeline, &err)) {
        code = cli_report_error(call->command, &err, NULL);
    } else {
        qsort_r(s.ops.list, s.ops.count, sizeof *s.ops.list, compare, &s);
        code = v->trace.json ? print_json(&s) : v->csv ? print_csv(&s) : print_table(&s);
    }
    stk_timeline_ops_release(&s.ops);
    stk_timeline_free(s.timeline);
    return code;
}

const cli_command cli_command_trace_ops = {
    .name = "trace ops",
    .summary = "a line an operation: calls, total and own time, mean, p95, rates",
    .operands = "TRACE",
    .description =
        "Sums up the spans of a trace by name. Own time is that of a span without the "
        "spans inside it; shares are of all own time. Rates are told where the trace has the "
        "work of operations, and how near they are to what the machine gives where it "
        "has that, as traces of 'stoker profile' do.",
    .examples = "stoker trace ops trace.json.gz\n"
                "stoker trace ops --sort p95 --count 10 trace.json.gz\n"
                "stoker trace ops --csv trace.json.gz > ops.csv",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .run = run,
};
