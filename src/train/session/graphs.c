/* Graphs of a session: input images, the model, the loss, metric sums, updates. */
#include "train/session/graphs.h"
#include "compute/graph/graph_node.h"
#include "train/input/loader.h"
#include <math.h>
#include <stdio.h>
#include <stoker/layers.h>
#include <stoker/ops.h>
#include <stoker/presets.h>
#include <string.h>

const char *const stk_metric_names[2][4] = {
    {"metrics.loss", "metrics.correct", "metrics.top5", "metrics.count"},
    {"metrics.eval_loss", "metrics.eval_correct", "metrics.eval_top5", "metrics.eval_count"},
};

/* A clipping norm that no gradient reaches. With it the optimiser's guard rejects a step with
 * non-finite gradients, so that the cause can still be found. */
static const double no_limit = 1e15;

/* One dense layer on the mean colour. */
static stk_symbol trivial(stk_graph *g, stk_symbol x, int64_t classes)
{
    return stk_layer_dense(g, stk_global_average_pool(g, x), "fc",
                           &(stk_dense_layer){.out = (int)classes});
}

static stk_symbol model(const stk_graphs *graphs, stk_graph *g, stk_symbol x, bool training,
                        stk_symbol step)
{
    const stk_train_recipe *r = graphs->recipe;
    if (r->model.trivial) return trivial(g, x, r->model.classes);
    return stk_model_build(g, graphs->model, x,
                           &(stk_model_options){.classes = (int)r->model.classes,
                                                .width = r->model.width,
                                                .training = training,
                                                .dropout = r->model.dropout,
                                                .step = step});
}

/* Reads the names of a model's parameters from a throwaway graph. */
static stk_status read_freeze(stk_graphs *graphs, stk_error *err)
{
    const stk_train_recipe *r = graphs->recipe;
    const stk_shape         one = stk_shape_4d(1, r->data.size, r->data.size, graphs->channels);
    stk_graph              *g;
    STK_TRY(stk_graph_new(&g, NULL, err));
    (void)model(graphs, g, stk_graph_input(g, "x", STK_DTYPE_F32, one), false, STK_NO_SYMBOL);
    stk_status st = stk_graph_check(g, err);
    if (!st) st = stk_freeze_init(&graphs->freeze, r, g, err);
    stk_graph_free(g);
    return st;
}

stk_status stk_graphs_init(stk_graphs *graphs, const stk_train_recipe *recipe, stk_error *err)
{
    const stk_preset *preset = stk_preset_find(recipe->data.preset);
    *graphs = (stk_graphs){.recipe = recipe, .channels = preset ? preset->channels : 3};
    STK_TRY(stk_model_find(&graphs->model, recipe->model.name, err));
    STK_TRY(stk_optimizer_defaults(&graphs->optimizer,
                                   stk_train_recipe_word(recipe, "train.optimizer"), err));
    graphs->optimizer.momentum = recipe->train.momentum;
    graphs->optimizer.weight_decay = recipe->train.weight_decay;
    graphs->optimizer.even_decay = recipe->train.decay == STK_DECAY_EVEN;
    graphs->optimizer.clip_norm = recipe->train.clip_norm > 0 ? recipe->train.clip_norm : no_limit;
    graphs->optimizer.ema_decay = recipe->train.ema;
    graphs->optimizer.loss_scale = recipe->train.loss_scale;
    graphs->optimizer.accumulate = (int)recipe->train.accumulate;
    return read_freeze(graphs, err);
}

static void add_to(stk_graph *g, const char *name, stk_symbol value)
{
    stk_symbol sum =
        stk_graph_variable(g, name, STK_DTYPE_F32, stk_shape_scalar(),
                           &(stk_variable_options){.role = STK_VARIABLE_METRIC, .no_decay = true});
    stk_graph_assign(g, sum, stk_add(g, sum, value));
}

/* Adds metric sums over images; images without a label do not count. A training step's loss is an
 * output, so it needs no sum. */
static void measure(stk_graph *g, stk_symbol loss, stk_symbol logits, stk_symbol labels,
                    bool evaluate)
{
    const char *const *names = stk_metric_names[evaluate];
    int64_t            classes = stk_symbol_shape(g, logits).dim[1];
    stk_symbol         count = stk_count_labels(g, labels);
    if (evaluate) add_to(g, names[0], stk_mul(g, loss, count));
    add_to(g, names[1], stk_top_k_correct(g, logits, labels, 1));
    add_to(g, names[2], stk_top_k_correct(g, logits, labels, classes < 5 ? (int)classes : 5));
    add_to(g, names[3], count);
}

typedef struct training {
    stk_symbol logits, labels, loss;
} training;

/* Without smoothing or weights the plain cross entropy has faster kernels. */
static stk_symbol loss_of(const stk_graphs *graphs, stk_graph *g, stk_symbol logits,
                          stk_symbol labels)
{
    const stk_train_recipe      *r = graphs->recipe;
    const bool                   focal = r->train.loss == STK_LOSS_FOCAL;
    stk_weighted_entropy_options o = {.smoothing = r->train.label_smoothing,
                                      .gamma = focal ? r->train.focal_gamma : 0};
    if (!graphs->class_weights && o.gamma == 0)
        return stk_softmax_cross_entropy(g, logits, labels, o.smoothing);
    if (graphs->class_weights)
        o.weights = stk_graph_constant(g, "class_weights", STK_DTYPE_F32,
                                       stk_shape_1d(r->model.classes), graphs->class_weights);
    return stk_weighted_cross_entropy(g, logits, labels, &o);
}

static training forward(const stk_graphs *graphs, stk_graph *g, int64_t size)
{
    const stk_train_recipe *r = graphs->recipe;
    bool                    soft = stk_loader_soft(r, false);
    training                t;
    stk_symbol              x = stk_graphs_images(graphs, g, r->data.batch, size, false);
    t.labels = stk_graph_input(g, "label", soft ? STK_DTYPE_F32 : STK_DTYPE_I64,
                               soft ? stk_shape_2d(r->data.batch, r->model.classes)
                                    : stk_shape_1d(r->data.batch));
    stk_symbol step = stk_graph_input(g, "step", STK_DTYPE_I64, stk_shape_scalar());
    t.logits = model(graphs, g, x, true, step);
    t.logits = stk_faults_logits(graphs->faults, g, t.logits, size);
    t.loss = loss_of(graphs, g, t.logits, t.labels);
    return t;
}

static stk_status begin(const stk_graphs *graphs, stk_graph **out, stk_error *err)
{
    return stk_graph_new(out, &(stk_graph_options){.seed = (uint64_t)graphs->recipe->train.seed},
                         err);
}

/* Begins a graph whose parameters are trained, at least in part. */
static stk_status begin_learning(const stk_graphs *graphs, stk_graph **out, stk_error *err)
{
    return stk_graph_new(out,
                         &(stk_graph_options){.seed = (uint64_t)graphs->recipe->train.seed,
                                              .adjust = stk_freeze_adjust,
                                              .adjust_context = (void *)&graphs->freeze},
                         err);
}

static stk_status end(stk_graph **graph, stk_error *err)
{
    stk_status st = stk_graph_check(*graph, err);
    if (!st) return STK_OK;
    stk_graph_free(*graph);
    *graph = NULL;
    return st;
}

static bool stops(const stk_graph_symbol *s)
{
    return s->role == STK_SYMBOL_VARIABLE && s->variable.freeze_after > 0 && !s->variable.frozen;
}

double stk_graphs_frozen_from(const stk_graph *graph)
{
    double from = 0;
    for (uint32_t i = 1; i < graph->symbol_count; i++)
        if (stops(&graph->symbols[i])) from = fmax(from, graph->symbols[i].variable.freeze_after);
    return from;
}

static void stop_learning(stk_graph *g)
{
    for (uint32_t i = 1; i < g->symbol_count; i++)
        if (stops(&g->symbols[i])) g->symbols[i].variable.frozen = true;
}

stk_status stk_graphs_train(const stk_graphs *graphs, int64_t size, bool frozen, stk_graph **out,
                            stk_error *err)
{
    STK_TRY(begin_learning(graphs, out, err));
    stk_graph            *g = *out;
    training              t = forward(graphs, g, size);
    stk_optimizer_symbols made = {0};
    if (frozen) stop_learning(g);
    if (graphs->recipe->train.accumulate > 1) {
        stk_optimizer_accumulate(g, t.loss, &graphs->optimizer, &made);
    } else {
        stk_optimizer_apply(g, t.loss, &graphs->optimizer, &made);
        stk_graph_output(g, "guard", made.guard);
    }
    measure(g, t.loss, t.logits, t.labels, false);
    stk_graph_output(g, "loss", t.loss);
    return end(out, err);
}

/* Begins a graph that only updates the variables of a model, and builds the model for their
 * names. */
static stk_status begin_helper(const stk_graphs *graphs, stk_graph **model_, stk_graph **out,
                               stk_error *err)
{
    *out = NULL;
    STK_TRY(begin_learning(graphs, model_, err));
    (void)forward(graphs, *model_, graphs->recipe->data.size);
    stk_status st = stk_graph_check(*model_, err);
    if (!st) st = begin(graphs, out, err);
    if (st) stk_graph_free(*model_);
    return st;
}

stk_status stk_graphs_update(const stk_graphs *graphs, stk_graph **out, stk_error *err)
{
    stk_graph            *m;
    stk_optimizer_symbols made = {0};
    STK_TRY(begin_helper(graphs, &m, out, err));
    stk_optimizer_apply_accumulated(*out, m, &graphs->optimizer, &made);
    stk_graph_output(*out, "guard", made.guard);
    stk_graph_free(m);
    return end(out, err);
}

stk_status stk_graphs_lookahead(const stk_graphs *graphs, stk_graph **out, stk_error *err)
{
    stk_graph *m;
    STK_TRY(begin_helper(graphs, &m, out, err));
    stk_optimizer_lookahead(*out, m);
    stk_graph_free(m);
    return end(out, err);
}

stk_status stk_graphs_search(const stk_graphs *graphs, int64_t size, stk_graph **out,
                             stk_error *err)
{
    enum { VARIABLES_MAX = 4096 };
    STK_TRY(begin_learning(graphs, out, err));
    stk_graph *g = *out;
    training   t = forward(graphs, g, size);
    stk_graph_output(g, "loss", t.loss);
    stk_symbol of[VARIABLES_MAX], gradients[VARIABLES_MAX];
    size_t     count = 0;
    for (size_t i = 0; i < stk_graph_variable_count(g) && count < VARIABLES_MAX; i++) {
        stk_graph_variable_info v = stk_graph_variable_at(g, i);
        if (v.options.role == STK_VARIABLE_PARAMETER && !v.options.frozen) of[count++] = v.symbol;
    }
    stk_graph_gradients(g, t.loss, STK_NO_SYMBOL, of, count, gradients);
    for (uint32_t i = 1; i < g->symbol_count; i++)
        g->symbols[i].assigned = STK_NO_SYMBOL;
    for (size_t i = 0; i < count; i++) {
        char text[32];
        snprintf(text, sizeof text, "gradient%zu", i);
        stk_graph_output(g, text, gradients[i]);
    }
    return end(out, err);
}

stk_status stk_graphs_evaluate(const stk_graphs *graphs, int64_t size, const char *prefix,
                               stk_graph **out, stk_error *err)
{
    const stk_train_recipe *r = graphs->recipe;
    STK_TRY(begin(graphs, out, err));
    stk_graph *g = *out;
    stk_symbol x = stk_graphs_images(graphs, g, r->data.eval_batch, size, true);
    stk_symbol labels =
        stk_graph_input(g, "label", STK_DTYPE_I64, stk_shape_1d(r->data.eval_batch));
    if (*prefix) stk_graph_push_scope(g, prefix);
    stk_symbol logits = model(graphs, g, x, false, STK_NO_SYMBOL);
    if (*prefix) stk_graph_pop_scope(g);
    logits = stk_graphs_average(graphs, g, logits);
    stk_symbol loss = stk_softmax_cross_entropy(g, logits, labels, 0);
    measure(g, loss, logits, labels, true);
    stk_graph_output(g, "logits", logits);
    return end(out, err);
}

stk_status stk_graphs_show(const stk_graphs *graphs, int64_t batch, int64_t size, bool evaluate,
                           int64_t *rows, stk_graph **out, stk_error *err)
{
    STK_TRY(begin(graphs, out, err));
    stk_symbol x = stk_graphs_images(graphs, *out, batch, size, evaluate);
    *rows = stk_symbol_shape(*out, x).dim[0];
    stk_graph_output(*out, "images", x);
    return end(out, err);
}
