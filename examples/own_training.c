/* A model, a data source and a loop of one's own: which of two spirals is a point on? */
#include <math.h>
#include <stdio.h>
#include <stoker/stoker.h>

enum { BATCH = 64, STEPS = 1500, POINTS = BATCH * STEPS };

/* Point number index: pure, so it may be called from any thread in any order. */
static stk_status make_point(void *context, const stk_call *call, uint64_t index, stk_element **out,
                             stk_error *err)
{
    const stk_shape pair = stk_shape_1d(2), one = stk_shape_scalar();
    const int64_t   arm = (int64_t)(index % 2);
    const double    turn =
        0.5 + (double)(index * 2654435761 % POINTS) / POINTS * 3; /* in half circles */
    void *xy, *label;
    STK_TRY(stk_element_new(out, 2, err));
    stk_value *values[] = {stk_element_edit(*out, 0), stk_element_edit(*out, 1)};
    STK_TRY(stk_value_dense(values[0], call->ledger, STK_DTYPE_F32, &pair, &xy, err));
    STK_TRY(stk_value_dense(values[1], call->ledger, STK_DTYPE_I64, &one, &label, err));
    ((float *)xy)[0] = (float)(turn * cos((turn + (double)arm) * M_PI));
    ((float *)xy)[1] = (float)(turn * sin((turn + (double)arm) * M_PI));
    *(int64_t *)label = arm;
    (void)context;
    return STK_OK;
}

static stk_status open_data(stk_iterator **it, stk_error *err)
{
    const stk_value_spec values[] = {
        {.name = "xy", .dtype = STK_DTYPE_F32, .rank_known = true, .shape = stk_shape_1d(2)},
        {.name = "label", .dtype = STK_DTYPE_I64, .rank_known = true}};
    const stk_element_spec spec = {.known = true, .count = 2, .values = values};
    const stk_indexed_info info = {"spirals", .output = &spec, .count = POINTS, .read = make_point};
    stk_dataset           *data = NULL;
    STK_TRY(stk_dataset_indexed(&data, &info, err));
    stk_status st = stk_dataset_batch(&data, BATCH, NULL, err);
    if (!st) st = stk_iterator_start(it, data, &(stk_iterator_options){.seed = 1}, err);
    stk_dataset_unref(data);
    return st;
}

static stk_status build(stk_graph *g, stk_error *err)
{
    stk_optimizer_options adam;
    STK_TRY(stk_optimizer_defaults(&adam, "adamw", err));
    stk_symbol xy = stk_graph_input(g, "xy", STK_DTYPE_F32, stk_shape_2d(BATCH, 2));
    stk_symbol label = stk_graph_input(g, "label", STK_DTYPE_I64, stk_shape_1d(BATCH));
    stk_symbol x = stk_relu(g, stk_layer_dense(g, xy, "fc1", &(stk_dense_layer){.out = 64}));
    x = stk_relu(g, stk_layer_dense(g, x, "fc2", &(stk_dense_layer){.out = 64}));
    x = stk_layer_dense(g, x, "fc3", &(stk_dense_layer){.out = 2});
    stk_symbol loss = stk_softmax_cross_entropy(g, x, label, 0);
    stk_graph_output(g, "loss", loss);
    stk_optimizer_apply(g, loss, &adam, NULL);
    return stk_graph_check(g, err);
}

static stk_status train(stk_program *program, stk_iterator *it, stk_error *err)
{
    float hyper[STK_OPTIMIZER_HYPER], loss;
    stk_optimizer_hyper(&(stk_hyperparameters){.rate = 0.003, .momentum = 0.9}, hyper);
    STK_TRY(stk_program_feed(program, "hyper", hyper, sizeof hyper, err));
    for (int step = 1; step <= STEPS; step++) {
        stk_element *batch;
        STK_TRY(stk_iterator_next(it, &batch, err));
        const stk_value *xy = stk_element_value(batch, 0), *label = stk_element_value(batch, 1);
        stk_status       st = stk_program_feed(program, "xy", stk_value_data(xy), BATCH * 8, err);
        if (!st) st = stk_program_feed(program, "label", stk_value_data(label), BATCH * 8, err);
        stk_element_unref(batch);
        if (!st) st = stk_program_run(program, NULL, err);
        if (!st) st = stk_program_fetch(program, "loss", &loss, sizeof loss, err);
        if (st) return st;
        if (step % 250 == 0) printf("step %4d  loss %.4f\n", step, loss);
    }
    return STK_OK;
}

int main(void)
{
    stk_error      err;
    stk_graph     *graph = NULL;
    stk_device    *device = NULL;
    stk_variables *variables = NULL;
    stk_program   *program = NULL;
    stk_iterator  *it = NULL;
    stk_status     st = open_data(&it, &err);
    if (!st) st = stk_graph_new(&graph, NULL, &err);
    if (!st) st = build(graph, &err);
    if (!st) st = stk_device_open(&device, NULL, NULL, &err);
    if (!st) st = stk_variables_new(&variables, device, 1, &err);
    if (!st) st = stk_program_compile(&program, graph, variables, NULL, &err);
    if (!st) st = train(program, it, &err);
    if (st) fprintf(stderr, "own_training: %s: %s\n", err.component, err.message);
    stk_program_free(program);
    stk_variables_free(variables);
    stk_device_free(device);
    stk_graph_free(graph);
    stk_iterator_free(it);
    return st ? 1 : 0;
}
