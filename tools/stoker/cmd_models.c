/* stoker models: the available networks, their cost and structure. */
#include "choices.h"
#include "command.h"
#include "show_models.h"
#include "text.h"

static const cli_models_values defaults = {.batch = 1, .width = 1};

static const cli_option options[] = {
    {CLI_OPTION(cli_models_values, size, "size", INTEGER, "N"), .least = 1, .most = 16384,
     .group = "How it is built", .help = "height and width of the images (default: the model's)"},
    {CLI_OPTION(cli_models_values, channels, "channels", INTEGER, "N"), .least = 1, .most = 4096,
     .group = "How it is built", .help = "channels of the images (default: the model's)"},
    {CLI_OPTION(cli_models_values, batch, "batch", INTEGER, "N"), .least = 1, .most = 1000000,
     .group = "How it is built",
     .help = "images at a time, as shapes show it (default 1); costs are per image"},
    {CLI_OPTION(cli_models_values, width, "width", NUMBER, "X"), .least = 0.01, .most = 64,
     .group = "How it is built", .help = "times the channels of every layer (default 1)"},
    {CLI_OPTION(cli_models_values, classes, "classes", INTEGER, "N"), .least = 1, .most = 1000000,
     .group = "How it is built", .help = "classes to tell apart (default: the model's)"},
    {CLI_OPTION(cli_models_values, graph, "graph", FLAG, NULL), .group = "What to show",
     .help = "print every operation of NAME, as it is built for evaluation"},
    {CLI_OPTION(cli_models_values, json, "json", FLAG, NULL), .group = "What to show",
     .help = "print the result as JSON"},
};

static void print_models(FILE *out, int width)
{
    const stk_model *model;
    fprintf(out, "\nModels:\n");
    for (size_t i = 0; (model = stk_model_at(i)) != NULL; i++) {
        const int column = fprintf(out, "  %s", model->name);
        cli_text_wrap(out, model->help, column, 20, width);
    }
}

static int refuse_name(const cli_invocation *call, const stk_error *err)
{
    char message[sizeof err->where + sizeof err->message + 16];
    snprintf(message, sizeof message, "model '%s': %s", err->where, err->message);
    return cli_report_usage(call->command, message, NULL);
}

static stk_status print_graph(const cli_model_graphs *graphs, stk_error *err)
{
    stk_blob text;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_graph_dump(graphs->evaluation, &text, err);
    if (!st) cli_print_lines(stdout, stk_blob_bytes(&text));
    stk_blob_release(&text);
    return st;
}

static stk_status show_one(const stk_model *model, const cli_models_values *v, stk_error *err)
{
    cli_model_graphs graphs;
    STK_TRY(cli_model_graphs_build(&graphs, model, v, err));
    stk_status st = STK_OK;
    if (v->graph)
        st = print_graph(&graphs, err);
    else if (v->json)
        st = cli_models_write_one(&graphs, err);
    else
        cli_models_print_one(&graphs);
    cli_model_graphs_release(&graphs);
    return st;
}

static int run(const cli_invocation *call)
{
    const cli_models_values *v = call->values;
    const stk_model         *model = NULL;
    stk_error                err;
    if (call->operand_count && stk_model_find(&model, call->operands[0], &err))
        return refuse_name(call, &err);
    if (!model && v->graph)
        return cli_report_usage(call->command, "NAME is missing",
                                "--graph shows one model; name it");
    stk_status st = model     ? show_one(model, v, &err)
                    : v->json ? cli_models_write_all(v, &err)
                              : cli_models_print_all(v, &err);
    return st ? cli_report_error(call->command, &err, NULL) : CLI_EXIT_OK;
}

const cli_command cli_command_models = {
    .name = "models",
    .summary = "show the networks there are and what they cost",
    .operands = "[NAME]",
    .description =
        "Lists the models with their parameters, the floating-point operations of a forward pass "
        "(a multiplication and an addition count two) and the memory that their results take in "
        "training, both per image. With NAME, the same for each layer of one model.",
    .examples = "stoker models\n"
                "stoker models resnet50 --batch 64\n"
                "stoker models mobilenet_v2 --width 0.5 --size 128 --classes 10\n"
                "stoker models resnet18 --graph\n"
                "stoker models --json | jq '.[].name'",
    .least_operands = 0,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .operand_choice = cli_choice_model,
    .print_more_help = print_models,
    .run = run,
};
