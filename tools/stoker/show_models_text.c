/* Prints models as tables. */
#include "format.h"
#include "show_models.h"
#include "table.h"

#include <math.h>

/* "1.82 G": decimal units, three digits. */
static char *format_flops(char *text, double flops)
{
    static const char units[] = " kMGTP";
    int               unit = 0;
    for (; flops >= 999.5 && units[unit + 1]; unit++)
        flops /= 1000;
    snprintf(text, CLI_FORMAT_CAPACITY, "%.*f%s%c",
             unit == 0 || flops >= 99.95 ? 0
             : flops >= 9.995            ? 1
                                         : 2,
             flops, unit ? " " : "", unit ? units[unit] : '\0');
    return text;
}

static void add_costs(cli_table *table, uint64_t parameters, double flops, double bytes)
{
    char text[CLI_FORMAT_CAPACITY];
    cli_table_add(table, cli_format_count(text, parameters));
    cli_table_add(table, format_flops(text, flops));
    cli_table_add(table, cli_format_bytes(text, (uint64_t)llround(bytes)));
}

static void add_headings(cli_table *table, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        cli_table_add(table, names[i]);
}

static void add_model(cli_table *table, const cli_model_graphs *graphs)
{
    const double batch = (double)graphs->options.batch;
    char         text[CLI_FORMAT_CAPACITY];
    cli_table_add(table, graphs->model->name);
    snprintf(text, sizeof text, "%d", graphs->options.size);
    cli_table_add(table, text);
    snprintf(text, sizeof text, "%d", graphs->options.classes);
    cli_table_add(table, text);
    const stk_graph_cost applied = stk_graph_count(graphs->evaluation);
    add_costs(table, applied.parameters, applied.flops / batch,
              (double)stk_graph_count(graphs->training).activations / batch);
}

stk_status cli_models_print_all(const cli_models_values *values, stk_error *err)
{
    static const char *const headings[] = {"model",      "size",  "classes",
                                           "parameters", "FLOPs", "training"};
    const cli_style          style = cli_style_for(stdout, NULL);
    const stk_model         *model;
    cli_table                table;
    stk_status               st = STK_OK;
    cli_table_init(&table, "lrrrrr");
    add_headings(&table, headings, 6);
    for (size_t i = 0; !st && (model = stk_model_at(i)) != NULL; i++) {
        cli_model_graphs graphs;
        st = cli_model_graphs_build(&graphs, model, values, err);
        if (st) break;
        add_model(&table, &graphs);
        cli_model_graphs_release(&graphs);
    }
    if (!st) cli_table_print(&table, stdout, &style);
    cli_table_release(&table);
    return st;
}

static void print_totals(const cli_model_graphs *graphs)
{
    const stk_model_options *o = &graphs->options;
    const stk_graph_cost     applied = stk_graph_count(graphs->evaluation);
    const stk_graph_cost     trained = stk_graph_count(graphs->training);
    const double             batch = (double)o->batch;
    char                     a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY], c[CLI_FORMAT_CAPACITY];
    printf("%s  %s\n", graphs->model->name, graphs->model->help);
    printf("  images %d x %d x %d, %d classes; %s parameters\n", o->size, o->size, o->channels,
           o->classes, cli_format_count(a, applied.parameters));
    printf("  per image %s FLOPs forward, %s of results kept in training\n\n",
           format_flops(b, applied.flops / batch),
           cli_format_bytes(c, (uint64_t)llround((double)trained.activations / batch)));
}

void cli_models_print_one(const cli_model_graphs *graphs)
{
    static const char *const headings[] = {"layer",      "operation", "result",
                                           "parameters", "FLOPs",     "training"};
    const cli_style          style = cli_style_for(stdout, NULL);
    cli_table                table;
    cli_model_layer          layer;
    char                     shape[96];
    print_totals(graphs);
    cli_table_init(&table, "lllrrr");
    add_headings(&table, headings, 6);
    for (size_t i = 0; cli_model_layer_next(graphs, &i, &layer);) {
        cli_table_add(&table, layer.name[0] ? layer.name : "-");
        cli_table_add(&table, layer.operation);
        cli_table_add(&table, stk_shape_text(&layer.shape, shape, sizeof shape));
        add_costs(&table, layer.parameters, layer.flops, layer.bytes);
    }
    cli_table_print(&table, stdout, &style);
    cli_table_release(&table);
}
