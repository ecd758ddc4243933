/* Models as JSON. */
#include "show_models.h"

#include <stdio.h>
#include <stoker/json.h>

static void write_totals(stk_json_writer *json, const cli_model_graphs *graphs)
{
    const stk_model_options *o = &graphs->options;
    const stk_graph_cost     applied = stk_graph_count(graphs->evaluation);
    const double             batch = (double)o->batch;
    stk_json_pair_string(json, "name", graphs->model->name);
    stk_json_pair_string(json, "help", graphs->model->help);
    stk_json_pair_int(json, "size", o->size);
    stk_json_pair_int(json, "channels", o->channels);
    stk_json_pair_int(json, "classes", o->classes);
    stk_json_pair_int(json, "batch", o->batch);
    stk_json_pair_double(json, "width", o->width);
    stk_json_pair_uint(json, "parameters", applied.parameters);
    stk_json_pair_double(json, "flops", applied.flops / batch);
    stk_json_pair_double(json, "training_bytes",
                         (double)stk_graph_count(graphs->training).activations / batch);
}

static void write_layer(stk_json_writer *json, const cli_model_layer *layer)
{
    stk_json_object(json);
    stk_json_pair_string(json, "name", layer->name);
    stk_json_pair_string(json, "operation", layer->operation);
    stk_json_key(json, "shape");
    stk_json_array(json);
    for (int i = 0; i < layer->shape.rank; i++)
        stk_json_int(json, layer->shape.dim[i]);
    stk_json_array_end(json);
    stk_json_pair_uint(json, "parameters", layer->parameters);
    stk_json_pair_double(json, "flops", layer->flops);
    stk_json_pair_double(json, "training_bytes", layer->bytes);
    stk_json_object_end(json);
}

static stk_status finish(stk_json_writer *json, stk_blob *text, stk_status st, stk_error *err)
{
    if (!st) st = stk_json_end(json, err);
    if (!st) fwrite(text->data, 1, text->size, stdout);
    stk_blob_release(text);
    return st;
}

stk_status cli_models_write_one(const cli_model_graphs *graphs, stk_error *err)
{
    stk_json_writer json;
    stk_blob        text;
    cli_model_layer layer;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&json, &text, 2);
    stk_json_object(&json);
    write_totals(&json, graphs);
    stk_json_key(&json, "layers");
    stk_json_array(&json);
    for (size_t i = 0; cli_model_layer_next(graphs, &i, &layer);)
        write_layer(&json, &layer);
    stk_json_array_end(&json);
    stk_json_object_end(&json);
    return finish(&json, &text, STK_OK, err);
}

stk_status cli_models_write_all(const cli_models_values *values, stk_error *err)
{
    stk_json_writer  json;
    stk_blob         text;
    const stk_model *model;
    stk_status       st = STK_OK;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&json, &text, 2);
    stk_json_array(&json);
    for (size_t i = 0; (model = stk_model_at(i)) != NULL; i++) {
        cli_model_graphs graphs;
        st = cli_model_graphs_build(&graphs, model, values, err);
        if (st) break;
        stk_json_object(&json);
        write_totals(&json, &graphs);
        stk_json_object_end(&json);
        cli_model_graphs_release(&graphs);
    }
    if (!st) stk_json_array_end(&json);
    return finish(&json, &text, st, err);
}
