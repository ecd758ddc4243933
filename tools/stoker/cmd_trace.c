/* stoker trace: dispatches to its subcommands. */
#include "command.h"
#include "text.h"

static const cli_command *const parts[] = {&cli_command_trace_gaps, &cli_command_trace_ops,
                                           &cli_command_trace_diff, &cli_command_trace_merge,
                                           &cli_command_trace_ask,  &cli_command_trace_check,
                                           &cli_command_trace_demo, NULL};

static void print_parts(FILE *out, int width)
{
    fprintf(out, "\nWhat can be done with traces:\n");
    for (const cli_command *const *part = parts; *part; part++) {
        const int column = fprintf(out, "  %s", cli_command_word(*part));
        cli_text_wrap(out, (*part)->summary, column, 12, width);
    }
}

/* Reached only without a subcommand. */
static int run(const cli_invocation *call)
{
    return cli_report_usage(call->command,
                            "what to do must be gaps, ops, diff, merge, ask, check or demo",
                            "such as 'stoker trace gaps trace.json.gz'");
}

const cli_command cli_command_trace = {
    .name = "trace",
    .summary = "look into traces: idle blocks, operations, differences, ranks together",
    .operands = "gaps|ops|diff|merge|ask|check|demo ...",
    .description =
        "Reads traces in Chrome's JSON format, plain or packed by gzip: those of this command, of "
        "PyTorch's profiler (Kineto) and of TensorFlow (timeline and profiler). Files are read as "
        "a "
        "stream, so they may be large. 'stoker trace gaps --help' explains the first, and so on.",
    .examples = "stoker trace gaps trace.json.gz\n"
                "stoker trace ops --sort total trace.json.gz\n"
                "stoker trace diff before.json.gz after.json.gz\n"
                "stoker trace merge all.json.gz rank0.json.gz rank1.json.gz\n"
                "stoker trace ask runs/first",
    .least_operands = 1,
    .most_operands = 1000000,
    .parts = parts,
    .print_more_help = print_parts,
    .run = run,
};
