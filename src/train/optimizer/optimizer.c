/* Gradients and updates of all parameters of a graph. */
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"
#include "train/optimizer/optimizer_kind.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/ops.h>
#include <string.h>

_Static_assert((int)STK_OPTIMIZER_HYPER == (int)STK_HYPER_COUNT, "hyper is fed as it is");
_Static_assert((int)STK_OPTIMIZER_GUARD == (int)STK_GUARD_COUNT, "a guard is read as it is");

enum { NAME_CAPACITY = 512, SCALE_INTERVAL = 2000 };

static const char state_name[] = "optimizer.state";

typedef struct builder {
    stk_graph                   *g;
    const stk_graph             *model; /* g itself, or the graph of the accumulated gradients */
    const stk_optimizer_options *options;
    const stk_optimizer_row     *row;
    stk_symbol                   state, hyper, guard;
    stk_symbol                  *parameters, *gradients; /* a single block */
    size_t                       count;
    stk_graph_phase              phase; /* and path: the graph's own, restored at the end */
    char                         path[sizeof(((stk_graph *)0)->path)];
} builder;

static bool is_learnt(const stk_graph_symbol *s)
{
    return s->role == STK_SYMBOL_VARIABLE && s->variable.role == STK_VARIABLE_PARAMETER &&
           !s->variable.frozen;
}

static size_t count_learnt(const stk_graph *g)
{
    size_t count = 0;
    for (uint32_t i = 1; i < g->symbol_count; i++)
        count += is_learnt(&g->symbols[i]);
    return count;
}

static void put_back(builder *b)
{
    b->g->phase = b->phase;
    stk_graph_set_path(b->g, b->path);
    free(b->parameters);
    b->parameters = b->gradients = NULL;
}

static void fail_with(stk_graph *g, const stk_error *err)
{
    stk_graph_fail(g, err->status, err->component, err->where, "%s", err->message);
}

/* model: with the trained parameters. Names created here have no path prefix. false: the graph has
 * failed and there is nothing to restore. */
static bool begin(builder *b, stk_graph *g, const stk_graph *model,
                  const stk_optimizer_options *options, stk_optimizer_symbols *out)
{
    stk_error err;
    if (out) *out = (stk_optimizer_symbols){0};
    *b = (builder){.g = g,
                   .model = model,
                   .options = options,
                   .phase = g->phase,
                   .count = count_learnt(model)};
    memcpy(b->path, g->path, sizeof b->path);
    if (g->error.status) return false;
    if (stk_graph_check(model, &err) || stk_optimizer_find(options->kind, &b->row, &err) ||
        stk_optimizer_check(options, &err)) {
        fail_with(g, &err);
        return false;
    }
    if (!b->count) {
        stk_graph_fail(g, STK_E_INVALID, "optimizer", NULL,
                       "the graph has nothing to learn: no "
                       "parameter, or all are frozen");
        return false;
    }
    b->parameters = calloc(b->count * 2, sizeof *b->parameters);
    if (!b->parameters) {
        stk_graph_fail(g, STK_E_NOMEM, "optimizer", NULL, "no memory for %zu parameters", b->count);
        return false;
    }
    b->gradients = b->parameters + b->count;
    stk_graph_set_path(g, "");
    return true;
}

/* An optimiser variable of a parameter: prefix + the parameter's name. */
static stk_symbol remember(builder *b, const char *prefix, stk_symbol parameter)
{
    const stk_graph_symbol *of = stk_graph_symbol_of(b->g, parameter);
    char                    name[NAME_CAPACITY];
    if ((size_t)snprintf(name, sizeof name, "%s%s", prefix, of->name) >= sizeof name)
        return stk_graph_fail(b->g, STK_E_LIMIT, "optimizer", of->name,
                              "the name of %s... is longer than %d bytes", prefix,
                              NAME_CAPACITY - 1);
    return stk_graph_variable(b->g, name, STK_DTYPE_F32, of->type.shape,
                              &(stk_variable_options){.role = STK_VARIABLE_OPTIMIZER});
}

static bool scales(const builder *b)
{
    return b->options->loss_scale > 0;
}

static void add_state(builder *b)
{
    stk_variable_options options = {
        .role = STK_VARIABLE_OPTIMIZER,
        .init = {STK_INIT_FIRST, scales(b) ? b->options->loss_scale : 1, 0}};
    b->state = stk_graph_variable(b->g, state_name, STK_DTYPE_F32, stk_shape_1d(STK_STATE_COUNT),
                                  &options);
}

/* The scale is read from the state even if it is 1: a run may resume from a state with another
 * scale, and must divide by that. */
static void differentiate(builder *b, stk_symbol loss)
{
    stk_symbol scale = stk_graph_add1(b->g, &stk_graph_op_loss_scale, b->state, NULL);
    size_t     at = 0;
    for (uint32_t i = 1; i < b->g->symbol_count; i++)
        if (is_learnt(&b->g->symbols[i])) b->parameters[at++] = (stk_symbol){i};
    stk_graph_gradients(b->g, loss, scale, b->parameters, b->count, b->gradients);
}

/* over: number of losses summed in the gradients. */
static void add_guard(builder *b, int over)
{
    stk_guard_attrs attrs = {.multiply = over, .max_norm = b->options->clip_norm};
    stk_symbol      in[2] = {b->state, STK_NO_SYMBOL}, out[2];
    int             inputs = 1;
    if (scales(b)) attrs.growth = 2, attrs.backoff = 0.5, attrs.interval = SCALE_INTERVAL;
    if (scales(b) || b->options->clip_norm > 0)
        stk_graph_add(b->g, &stk_graph_op_gradient_norm, b->gradients, (int)b->count, NULL,
                      &in[inputs++], 1);
    stk_graph_add(b->g, &stk_graph_op_grad_guard, in, inputs, &attrs, out, 2);
    stk_graph_assign(b->g, b->state, out[1]);
    b->guard = out[0];
    b->hyper = stk_graph_input(b->g, "hyper", STK_DTYPE_F32, stk_shape_1d(STK_HYPER_COUNT));
}

static stk_optimizer_attrs attrs_for(const builder *b, const stk_graph_symbol *w)
{
    const stk_optimizer_options *o = b->options;
    bool   is_matrix = w->type.shape.rank > 1; /* neither a bias nor of a norm */
    bool   decays = (is_matrix || o->even_decay) && !w->variable.no_decay;
    double decay = decays ? o->weight_decay : 0;
    return (stk_optimizer_attrs){.rate = w->variable.rate,
                                 .freeze_after = w->variable.freeze_after,
                                 .weight_decay = o->even_decay ? decay / w->variable.rate : decay,
                                 .beta1 = o->beta1,
                                 .beta2 = o->beta2,
                                 .epsilon = o->epsilon,
                                 .trust = b->row->adapt ? o->trust : 0,
                                 .nesterov = b->row->nesterov,
                                 .adapt = b->row->adapt && is_matrix};
}

/* The nodes of an update carry the parameter's name, if it fits. */
static void enter(builder *b, const char *name)
{
    stk_graph_set_path(b->g, strlen(name) < sizeof b->g->path ? name : "");
}

/* Updates the moving average of variable with value. */
static void average(builder *b, stk_symbol variable, stk_symbol value)
{
    if (b->options->ema_decay <= 0) return;
    stk_symbol sum = remember(b, "ema.", variable);
    enter(b, stk_symbol_name(b->g, variable));
    stk_graph_assign(b->g, sum,
                     stk_graph_add3(b->g, &stk_graph_op_ema, sum, value, b->guard,
                                    &(stk_ema_attrs){b->options->ema_decay}));
    stk_graph_set_path(b->g, "");
}

static void update(builder *b, stk_symbol w, stk_symbol gradient)
{
    const stk_graph_symbol symbol = *stk_graph_symbol_of(b->g, w); /* copied: the table may move */
    stk_optimizer_attrs    attrs = attrs_for(b, &symbol);
    stk_symbol in[4 + STK_OPTIMIZER_SLOTS] = {w, gradient}, out[1 + STK_OPTIMIZER_SLOTS];
    int        slots = b->row->slots;
    char       prefix[64];
    for (int i = 0; i < slots; i++) {
        snprintf(prefix, sizeof prefix, "optimizer.%s/", b->row->slot[i]);
        in[2 + i] = remember(b, prefix, w);
    }
    in[2 + slots] = b->hyper;
    in[3 + slots] = b->guard;
    enter(b, symbol.name);
    stk_graph_add(b->g, b->row->op, in, slots + 4, &attrs, out, slots + 1);
    stk_graph_assign(b->g, w, out[0]);
    for (int i = 0; i < slots; i++)
        stk_graph_assign(b->g, in[2 + i], out[1 + i]);
    stk_graph_set_path(b->g, "");
    average(b, w, out[0]);
}

static bool is_part_of_model(const stk_graph_symbol *s)
{
    return s->role == STK_SYMBOL_VARIABLE && (s->variable.role == STK_VARIABLE_PARAMETER ||
                                              s->variable.role == STK_VARIABLE_STATISTIC);
}

/* Includes frozen parameters and statistics, so that the averages are a complete model. */
static void average_rest(builder *b)
{
    const stk_graph *model = b->model;
    for (uint32_t i = 1, end = model->symbol_count; i < end && !b->g->error.status; i++) {
        const stk_graph_symbol s = model->symbols[i]; /* copied: the table may move */
        if (!is_part_of_model(&s) || is_learnt(&s)) continue;
        stk_symbol variable = {i};
        if (model != b->g)
            variable = stk_graph_variable(b->g, s.name, s.type.dtype, s.type.shape, &s.variable);
        bool moves = model == b->g && !stk_symbol_is_none(s.assigned);
        average(b, variable, moves ? s.assigned : variable);
    }
}

static void update_all(builder *b, int over)
{
    b->g->phase = STK_PHASE_UPDATE;
    add_guard(b, over);
    for (size_t i = 0; i < b->count && !b->g->error.status; i++)
        update(b, b->parameters[i], b->gradients[i]);
    if (b->options->ema_decay > 0) average_rest(b);
}

static void set_symbols(const builder *b, stk_optimizer_symbols *out)
{
    if (out && !b->g->error.status) *out = (stk_optimizer_symbols){b->hyper, b->guard, b->count};
}

void stk_optimizer_apply(stk_graph *graph, stk_symbol loss, const stk_optimizer_options *options,
                         stk_optimizer_symbols *out)
{
    builder b;
    if (options->accumulate > 1) {
        stk_graph_fail(graph, STK_E_INVALID, "optimizer", "accumulate",
                       "it is %d, but this updates with every batch: use "
                       "stk_optimizer_accumulate and stk_optimizer_apply_accumulated",
                       options->accumulate);
    }
    if (!begin(&b, graph, graph, options, out)) return;
    add_state(&b);
    differentiate(&b, loss);
    update_all(&b, 1);
    put_back(&b);
    set_symbols(&b, out);
}

void stk_optimizer_accumulate(stk_graph *graph, stk_symbol loss,
                              const stk_optimizer_options *options, stk_optimizer_symbols *out)
{
    builder b;
    if (!begin(&b, graph, graph, options, out)) return;
    add_state(&b);
    differentiate(&b, loss);
    graph->phase = STK_PHASE_UPDATE;
    for (size_t i = 0; i < b.count && !graph->error.status; i++) {
        stk_symbol sum = remember(&b, "optimizer.sum/", b.parameters[i]);
        enter(&b, stk_symbol_name(graph, b.parameters[i]));
        stk_graph_assign(
            graph, sum, stk_graph_add2(graph, &stk_graph_op_accumulate, sum, b.gradients[i], NULL));
        stk_graph_set_path(graph, "");
    }
    put_back(&b);
    set_symbols(&b, out);
}

/* Declares the parameters of model and the sums of their gradients under the same names. */
static void declare(builder *b, const stk_graph *model)
{
    size_t at = 0;
    for (uint32_t i = 1; i < model->symbol_count; i++) {
        const stk_graph_symbol *s = &model->symbols[i];
        if (!is_learnt(s)) continue;
        stk_symbol w =
            stk_graph_variable(b->g, s->name, s->type.dtype, s->type.shape, &s->variable);
        b->parameters[at] = w;
        b->gradients[at++] = remember(b, "optimizer.sum/", w);
    }
}

void stk_optimizer_apply_accumulated(stk_graph *graph, const stk_graph *model,
                                     const stk_optimizer_options *options,
                                     stk_optimizer_symbols       *out)
{
    builder b;
    if (!begin(&b, graph, model, options, out)) return;
    add_state(&b);
    declare(&b, model);
    update_all(&b, options->accumulate > 1 ? options->accumulate : 1);
    for (size_t i = 0; i < b.count && !graph->error.status; i++)
        stk_graph_assign(
            graph, b.gradients[i],
            stk_fill(graph, STK_DTYPE_F32, stk_symbol_shape(graph, b.gradients[i]), 0));
    put_back(&b);
    set_symbols(&b, out);
}

/* Frozen parameters equal their slow copies. */
void stk_optimizer_lookahead(stk_graph *graph, const stk_graph *model)
{
    stk_error err;
    builder   b = {.g = graph, .model = model};
    if (graph->error.status) return;
    if (stk_graph_check(model, &err)) {
        fail_with(graph, &err);
        return;
    }
    graph->phase = STK_PHASE_UPDATE;
    stk_symbol in[3], out[2];
    in[2] = stk_graph_input(graph, "hyper", STK_DTYPE_F32, stk_shape_1d(STK_HYPER_COUNT));
    for (uint32_t i = 1; i < model->symbol_count && !graph->error.status; i++) {
        const stk_graph_symbol *s = &model->symbols[i];
        if (!is_part_of_model(s) || s->variable.frozen) continue;
        in[1] = stk_graph_variable(graph, s->name, s->type.dtype, s->type.shape, &s->variable);
        in[0] = remember(&b, "optimizer.slow/", in[1]);
        enter(&b, s->name);
        stk_graph_add(graph, &stk_graph_op_lookahead, in, 3, NULL, out, 2);
        stk_graph_set_path(graph, "");
        stk_graph_assign(graph, in[0], out[0]);
        stk_graph_assign(graph, in[1], out[1]);
    }
}

double stk_optimizer_lookahead_weight(int64_t interval, int64_t done, int64_t total)
{
    double progress = (double)done / (double)(total > 0 ? total : 1);
    return pow(0.95, (double)interval) * progress * progress * progress;
}

void stk_optimizer_hyper(const stk_hyperparameters *step, float hyper[STK_OPTIMIZER_HYPER])
{
    hyper[STK_HYPER_RATE] = (float)step->rate;
    hyper[STK_HYPER_MOMENTUM] = (float)step->momentum;
    hyper[STK_HYPER_PROGRESS] = (float)step->progress;
    hyper[STK_HYPER_LOOKAHEAD] = (float)step->lookahead_weight;
}

stk_optimizer_report stk_optimizer_read_guard(const float guard[STK_OPTIMIZER_GUARD])
{
    return (stk_optimizer_report){guard[STK_GUARD_SKIP] != 0, (double)guard[STK_GUARD_NORM],
                                  (double)guard[STK_GUARD_STEPS]};
}

stk_status stk_optimizer_read_state(stk_variables *variables, stk_optimizer_state *out,
                                    stk_error *err)
{
    float  state[STK_STATE_COUNT];
    size_t index = stk_variables_find(variables, state_name);
    *out = (stk_optimizer_state){0};
    if (index == SIZE_MAX)
        return stk_fail(err, STK_E_NOTFOUND, "optimizer", state_name,
                        "no program with an optimiser was compiled with these variables");
    STK_TRY(stk_variables_read(variables, index, state, sizeof state, err));
    *out = (stk_optimizer_state){(double)state[STK_STATE_SCALE], (double)state[STK_STATE_STEPS],
                                 (double)state[STK_STATE_SKIPPED]};
    return STK_OK;
}
