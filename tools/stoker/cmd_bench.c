/* stoker bench: dispatches to its subcommands. */
#include "command.h"
#include "text.h"

static const cli_command *const parts[] = {&cli_command_bench_input, &cli_command_bench_compute,
                                           &cli_command_bench_train, &cli_command_bench_claims,
                                           &cli_command_bench_cases, NULL};

static void print_parts(FILE *out, int width)
{
    fprintf(out, "\nWhat can be measured:\n");
    for (const cli_command *const *part = parts; *part; part++) {
        const int column = fprintf(out, "  %s", cli_command_word(*part));
        cli_text_wrap(out, (*part)->summary, column, 12, width);
    }
}

/* Reached only without a subcommand. */
static int run(const cli_invocation *call)
{
    return cli_report_usage(call->command,
                            "what to measure must be input, compute, train, claims or cases",
                            "such as 'stoker bench input PATH'");
}

const cli_command cli_command_bench = {
    .name = "bench",
    .summary = "measure input, compute, or training as a whole, and say what limits it",
    .operands = "input|compute|train|claims|cases ...",
    .description = "Measures one part of training alone, or all of it beside its parts. 'stoker "
                   "bench input --help' explains the first, and so on. Nothing is "
                   "written but what --save, --plot and --trace name.",
    .examples = "stoker bench input packed/ --preset imagenet\n"
                "stoker bench compute resnet18 --batch 32 --ops\n"
                "stoker bench train packed/ --model resnet18\n"
                "stoker bench claims\n"
                "stoker bench cases",
    .least_operands = 1,
    .most_operands = 1000000,
    .parts = parts,
    .print_more_help = print_parts,
    .run = run,
};
