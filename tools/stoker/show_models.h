/* Models as text and JSON, for `stoker models`. */
#ifndef CLI_TOOLS_SHOW_MODELS_H
#define CLI_TOOLS_SHOW_MODELS_H

#include <stoker/models.h>

typedef struct cli_models_values {
    int64_t size, channels, batch, classes; /* 0: the model's */
    double  width;
    bool    graph, json;
} cli_models_values;

/* One model, built for training and for inference: the latter needs no activations for
 * gradients. */
typedef struct cli_model_graphs {
    const stk_model  *model;
    stk_model_options options;
    stk_graph        *evaluation, *training;
} cli_model_graphs;

/* On failure nothing is held. */
stk_status cli_model_graphs_build(cli_model_graphs *graphs, const stk_model *model,
                                  const cli_models_values *values, stk_error *err);
void       cli_model_graphs_release(cli_model_graphs *graphs);

/* Summary of the operations under one path; costs are per image. */
typedef struct cli_model_layer {
    const char *name, *operation; /* the operation with the most FLOPs */
    stk_shape   shape;            /* of the last operation's result */
    uint64_t    parameters;
    double      flops, bytes;
} cli_model_layer;

/* The next layer of the training graph from node *index on, which it advances; false at the end. */
bool cli_model_layer_next(const cli_model_graphs *graphs, size_t *index, cli_model_layer *layer);

void       cli_models_print_one(const cli_model_graphs *graphs);
stk_status cli_models_print_all(const cli_models_values *values, stk_error *err);
stk_status cli_models_write_one(const cli_model_graphs *graphs, stk_error *err);
stk_status cli_models_write_all(const cli_models_values *values, stk_error *err);

#endif
