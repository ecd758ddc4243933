/* Optimizer ops against torch 2.15 on the CPU; scripts/golden/print_optimizers.py prints the
 * numbers. */
#include "compute/ops/update_support.h"
#include <string.h>

static const float first[UPDATE_ELEMENTS] = {0.5f, -1.25f, 2, 0.03125f, -0.75f};
static const float gradients[UPDATE_STEPS][UPDATE_ELEMENTS] = {{0.25f, -0.5f, 1, 0.125f, -2},
                                                               {-0.75f, 0.5f, 0.0625f, 3, 0.375f},
                                                               {0.1875f, 1.5f, -1, -0.25f, 0.5f}};
#define RATE 0.125f
#define MOMENTUM 0.875f
#define DECAY 0.0625
#define SGD .op = &stk_graph_op_sgd, .slots = 1, .rate = RATE
#define LARS .op = &stk_graph_op_lars, .slots = 1, .rate = RATE, .momentum = MOMENTUM
#define ADAMW .op = &stk_graph_op_adamw, .slots = 2, .rate = RATE
#define LAMB .op = &stk_graph_op_lamb, .slots = 2, .rate = RATE

typedef struct row {
    const char *name;
    update_case c;
    float       last[UPDATE_ELEMENTS];
} row;

static const row rows[] = {
    {"SGD()",
     {SGD, .attrs = {.rate = 1}},
     {0.5390625f, -1.4375f, 1.9921875f, -0.328125f, -0.609375f}},
    {"SGD(momentum)",
     {SGD, .attrs = {.rate = 1}, .momentum = MOMENTUM},
     {0.569824219f, -1.38964844f, 1.78027344f, -0.681884766f, -0.240234375f}},
    {"SGD(momentum, weight_decay)",
     {SGD, .attrs = {.rate = 1, .weight_decay = DECAY}, .momentum = MOMENTUM},
     {0.548604727f, -1.33748567f, 1.69838619f, -0.679835796f, -0.215076089f}},
    {"SGD(momentum, weight_decay, nesterov)",
     {SGD, .attrs = {.rate = 1, .weight_decay = DECAY, .nesterov = 1}, .momentum = MOMENTUM},
     {0.569825709f, -1.48737812f, 1.68910897f, -0.942500949f, -0.136037946f}},
    {"SGD(momentum) after clip_grad_norm_(1)",
     {SGD, .attrs = {.rate = 1}, .momentum = MOMENTUM, .guard = {.max_norm = 1}},
     {0.507600605f, -1.31449223f, 1.91826224f, -0.192976013f, -0.524808824f}},
    {"AdamW(weight_decay)",
     {ADAMW,
      .attrs = {.rate = 1, .weight_decay = DECAY, .beta1 = .9, .beta2 = .999, .epsilon = 1e-8}},
     {0.454633266f, -1.17881f, 1.74928355f, -0.255847603f, -0.514994979f}},
    {"AdamW(betas=(0.5, 0.75), eps=1e-3)",
     {ADAMW, .attrs = {.rate = 1, .beta1 = .5, .beta2 = .75, .epsilon = 1e-3}},
     {0.482922584f, -1.27665854f, 1.86613929f, -0.258426547f, -0.598818481f}},
    {"AdamW(betas=(0, 0.875))",
     {ADAMW,
      .attrs = {.rate = 1, .weight_decay = DECAY, .beta1 = 0, .beta2 = .875, .epsilon = 1e-8}},
     {0.477227956f, -1.40871072f, 1.97183347f, -0.244217604f, -0.697675705f}},
    {"AdamW whose beta1 is the momentum",
     {ADAMW, .attrs = {.rate = 1, .beta2 = .75, .epsilon = 1e-3}, .momentum = .5f},
     {0.482922584f, -1.27665854f, 1.86613929f, -0.258426547f, -0.598818481f}},
    {"LARS",
     {LARS, .attrs = {.rate = 1, .weight_decay = DECAY, .trust = .001, .adapt = 1}},
     {0.499999702f, -1.25009835f, 1.99972069f, 0.0307090431f, -0.749436438f}},
    {"LARS, nesterov",
     {LARS, .attrs = {.rate = 1, .weight_decay = DECAY, .trust = .02, .adapt = 1, .nesterov = 1}},
     {0.499965906f, -1.25537491f, 1.99455059f, 0.0165487695f, -0.736906588f}},
    {"LARS that does not adapt is SGD",
     {LARS, .attrs = {.rate = 1, .weight_decay = DECAY, .trust = .001}},
     {0.548604727f, -1.33748567f, 1.69838619f, -0.679835796f, -0.215076089f}},
    {"LAMB",
     {LAMB, .attrs = {.rate = 1,
                      .weight_decay = DECAY,
                      .beta1 = .9,
                      .beta2 = .999,
                      .epsilon = 1e-6,
                      .adapt = 1}},
     {0.525659204f, -1.27459502f, 1.6600796f, -0.435339123f, -0.404135406f}},
};

static void expect_near(const char *what, const float *expected, const float *found)
{
    for (int i = 0; i < UPDATE_ELEMENTS; i++)
        if (!(fabsf(expected[i] - found[i]) <= 3e-7f * fmaxf(fabsf(expected[i]), 0.5f)))
            fail_msg("%s: element %d is %.9g but should be %.9g", what, i, (double)found[i],
                     (double)expected[i]);
}

static void run(const update_case *c, const char *backend, float factor, float *last)
{
    updates u;
    updates_start(&u, c, backend, first);
    for (int s = 0; s < UPDATE_STEPS; s++) {
        float g[UPDATE_ELEMENTS];
        for (int i = 0; i < UPDATE_ELEMENTS; i++)
            g[i] = gradients[s][i] * factor;
        updates_step(&u, g);
    }
    updates_read(&u, "w", last, UPDATE_ELEMENTS);
    updates_end(&u);
}

STK_TEST(three_updates_give_the_numbers_of_torch_on_every_backend)
{
    for (size_t b = 0; stk_test_backend_at(b); b++)
        for (size_t r = 0; r < COUNT_OF(rows); r++) {
            float last[UPDATE_ELEMENTS];
            run(&rows[r].c, stk_test_backend_at(b), 1, last);
            expect_near(rows[r].name, rows[r].last, last);
        }
}

STK_TEST(updates_give_the_same_bits_in_place_and_apart)
{
    for (size_t b = 0; stk_test_backend_at(b); b++)
        for (size_t r = 0; r < COUNT_OF(rows); r++) {
            float       in_place[UPDATE_ELEMENTS], apart[UPDATE_ELEMENTS];
            update_case c = rows[r].c;
            run(&c, stk_test_backend_at(b), 1, in_place);
            c.apart = true;
            run(&c, stk_test_backend_at(b), 1, apart);
            EXPECT_MEM_EQ(in_place, apart, sizeof apart);
        }
}

STK_TEST(the_loss_scale_and_the_number_of_micro_batches_are_divided_out)
{
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        float       last[UPDATE_ELEMENTS];
        update_case c = rows[r].c;
        c.scale = 1024;
        c.guard.multiply = 4;
        run(&c, "ref", 4096, last);
        expect_near(rows[r].name, rows[r].last, last);
    }
}

STK_TEST(a_parameter_has_its_own_rate)
{
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        float       last[UPDATE_ELEMENTS];
        update_case c = rows[r].c;
        c.attrs.rate = 4;
        c.rate /= 4;
        run(&c, "ref", 1, last);
        expect_near(rows[r].name, rows[r].last, last);
    }
}

static bool same_state(updates *u, const char *const *names, float before[][UPDATE_ELEMENTS])
{
    bool same = true;
    for (int i = 0; names[i]; i++) {
        float now[UPDATE_ELEMENTS];
        updates_read(u, names[i], now, UPDATE_ELEMENTS);
        same &= memcmp(now, before[i], sizeof now) == 0;
    }
    return same;
}

static void skip_one(const update_case *c, const char *backend, float bad)
{
    static const char *const names[] = {"w", "average", "m", "v", NULL};
    float                    before[4][UPDATE_ELEMENTS], g[UPDATE_ELEMENTS] = {1, 2, bad, 3, 4};
    const char              *some[5] = {0};
    updates                  u;
    updates_start(&u, c, backend, first);
    updates_step(&u, gradients[0]);
    for (int i = 0; i <= c->slots + 1; i++) {
        some[i] = names[i];
        updates_read(&u, names[i], before[i], UPDATE_ELEMENTS);
    }
    updates_step(&u, g);
    EXPECT(same_state(&u, some, before));
    float state[STK_STATE_COUNT];
    updates_read(&u, "state", state, STK_STATE_COUNT);
    EXPECT(state[STK_STATE_STEPS] == 1 && state[STK_STATE_SKIPPED] == 1);
    updates_step(&u, gradients[1]);
    EXPECT(!same_state(&u, some, before));
    updates_end(&u);
}

STK_TEST(a_gradient_that_is_not_finite_changes_nothing)
{
    for (size_t i = 0; i < COUNT_OF(rows) * 2; i++) {
        update_case c = rows[i / 2].c;
        c.guard = (stk_guard_attrs){.max_norm = 1e6};
        c.ema = 0.9;
        c.apart = i % 2;
        for (size_t b = 0; stk_test_backend_at(b); b++) {
            skip_one(&c, stk_test_backend_at(b), NAN);
            skip_one(&c, stk_test_backend_at(b), -INFINITY);
            skip_one(&c, stk_test_backend_at(b), 3e38f); /* its square overflows float32 */
        }
    }
}

STK_TEST(averages_start_with_the_parameter_and_follow_it)
{
    const float expected[UPDATE_ELEMENTS] = {0.506469727f, -1.23950195f, 1.8293457f, -0.231628418f,
                                             -0.402832031f};
    float       average[UPDATE_ELEMENTS];
    updates     u;
    update_case c = {SGD, .attrs = {.rate = 1}, .momentum = MOMENTUM, .ema = 0.75};
    updates_start(&u, &c, "ref", first);
    for (int s = 0; s < UPDATE_STEPS; s++)
        updates_step(&u, gradients[s]);
    updates_read(&u, "average", average, UPDATE_ELEMENTS);
    expect_near("AveragedModel", expected, average);
    updates_end(&u);
}

STK_TEST(a_parameter_learns_until_its_share_of_training_is_gone)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t b = 0; stk_test_backend_at(b); b++) {
            float       before[UPDATE_ELEMENTS], after[UPDATE_ELEMENTS];
            stk_error   err;
            updates     u;
            update_case c = rows[i].c;
            c.attrs.freeze_after = 0.3;
            float hyper[STK_HYPER_COUNT] = {c.rate, c.momentum, 0.299f};
            updates_start(&u, &c, stk_test_backend_at(b), first);
            EXPECT_OK(stk_program_feed(u.program, "hyper", hyper, sizeof hyper, &err));
            updates_step(&u, gradients[0]);
            updates_read(&u, "w", before, UPDATE_ELEMENTS);
            EXPECT(memcmp(before, first, sizeof before) != 0);
            hyper[STK_HYPER_PROGRESS] = 0.3f;
            EXPECT_OK(stk_program_feed(u.program, "hyper", hyper, sizeof hyper, &err));
            updates_step(&u, gradients[1]);
            updates_read(&u, "w", after, UPDATE_ELEMENTS);
            EXPECT_MEM_EQ(before, after, sizeof before);
            updates_end(&u);
        }
}

static void look_ahead(const char *backend, float share, bool apart, float slow[2], float w[2])
{
    stk_error   err;
    stk_graph  *g;
    updates     u;
    const float hyper[STK_HYPER_COUNT] = {[STK_HYPER_LOOKAHEAD] = share};
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol in[3] = {update_variable(g, "slow", 2), update_variable(g, "w", 2)}, out[2];
    in[2] = stk_graph_input(g, "hyper", STK_DTYPE_F32, stk_shape_1d(STK_HYPER_COUNT));
    stk_graph_add(g, &stk_graph_op_lookahead, in, 3, NULL, out, 2);
    for (int i = 0; i < 2; i++) {
        stk_graph_assign(g, in[i], out[i]);
        if (apart) stk_graph_output(g, i ? "old w" : "old slow", in[i]);
    }
    EXPECT_OK(stk_graph_verify(g, &err));
    EXPECT_OK(stk_device_open(&u.device, backend, NULL, &err));
    EXPECT_OK(stk_variables_new(&u.variables, u.device, 1, &err));
    EXPECT_OK(stk_program_compile(&u.program, g, u.variables, NULL, &err));
    stk_graph_free(g);
    updates_write(&u, "slow", slow, 2);
    updates_write(&u, "w", w, 2);
    EXPECT_OK(stk_program_feed(u.program, "hyper", hyper, sizeof hyper, &err));
    EXPECT_OK(stk_program_run(u.program, NULL, &err));
    updates_read(&u, "slow", slow, 2);
    updates_read(&u, "w", w, 2);
    updates_end(&u);
}

/* torch: slow.lerp_(w, 1 - share); w.copy_(slow) */
STK_TEST(lookahead_moves_the_slow_copy_and_the_parameter_to_one_place)
{
    static const struct {
        float share, expected[2];
    } cases[] = {{0, {3, -2}}, {0.25f, {2.5f, -0.5f}}, {0.75f, {1.5f, 2.5f}}, {1, {1, 4}}};
    for (size_t b = 0; stk_test_backend_at(b); b++)
        for (size_t i = 0; i < COUNT_OF(cases) * 2; i++) {
            float slow[2] = {1, 4}, w[2] = {3, -2};
            look_ahead(stk_test_backend_at(b), cases[i / 2].share, i % 2, slow, w);
            EXPECT_MEM_EQ(cases[i / 2].expected, slow, sizeof slow);
            EXPECT_MEM_EQ(cases[i / 2].expected, w, sizeof w);
        }
}

STK_TEST(the_norm_before_clipping_can_be_read)
{
    const float expected[UPDATE_STEPS] = {2.30827308f, 3.15547633f, 1.8967489f};
    stk_error   err;
    updates     u;
    update_case c = {SGD, .attrs = {.rate = 1}, .guard = {.max_norm = 1}, .scale = 8};
    updates_start(&u, &c, "ref", first);
    for (int s = 0; s < UPDATE_STEPS; s++) {
        float g[UPDATE_ELEMENTS], guard[STK_GUARD_COUNT];
        for (int i = 0; i < UPDATE_ELEMENTS; i++)
            g[i] = gradients[s][i] * 8;
        updates_step(&u, g);
        EXPECT_OK(stk_program_fetch(u.program, "guard", guard, sizeof guard, &err));
        EXPECT(fabsf(guard[STK_GUARD_NORM] - expected[s]) < 1e-6f);
        EXPECT(fabsf(guard[STK_GUARD_MULTIPLY] * 8 - 1 / (expected[s] + 1e-6f)) < 1e-7f);
        EXPECT(guard[STK_GUARD_STEPS] == (float)(s + 1) && guard[STK_GUARD_SKIP] == 0);
    }
    updates_end(&u);
}

/* torch.amp.GradScaler(init_scale=16, growth_interval=2) over the same clean and bad steps. */
STK_TEST(the_loss_scale_grows_after_clean_steps_and_backs_off)
{
    const bool  bad[] = {false, false, false, true, false, false, true, true, true};
    const float scale[] = {16, 32, 32, 16, 16, 32, 16, 8, 4};
    float       g[UPDATE_ELEMENTS] = {1, 1, 1, 1, 1}, held[STK_STATE_COUNT];
    update_case c = {SGD, .attrs = {.rate = 1},
                     .guard = {.growth = 2, .backoff = .5, .interval = 2}, .scale = 16};
    updates     u;
    updates_start(&u, &c, "ref", first);
    for (size_t s = 0; s < COUNT_OF(bad); s++) {
        g[2] = bad[s] ? INFINITY : 1;
        updates_step(&u, g);
        updates_read(&u, "state", held, STK_STATE_COUNT);
        EXPECT(held[STK_STATE_SCALE] == scale[s]);
    }
    EXPECT(held[STK_STATE_STEPS] == 5 && held[STK_STATE_SKIPPED] == 4);
    for (int s = 0; s < 40; s++)
        updates_step(&u, (g[2] = NAN, g));
    updates_read(&u, "state", held, STK_STATE_COUNT);
    EXPECT(held[STK_STATE_SCALE] == 0x1p-24f);
    updates_end(&u);
}

STK_TEST(a_norm_is_over_any_number_of_tensors)
{
    stk_error      err;
    stk_graph     *g;
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
    stk_symbol     in[20], norm;
    float          found[2];
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    for (int i = 0; i < 20; i++)
        in[i] = stk_fill(g, STK_DTYPE_F32, stk_shape_2d(i, 3), i == 19 ? NAN : 2);
    stk_graph_add(g, &stk_graph_op_gradient_norm, in, 20, NULL, &norm, 1);
    stk_graph_output(g, "norm", norm);
    EXPECT_OK(stk_device_open(&device, "ref", NULL, &err));
    EXPECT_OK(stk_variables_new(&variables, device, 1, &err));
    EXPECT_OK(stk_program_compile(&program, g, variables, NULL, &err));
    EXPECT_OK(stk_program_run(program, NULL, &err));
    EXPECT_OK(stk_program_fetch(program, "norm", found, sizeof found, &err));
    EXPECT(found[0] == 4 * 3 * 171 && found[1] == 57);
    stk_program_free(program);
    stk_variables_free(variables);
    stk_device_free(device);
    stk_graph_free(g);
}

static stk_symbol input(stk_graph *g, const char *name, stk_dtype dtype, int64_t count)
{
    return stk_graph_input(g, name, dtype, stk_shape_1d(count));
}

static void expect_refusal(const stk_graph_op *op, const stk_symbol *in, int inputs,
                           const void *attrs, stk_graph *g, stk_status status, const char *part)
{
    stk_error  err;
    stk_symbol out[3];
    stk_graph_add(g, op, in, inputs, attrs, out, op->outputs);
    EXPECT_STATUS(status, stk_graph_check(g, &err));
    EXPECT_CONTAINS(part, err.message);
    stk_graph_free(g);
}

STK_TEST(updates_of_other_shapes_and_types_are_refused_with_both)
{
    const stk_optimizer_attrs attrs = {.rate = 1};
    const stk_guard_attrs     clip = {.multiply = 1, .max_norm = 1};
    stk_error                 err;
    stk_graph                *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol wrong_g[] = {input(g, "w", STK_DTYPE_F32, 3), input(g, "g", STK_DTYPE_F32, 4),
                            input(g, "m", STK_DTYPE_F32, 3), input(g, "h", STK_DTYPE_F32, 4),
                            input(g, "k", STK_DTYPE_F32, 4)};
    expect_refusal(&stk_graph_op_sgd, wrong_g, 5, &attrs, g, STK_E_SHAPE,
                   "input 1 has shape [4] but must have [3], as the parameter");
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol half[] = {input(g, "w", STK_DTYPE_F16, 3), input(g, "g", STK_DTYPE_F16, 3),
                         input(g, "m", STK_DTYPE_F32, 3), input(g, "h", STK_DTYPE_F32, 4),
                         input(g, "k", STK_DTYPE_F32, 4)};
    expect_refusal(&stk_graph_op_lars, half, 5, &attrs, g, STK_E_TYPE,
                   "input 0 is float16; updates take float32");
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol hyper[] = {input(g, "w", STK_DTYPE_F32, 3), input(g, "g", STK_DTYPE_F16, 3),
                          input(g, "m", STK_DTYPE_F32, 3), input(g, "v", STK_DTYPE_F32, 3),
                          input(g, "h", STK_DTYPE_F32, 3), input(g, "k", STK_DTYPE_F32, 4)};
    expect_refusal(&stk_graph_op_adamw, hyper, 6, &attrs, g, STK_E_SHAPE,
                   "input 4 has shape [3] but must have [4], as hyper");
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol held = input(g, "s", STK_DTYPE_F32, 4);
    expect_refusal(&stk_graph_op_grad_guard, &held, 1, &clip, g, STK_E_INVALID, "take a norm");
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol sum[] = {input(g, "s", STK_DTYPE_F32, 3), input(g, "g", STK_DTYPE_I32, 3)};
    expect_refusal(&stk_graph_op_accumulate, sum, 2, NULL, g, STK_E_TYPE, "input 1 is int32");
}
