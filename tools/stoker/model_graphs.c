/* Builds models for display. */
#include "show_models.h"

#include <string.h>

static stk_status build(stk_graph **out, const stk_model *model, const stk_model_options *base,
                        bool training, stk_error *err)
{
    stk_model_options o = *base;
    STK_TRY(stk_graph_new(out, NULL, err));
    stk_symbol x = stk_model_input(*out, model, &o);
    o.training = training;
    if (training) o.step = stk_graph_input(*out, "step", STK_DTYPE_I64, stk_shape_scalar());
    stk_graph_output(*out, "logits", stk_model_build(*out, model, x, &o));
    return stk_graph_check(*out, err);
}

stk_status cli_model_graphs_build(cli_model_graphs *graphs, const stk_model *model,
                                  const cli_models_values *values, stk_error *err)
{
    *graphs = (cli_model_graphs){
        .model = model,
        .options = {.batch = values->batch,
                    .size = values->size ? (int)values->size : model->size,
                    .channels = values->channels ? (int)values->channels : model->channels,
                    .classes = values->classes ? (int)values->classes : model->classes,
                    .width = values->width},
    };
    stk_status st = build(&graphs->evaluation, model, &graphs->options, false, err);
    if (!st) st = build(&graphs->training, model, &graphs->options, true, err);
    if (st) cli_model_graphs_release(graphs);
    return st;
}

void cli_model_graphs_release(cli_model_graphs *graphs)
{
    stk_graph_free(graphs->evaluation);
    stk_graph_free(graphs->training);
    *graphs = (cli_model_graphs){0};
}

/* Whether the variable is a direct member of the path. */
static bool belongs(const char *variable, const char *path)
{
    const char  *dot = strrchr(variable, '.');
    const size_t length = dot ? (size_t)(dot - variable) : 0;
    return strlen(path) == length && memcmp(variable, path, length) == 0;
}

static uint64_t parameters_of(const stk_graph *graph, const char *path)
{
    uint64_t     total = 0;
    const size_t count = stk_graph_variable_count(graph);
    for (size_t i = 0; i < count; i++) {
        stk_graph_variable_info info = stk_graph_variable_at(graph, i);
        int64_t                 elements;
        if (info.options.role != STK_VARIABLE_PARAMETER || !belongs(info.name, path)) continue;
        if (!stk_shape_count(&info.shape, &elements, NULL)) total += (uint64_t)elements;
    }
    return total;
}

/* A path may recur after an inner layer's; its parameters are printed the first time. */
static bool came_before(const stk_graph *graph, size_t index, const char *path)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(stk_graph_node_at(graph, i).name, path) == 0) return true;
    return false;
}

bool cli_model_layer_next(const cli_model_graphs *graphs, size_t *index, cli_model_layer *layer)
{
    const stk_graph    *graph = graphs->training;
    const double        batch = (double)graphs->options.batch;
    stk_graph_node_info node = stk_graph_node_at(graph, *index);
    if (!node.operation) return false;
    double max = 0;
    *layer = (cli_model_layer){.name = node.name};
    if (!came_before(graph, *index, node.name)) layer->parameters = parameters_of(graph, node.name);
    for (; node.operation && strcmp(node.name, layer->name) == 0;
         node = stk_graph_node_at(graph, ++*index)) {
        if (node.flops >= max) max = node.flops, layer->operation = node.operation;
        layer->shape = node.shape;
        layer->flops += node.flops / batch;
        layer->bytes += (double)node.bytes / batch;
    }
    return true;
}
