/* Small nets that learn on the reference backend by every optimiser. */
#include "harness.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8, FEATURES = 5, HIDDEN = 7, CLASSES = 3, VARIABLES_MOST = 40, ELEMENTS_MAX = 64 };

typedef struct net {
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program, *update; /* update: NULL unless gradients are added up */
} net;

static stk_symbol parameter(stk_graph *g, const char *name, stk_shape shape, bool frozen)
{
    stk_variable_options options = {.init = {STK_INIT_NORMAL, 0, 0.5}, .frozen = frozen};
    return stk_graph_variable(g, name, STK_DTYPE_F32, shape, &options);
}

static stk_symbol layer(stk_graph *g, const char *name, stk_symbol x, int64_t in, int64_t out)
{
    stk_graph_push_scope(g, name);
    stk_symbol y = stk_dense(g, x, parameter(g, "weight", stk_shape_2d(out, in), false),
                             parameter(g, "bias", stk_shape_1d(out), false));
    stk_graph_pop_scope(g);
    return y;
}

static stk_symbol build_net(stk_graph *g, int64_t rows)
{
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(rows, FEATURES));
    stk_symbol t = stk_graph_input(g, "t", STK_DTYPE_F32, stk_shape_2d(rows, CLASSES));
    stk_symbol frozen = parameter(g, "frozen", stk_shape_2d(FEATURES, FEATURES), true);
    stk_symbol h =
        stk_tanh(g, layer(g, "fc1", stk_dense(g, x, frozen, STK_NO_SYMBOL), FEATURES, HIDDEN));
    stk_symbol error = stk_add(g, layer(g, "fc2", h, HIDDEN, CLASSES), stk_scale(g, t, -1, 0));
    stk_symbol flat = stk_reshape(g, error, stk_shape_2d(1, -1));
    stk_symbol squares = stk_matmul(g, flat, flat, &(stk_matmul_options){.transpose_b = true});
    stk_symbol loss = stk_scale(g, stk_reshape(g, squares, stk_shape_scalar()),
                                1.0 / (double)(rows * CLASSES), 0);
    stk_graph_output(g, "loss", loss);
    return loss;
}

static void compile(net *n, stk_graph *g, stk_program **program)
{
    stk_error err;
    EXPECT_OK(stk_graph_verify(g, &err));
    EXPECT_OK(stk_program_compile(program, g, n->variables, NULL, &err));
}

static void start(net *n, const stk_optimizer_options *options, int64_t rows)
{
    stk_error             err;
    stk_graph            *g, *apply;
    stk_optimizer_symbols symbols;
    *n = (net){0};
    EXPECT_OK(stk_device_open(&n->device, "ref", NULL, &err));
    EXPECT_OK(stk_variables_new(&n->variables, n->device, 3, &err));
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol loss = build_net(g, rows);
    if (options->accumulate > 1) {
        stk_optimizer_accumulate(g, loss, options, &symbols);
        EXPECT_OK(stk_graph_new(&apply, NULL, &err));
        stk_optimizer_apply_accumulated(apply, g, options, &symbols);
        compile(n, apply, &n->update);
        stk_graph_free(apply);
    } else {
        stk_optimizer_apply(g, loss, options, &symbols);
        stk_graph_output(g, "guard", symbols.guard);
    }
    EXPECT_INT_EQ(4, symbols.parameters);
    compile(n, g, &n->program);
    stk_graph_free(g);
}

static void end(net *n)
{
    stk_program_free(n->program);
    stk_program_free(n->update);
    stk_variables_free(n->variables);
    stk_device_free(n->device);
}

/* Rows first..first+rows of data that never ends; targets are a function of x. */
static void loader(net *n, int first, int rows)
{
    stk_error err;
    float     x[ROWS * FEATURES], t[ROWS * CLASSES];
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < FEATURES; i++)
            x[r * FEATURES + i] = sinf((float)((first + r) * FEATURES + i) * 1.3f);
        for (int i = 0; i < CLASSES; i++)
            t[r * CLASSES + i] = x[r * FEATURES + i] * x[r * FEATURES + i + 1] + 0.25f;
    }
    EXPECT_OK(stk_program_feed(n->program, "x", x, (size_t)(rows * FEATURES) * sizeof *x, &err));
    EXPECT_OK(stk_program_feed(n->program, "t", t, (size_t)(rows * CLASSES) * sizeof *t, &err));
}

static void feed_hyper(net *n, double rate, double momentum)
{
    stk_error err;
    float     hyper[STK_OPTIMIZER_HYPER];
    stk_optimizer_hyper(&(stk_hyperparameters){.rate = rate, .momentum = momentum}, hyper);
    EXPECT_OK(
        stk_program_feed(n->update ? n->update : n->program, "hyper", hyper, sizeof hyper, &err));
}

static double run(net *n)
{
    stk_error err;
    float     loss;
    EXPECT_OK(stk_program_run(n->program, NULL, &err));
    EXPECT_OK(stk_program_fetch(n->program, "loss", &loss, sizeof loss, &err));
    return (double)loss;
}

static size_t read(net *n, size_t index, float *values)
{
    stk_error         err;
    stk_variable_info info = stk_variables_at(n->variables, index);
    size_t            count = 1;
    for (int d = 0; d < info.shape.rank; d++)
        count *= (size_t)info.shape.dim[d];
    EXPECT(count <= ELEMENTS_MAX);
    EXPECT_OK(stk_variables_read(n->variables, index, values, count * sizeof *values, &err));
    return count;
}

static double rate_of(const char *kind)
{
    bool adam = strcmp(kind, "adamw") == 0 || strcmp(kind, "lamb") == 0;
    return adam ? 0.02 : 0.1;
}

static stk_optimizer_options options_at(size_t index)
{
    stk_optimizer_options options = stk_optimizer_kind_at(index)->defaults;
    options.weight_decay = 1e-3;
    options.trust = 0.1; /* the net is small, and so are its gradients */
    return options;
}

STK_TEST(every_optimiser_brings_the_loss_down)
{
    for (size_t k = 0; stk_optimizer_kind_at(k); k++)
        for (int with = 0; with < 2; with++) {
            stk_optimizer_options options = options_at(k);
            net                   n;
            if (with) options.clip_norm = 1, options.loss_scale = 1024, options.ema_decay = 0.9;
            start(&n, &options, ROWS);
            loader(&n, 0, ROWS);
            feed_hyper(&n, rate_of(options.kind), options.momentum);
            double first = run(&n), last = first;
            for (int s = 0; s < 150; s++)
                last = run(&n);
            if (!(last < first / 4))
                fail_msg("%s: the loss went from %g to %g", options.kind, first, last);
            end(&n);
        }
}

/* All variables of a are in b with the same content, but what only one way needs. */
static void expect_same(net *a, net *b, double tolerance)
{
    for (size_t i = 0; i < stk_variables_count(a->variables); i++) {
        float       x[ELEMENTS_MAX], y[ELEMENTS_MAX];
        const char *name = stk_variables_at(a->variables, i).name;
        if (strcmp(name, "optimizer.state") == 0) continue;
        size_t count = read(a, i, x);
        EXPECT_INT_EQ(count, read(b, stk_variables_find(b->variables, name), y));
        for (size_t j = 0; j < count; j++)
            if (!(fabs((double)(x[j] - y[j])) <= tolerance))
                fail_msg("%s[%zu] is %.9g and %.9g", name, j, (double)x[j], (double)y[j]);
    }
}

STK_TEST(four_micro_batches_are_one_batch_of_four_times_the_size)
{
    for (size_t k = 0; stk_optimizer_kind_at(k); k++) {
        stk_optimizer_options options = options_at(k);
        stk_error             err;
        net                   whole, parts;
        options.clip_norm = 0.5;
        options.ema_decay = 0.75;
        start(&whole, &options, ROWS);
        options.accumulate = 4;
        start(&parts, &options, ROWS / 4);
        feed_hyper(&whole, rate_of(options.kind) / 4, options.momentum);
        feed_hyper(&parts, rate_of(options.kind) / 4, options.momentum);
        for (int s = 0; s < 5; s++) {
            loader(&whole, s * ROWS, ROWS);
            run(&whole);
            for (int p = 0; p < 4; p++) {
                loader(&parts, s * ROWS + p * ROWS / 4, ROWS / 4);
                run(&parts);
            }
            EXPECT_OK(stk_program_run(parts.update, NULL, &err));
        }
        expect_same(&whole, &parts, 1e-6);
        end(&whole);
        end(&parts);
    }
}

STK_TEST(statistics_move_with_every_micro_batch)
{
    stk_optimizer_options options = {.accumulate = 2};
    stk_error             err;
    stk_graph            *g;
    net                   n = {0};
    float                 x[4] = {1, 3, 5, 7}, mean[2];
    EXPECT_OK(stk_device_open(&n.device, "ref", NULL, &err));
    EXPECT_OK(stk_variables_new(&n.variables, n.device, 1, &err));
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_variable_options statistic = {.role = STK_VARIABLE_STATISTIC};
    stk_batch_norm       norm = {
              .gamma = parameter(g, "gamma", stk_shape_1d(1), false),
              .beta = parameter(g, "beta", stk_shape_1d(1), false),
              .mean = stk_graph_variable(g, "mean", STK_DTYPE_F32, stk_shape_1d(1), &statistic),
              .var = stk_graph_variable(g, "var", STK_DTYPE_F32, stk_shape_1d(1), &statistic),
              .momentum = 0.5};
    stk_symbol images = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_4d(1, 2, 2, 1));
    stk_symbol loss = stk_reduce_sum(g, stk_batch_normalize(g, images, &norm), 0, false);
    stk_optimizer_accumulate(g, loss, &options, NULL);
    compile(&n, g, &n.program);
    stk_graph_free(g);
    EXPECT_OK(stk_program_feed(n.program, "x", x, sizeof x, &err));
    for (int i = 0; i < 2; i++) {
        EXPECT_OK(stk_program_run(n.program, NULL, &err));
        read(&n, stk_variables_find(n.variables, "mean"), &mean[i]);
    }
    EXPECT(mean[0] == 2 && mean[1] == 3);
    end(&n);
}

STK_TEST(a_loss_scale_does_not_change_what_is_learnt)
{
    for (size_t k = 0; stk_optimizer_kind_at(k); k++) {
        stk_optimizer_options options = options_at(k);
        stk_optimizer_state   held;
        stk_error             err;
        net                   plain, scaled;
        start(&plain, &options, ROWS);
        options.loss_scale = 4096;
        start(&scaled, &options, ROWS);
        for (int s = 0; s < 5; s++) {
            feed_hyper(&plain, rate_of(options.kind), options.momentum);
            feed_hyper(&scaled, rate_of(options.kind), options.momentum);
            loader(&plain, s, ROWS);
            loader(&scaled, s, ROWS);
            EXPECT(run(&plain) == run(&scaled)); /* a power of two: the same bits */
        }
        EXPECT_OK(stk_optimizer_read_state(scaled.variables, &held, &err));
        EXPECT(held.loss_scale == 4096 && held.steps == 5 && held.skipped == 0);
        end(&plain);
        end(&scaled);
    }
}

STK_TEST(a_step_with_an_infinite_input_is_left_out_and_counted)
{
    float                 before[ELEMENTS_MAX], after[ELEMENTS_MAX], guard[STK_OPTIMIZER_GUARD];
    float                 x[ROWS * FEATURES] = {INFINITY};
    stk_optimizer_options options = options_at(0);
    stk_optimizer_state   held;
    stk_error             err;
    net                   n;
    options.loss_scale = 4096;
    start(&n, &options, ROWS);
    loader(&n, 0, ROWS);
    feed_hyper(&n, 0.1, 0.9);
    run(&n);
    size_t index = stk_variables_find(n.variables, "fc2.weight"), count = read(&n, index, before);
    EXPECT_OK(stk_program_feed(n.program, "x", x, sizeof x, &err));
    run(&n);
    EXPECT_INT_EQ(count, read(&n, index, after));
    EXPECT_MEM_EQ(before, after, count * sizeof *before);
    EXPECT_OK(stk_optimizer_read_state(n.variables, &held, &err));
    EXPECT(held.loss_scale == 2048 && held.steps == 1 && held.skipped == 1);
    EXPECT_OK(stk_program_fetch(n.program, "guard", guard, sizeof guard, &err));
    EXPECT(stk_optimizer_read_guard(guard).skipped);
    end(&n);
}

STK_TEST(what_an_optimiser_remembers_has_the_parameters_names)
{
    static const char *const names[] = {"optimizer.state", "optimizer.mean/fc1.weight",
                                        "optimizer.square/fc2.bias", "ema.fc1.bias"};
    stk_optimizer_options    options = options_at(2);
    net                      n;
    options.ema_decay = 0.5;
    start(&n, &options, ROWS);
    EXPECT_INT_EQ(5 + 1 + 4 * 2 + 5, stk_variables_count(n.variables)); /* averages of all five */
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        size_t index = stk_variables_find(n.variables, names[i]);
        EXPECT(index != SIZE_MAX);
        EXPECT_INT_EQ(STK_VARIABLE_OPTIMIZER, stk_variables_at(n.variables, index).role);
    }
    end(&n);
}

static void dump(stk_graph *g, stk_blob *text)
{
    stk_error err;
    stk_blob_init(text, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_graph_dump(g, text, &err));
    EXPECT_OK(stk_blob_append(text, "", 1, &err));
}

STK_TEST(weight_decay_and_trust_leave_out_what_has_one_dimension)
{
    stk_error             err;
    stk_graph            *g;
    stk_blob              text;
    stk_optimizer_options options;
    EXPECT_OK(stk_optimizer_defaults(&options, "lars", &err));
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_variable_options own = {.no_decay = true, .rate = 64};
    stk_symbol           w = parameter(g, "w", stk_shape_2d(1, 3), false),
               b = parameter(g, "b", stk_shape_1d(1), false);
    stk_symbol v = stk_graph_variable(g, "v", STK_DTYPE_F32, stk_shape_2d(3, 1), &own);
    stk_symbol y = stk_add(g, stk_matmul(g, w, v, NULL), b);
    stk_optimizer_apply(g, stk_reshape(g, y, stk_shape_scalar()), &options, NULL);
    EXPECT_OK(stk_graph_verify(g, &err));
    dump(g, &text);
    EXPECT_CONTAINS("rate=1 decay=5e-05 trust=0.001 adapt : float32[1,3], float32[1,3]  # w",
                    (const char *)text.data);
    EXPECT_CONTAINS("rate=1 decay=0 trust=0.001 : float32[1], float32[1]  # b",
                    (const char *)text.data);
    EXPECT_CONTAINS("rate=64 decay=0 trust=0.001 adapt : float32[3,1], float32[3,1]  # v",
                    (const char *)text.data);
    stk_blob_release(&text);
    stk_graph_free(g);
}

/* weight_decay over the rate of each: a step takes the same share of all. */
STK_TEST(even_decay_is_of_all_and_of_the_same_share)
{
    stk_error             err;
    stk_graph            *g;
    stk_blob              text;
    stk_optimizer_options options = {.kind = "nesterov", .weight_decay = 0.01, .even_decay = true};
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_variable_options fast = {.rate = 64, .freeze_after = 0.5}, none = {.no_decay = true};
    stk_symbol           w = parameter(g, "w", stk_shape_2d(1, 1), false);
    stk_symbol           b = stk_graph_variable(g, "b", STK_DTYPE_F32, stk_shape_1d(1), &fast);
    stk_symbol           n = stk_graph_variable(g, "n", STK_DTYPE_F32, stk_shape_1d(1), &none);
    stk_symbol           y = stk_add(g, stk_add(g, w, b), n);
    stk_optimizer_apply(g, stk_reshape(g, y, stk_shape_scalar()), &options, NULL);
    EXPECT_OK(stk_graph_verify(g, &err));
    dump(g, &text);
    EXPECT_CONTAINS("rate=1 decay=0.01 nesterov : float32[1,1], float32[1,1]  # w",
                    (const char *)text.data);
    EXPECT_CONTAINS(
        "rate=64 decay=0.00015625 freeze_after=0.5 nesterov : float32[1], float32[1]  # b",
        (const char *)text.data);
    EXPECT_CONTAINS("rate=1 decay=0 nesterov : float32[1], float32[1]  # n",
                    (const char *)text.data);
    stk_blob_release(&text);
    stk_graph_free(g);
}

/* The same net twice; the copies of one are made here, in C. */
STK_TEST(lookahead_keeps_slow_copies_of_all_that_moves)
{
    stk_optimizer_options options = options_at(1);
    stk_error             err;
    stk_graph            *model, *g;
    net                   n;
    float hyper[STK_OPTIMIZER_HYPER], lookahead_weight[ELEMENTS_MAX], fast[ELEMENTS_MAX],
        now[ELEMENTS_MAX];
    start(&n, &options, ROWS);
    EXPECT_OK(stk_graph_new(&model, NULL, &err));
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    (void)build_net(model, ROWS);
    stk_optimizer_lookahead(g, model);
    compile(&n, g, &n.update);
    stk_graph_free(g);
    stk_graph_free(model);
    EXPECT(stk_variables_find(n.variables, "optimizer.slow/frozen") == SIZE_MAX);
    size_t of_slow = stk_variables_find(n.variables, "optimizer.slow/fc1.weight");
    size_t of_fast = stk_variables_find(n.variables, "fc1.weight");
    for (int i = 0; i < 3; i++) {
        const double shares[] = {0, 0.75, 1};
        loader(&n, 0, ROWS);
        stk_optimizer_hyper(&(stk_hyperparameters){.rate = 0.1, .momentum = 0.9}, hyper);
        EXPECT_OK(stk_program_feed(n.program, "hyper", hyper, sizeof hyper, &err));
        if (i) run(&n);
        read(&n, of_slow, lookahead_weight);
        size_t count = read(&n, of_fast, fast);
        stk_optimizer_hyper(&(stk_hyperparameters){.lookahead_weight = shares[i]}, hyper);
        EXPECT_OK(stk_program_feed(n.update, "hyper", hyper, sizeof hyper, &err));
        EXPECT_OK(stk_program_run(n.update, NULL, &err));
        read(&n, of_fast, now);
        for (size_t k = 0; k < count; k++)
            EXPECT(fabs(shares[i] * (double)lookahead_weight[k] +
                        (1 - shares[i]) * (double)fast[k] - (double)now[k]) < 1e-6);
        read(&n, of_slow, lookahead_weight);
        EXPECT_MEM_EQ(lookahead_weight, now, count * sizeof *now);
    }
    end(&n);
}

STK_TEST(slow_weights_hold_ever_more)
{
    EXPECT(stk_optimizer_lookahead_weight(5, 0, 476) == 0);
    EXPECT(fabs(stk_optimizer_lookahead_weight(5, 238, 476) - 0.7737809375 / 8) < 1e-12);
    EXPECT(fabs(stk_optimizer_lookahead_weight(5, 476, 476) - 0.7737809375) < 1e-12);
    EXPECT(stk_optimizer_lookahead_weight(5, 0, 0) == 0);
}

static void expect_refused(stk_optimizer_options options, bool frozen, const char *where,
                           const char *part)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_optimizer_symbols symbols;
    stk_symbol loss = stk_reduce_sum(g, parameter(g, "w", stk_shape_1d(3), frozen), 0, false);
    stk_optimizer_apply(g, loss, &options, &symbols);
    EXPECT_STATUS(STK_E_INVALID, stk_graph_check(g, &err));
    EXPECT_STR_EQ("optimizer", err.component);
    EXPECT_STR_EQ(where, err.where);
    EXPECT_CONTAINS(part, err.message);
    EXPECT(stk_symbol_is_none(symbols.guard));
    stk_graph_free(g);
}

STK_TEST(options_that_make_no_sense_are_refused)
{
    expect_refused((stk_optimizer_options){.kind = "adam"}, false, "adam", "did you mean adamw?");
    expect_refused((stk_optimizer_options){.ema_decay = 1}, false, "ema_decay",
                   "it is 1; it must be at least 0 and less than 1");
    expect_refused((stk_optimizer_options){.clip_norm = NAN}, false, "clip_norm", "it is nan");
    expect_refused((stk_optimizer_options){.accumulate = 4}, false, "accumulate",
                   "it is 4, but this updates with every batch");
    expect_refused((stk_optimizer_options){0}, true, "", "nothing to learn");
}

static stk_status build_all(void *context, stk_error *err)
{
    stk_optimizer_options options = options_at(3);
    stk_graph            *g, *apply = NULL;
    (void)context;
    options.clip_norm = 1;
    options.accumulate = 2;
    STK_TRY(stk_graph_new(&g, NULL, err));
    stk_optimizer_accumulate(g, build_net(g, ROWS), &options, NULL);
    stk_status st = stk_graph_check(g, err);
    if (!st) st = stk_graph_new(&apply, NULL, err);
    if (!st) {
        stk_optimizer_apply_accumulated(apply, g, &options, NULL);
        st = stk_graph_check(apply, err);
    }
    stk_graph_free(apply);
    apply = NULL;
    if (!st) st = stk_graph_new(&apply, NULL, err);
    if (!st) {
        stk_optimizer_lookahead(apply, g);
        st = stk_graph_check(apply, err);
    }
    stk_graph_free(apply);
    stk_graph_free(g);
    return st;
}

STK_TEST(building_without_memory_fails_the_graph_and_leaks_nothing)
{
    stk_test_fail_each_allocation(build_all, NULL);
}
