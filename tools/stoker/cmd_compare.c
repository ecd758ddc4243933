/* stoker compare: runs, profiles and tunings side by side. */
#include "compare_out.h"
#include "json_out.h"

#include <stdlib.h>

typedef struct values {
    const char *color;
    bool        json;
} values;

static const values defaults = {0};

static const cli_option options[] = {
    {CLI_OPTION(values, color, "color", CHOICE, "WHEN"), .choice = cli_color_choice,
     .group = "Common", .help = "colours: auto (on a terminal), always, never"},
    {CLI_OPTION(values, json, "json", FLAG, NULL), .group = "Common",
     .help = "print the result as JSON"},
};

static int print(const cli_invocation *call, const cli_compare_item *items, size_t count)
{
    const values   *v = call->values;
    const cli_style style = cli_style_for(stdout, v->color);
    cli_json_out    json;
    if (!v->json) {
        cli_compare_print(items, count, &style);
        return CLI_EXIT_OK;
    }
    cli_json_out_begin(&json);
    cli_compare_json(&json.writer, items, count);
    return cli_json_out_end(&json, call);
}

static int compare(const cli_invocation *call, cli_compare_item *items, size_t count)
{
    stk_error err;
    for (size_t i = 0; i < count; i++)
        if (cli_compare_read(&items[i], call->operands[i], &err))
            return cli_report_error(call->command, &err, NULL);
    cli_compare_name(items, count);
    return print(call, items, count);
}

static int run(const cli_invocation *call)
{
    const size_t      count = (size_t)call->operand_count;
    cli_compare_item *items = calloc(count, sizeof *items);
    if (!items) return cli_report_usage(call->command, "no memory for what is compared", NULL);
    const int code = compare(call, items, count);
    free(items);
    return code;
}

const cli_command cli_command_compare = {
    .name = "compare",
    .summary = "put runs, profiles and tunings side by side",
    .operands = "RUN RUN...",
    .description =
        "A column for each RUN: data, model, rate, what limits it, where the time of a step goes, "
        "accuracy, and the machine; the ratio of rates to the first; then the keys of recipes that "
        "differ. A RUN is the folder of 'stoker train', 'stoker profile' or 'stoker tune', a "
        "profile.json, or a tune.jsonl; kinds may be mixed.",
    .examples = "stoker compare runs/first runs/second\n"
                "stoker compare runs/*\n"
                "stoker compare profile-lenet-1 profile-lenet-2 --json | jq '.items[].ratio'",
    .least_operands = 2,
    .most_operands = CLI_COMPARE_MOST,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .run = run,
};
