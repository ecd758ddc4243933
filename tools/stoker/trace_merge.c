/* stoker trace merge: merges traces of several ranks. */
#include "format.h"
#include "signals.h"
#include "text.h"
#include "trace_common.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct values {
    cli_option_list offsets;
    bool            json, quiet;
} values;

static const values defaults = {.json = false};

static const cli_option options[] = {
    {CLI_OPTION(values, offsets, "offset", LIST, "K=NS"), .group = "Clocks",
     .help = "nanoseconds to add to the times of the K-th trace, from 0: for hosts whose clocks "
             "differ"},
    {CLI_OPTION(values, json, "json", FLAG, NULL), .group = "Common",
     .help = "print the result as JSON"},
    {CLI_OPTION(values, quiet, "quiet", FLAG, NULL), .letter = 'q', .group = "Common",
     .help = "show no progress and no hints; results and errors only"},
};

typedef struct session {
    const cli_invocation *call;
    cli_progress          progress;
    int64_t               offsets[STK_TIMELINE_RANKS];
    bool                  given[STK_TIMELINE_RANKS];
} session;

static void show_progress(void *context, uint64_t done, uint64_t size)
{
    session *s = context;
    cli_trace_show_progress(&s->progress, done, size);
}

static void warn(void *context, const char *text)
{
    session      *s = context;
    const values *v = s->call->values;
    if (v->quiet) return;
    cli_progress_end(&s->progress);
    fprintf(stderr, "stoker trace merge: ");
    cli_text_print(stderr, text);
    fprintf(stderr, "\n");
}

/* "1=-2500" */
static bool parse_offset(session *s, const char *text)
{
    char     *end, *last;
    const int files = s->call->operand_count - 1;
    errno = 0;
    const long long index = strtoll(text, &end, 10);
    if (end == text || *end != '=' || index < 0 || index >= files) return false;
    const long long offset = strtoll(end + 1, &last, 10);
    if (last == end + 1 || *last || errno) return false;
    s->offsets[index] = offset;
    s->given[index] = true;
    return true;
}

static int report(const session *s)
{
    const values *v = s->call->values;
    const int     count = s->call->operand_count - 1;
    cli_json_out  out;
    if (!v->json) {
        printf("%d traces merged into ", count);
        cli_text_print(stdout, s->call->operands[0]);
        printf("\n");
        return CLI_EXIT_OK;
    }
    cli_json_out_begin(&out);
    stk_json_object(&out.writer);
    stk_json_pair_string(&out.writer, "trace", s->call->operands[0]);
    stk_json_pair_int(&out.writer, "ranks", count);
    stk_json_object_end(&out.writer);
    return cli_json_out_end(&out, s->call);
}

static int run(const cli_invocation *call)
{
    const values *v = call->values;
    session       s = {.call = call};
    stk_error     err;
    char          message[CLI_OPTION_MESSAGE];
    if (call->operand_count - 1 > STK_TIMELINE_RANKS)
        return cli_report_usage(call->command, "more than 1000 traces", NULL);
    for (size_t i = 0; i < v->offsets.count; i++)
        if (!parse_offset(&s, v->offsets.items[i])) {
            snprintf(message, sizeof message,
                     "--offset '%.100s' is not K=NANOSECONDS with K from 0 to %d",
                     v->offsets.items[i], call->operand_count - 2);
            return cli_report_usage(call->command, message, "such as --offset 1=-2500");
        }
    cli_progress_begin(&s.progress, "merging", v->quiet);
    const stk_timeline_merge_options merge = {.offsets = s.offsets,
                                              .given = s.given,
                                              .cancel = cli_signals_token(),
                                              .progress = show_progress,
                                              .warn = warn,
                                              .context = &s};
    const stk_status                 st =
        stk_timeline_merge(call->operands[0], (const char *const *)call->operands + 1,
                           (size_t)call->operand_count - 1, &merge, &err);
    cli_progress_end(&s.progress);
    return st ? cli_report_error(call->command, &err, NULL) : report(&s);
}

const cli_command cli_command_trace_merge = {
    .name = "trace merge",
    .summary = "put the traces of several ranks into one, on one clock",
    .operands = "OUT TRACE...",
    .description =
        "Writes one trace with the events of all: the processes of rank R are numbered from R*1000 "
        "on and named 'rank R ...'. Times are put on one axis by the base time that each file "
        "gives; traces of one host need no more, those of other hosts the offset of their clocks. "
        "OUT is packed when its name ends in .gz. Files are copied as a stream, twice read.",
    .examples = "stoker trace merge all.json.gz rank0.json.gz rank1.json.gz\n"
                "stoker trace merge all.json r0.json r1.json --offset 1=-2500",
    .least_operands = 3,
    .most_operands = 1000000,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .run = run,
};
