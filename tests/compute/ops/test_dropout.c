/* dropout: rate, dependence of its decisions, gradient, errors. */
#include "compute/ops/known_values.h"
#include "compute/ops/update_ops.h"

enum { ROWS = 40, COLUMNS = 25 };

typedef struct kind {
    stk_dropout_options options;
    int64_t             step;
    int                 before; /* dropouts built before this one */
} kind;

static stk_symbol step_of(stk_graph *g, int64_t step)
{
    return stk_graph_constant(g, "step", STK_DTYPE_I64, stk_shape_scalar(), &step);
}

static int build(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const kind *k = context;
    for (int i = 0; i < k->before; i++)
        stk_dropout(g, in[0], step_of(g, 0), &k->options);
    out[0] = stk_dropout(g, in[0], step_of(g, k->step), &k->options);
    return 1;
}

static void results(const kind *k, float y[ROWS * COLUMNS])
{
    EXPECT_INT_EQ(
        ROWS * COLUMNS,
        op_results(&(op_case){.build = build,
                              .context = k,
                              .inputs = 1,
                              .in = {{.shape = stk_shape_2d(ROWS, COLUMNS), .low = 1, .high = 1}}},
                   "ref", 1, false, y, ROWS * COLUMNS));
}

STK_TEST(dropout_has_the_gradient_of_finite_differences)
{
    const kind kinds[] = {{{.rate = 0.5}, 3, 0}, {{.rate = 0.5, .rows = true}, 1, 1}};
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        EXPECT_GRADIENTS((&(op_case){.build = build,
                                     .context = &kinds[i],
                                     .inputs = 1,
                                     .in = {{.shape = stk_shape_3d(5, 3, 2)}}}),
                         1e-2);
}

STK_TEST(a_quarter_is_dropped_and_the_rest_scaled)
{
    float y[ROWS * COLUMNS];
    int   dropped = 0;
    results(&(kind){{.rate = 0.25}, 7, 0}, y);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        EXPECT(y[i] == 0 || fabsf(y[i] - 1 / 0.75f) < 1e-6f);
        dropped += y[i] == 0;
    }
    EXPECT(dropped > 195 && dropped < 305); /* four deviations */
}

STK_TEST(rows_are_dropped_whole)
{
    float y[ROWS * COLUMNS];
    int   dropped = 0;
    results(&(kind){{.rate = 0.5, .rows = true}, 7, 0}, y);
    for (int row = 0; row < ROWS; row++) {
        for (int i = 1; i < COLUMNS; i++)
            EXPECT(y[row * COLUMNS + i] == y[row * COLUMNS]);
        dropped += y[row * COLUMNS] == 0;
    }
    EXPECT(dropped > 7 && dropped < 33);
}

STK_TEST(the_step_and_the_place_in_the_graph_decide_what_is_dropped)
{
    float      y[3][ROWS * COLUMNS], again[ROWS * COLUMNS];
    const kind kinds[] = {{{.rate = 0.5}, 7, 0}, {{.rate = 0.5}, 8, 0}, {{.rate = 0.5}, 7, 1}};
    for (int i = 0; i < 3; i++)
        results(&kinds[i], y[i]);
    results(&kinds[0], again);
    EXPECT_MEM_EQ(y[0], again, sizeof again);
    for (int i = 0; i < 3; i++) {
        int same = 0;
        for (int e = 0; e < ROWS * COLUMNS; e++)
            same += y[i][e] == y[(i + 1) % 3][e];
        EXPECT(same > 436 && same < 564);
    }
}

/* Every bit of seed, step, stream and index matters. */
STK_TEST(numbers_differ_where_any_part_differs)
{
    const stk_dropout_attrs attrs = {.rate = 0.5, .seed = 5, .stream = 2};
    stk_dropout_attrs       other[3] = {attrs, attrs, attrs};
    other[0].seed += (uint64_t)1 << 40;
    other[1].seed += 1;
    other[2].stream += 1;
    int same[5] = {0};
    for (int64_t i = 0; i < 1000; i++) {
        bool keeps = stk_dropout_keeps(&attrs, 9, i);
        for (int k = 0; k < 3; k++)
            same[k] += keeps == stk_dropout_keeps(&other[k], 9, i);
        same[3] += keeps == stk_dropout_keeps(&attrs, 9 + ((int64_t)1 << 32), i);
        same[4] += keeps == stk_dropout_keeps(&attrs, 9, i + ((int64_t)1 << 40));
    }
    for (int k = 0; k < 5; k++)
        EXPECT(same[k] > 436 && same[k] < 564);
}

STK_TEST(a_rate_of_nothing_adds_nothing)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_1d(3));
    EXPECT_INT_EQ(x.id, stk_dropout(g, x, step_of(g, 0), &(stk_dropout_options){.rate = 0}).id);
    EXPECT_OK(stk_graph_check(g, &err));
    stk_graph_free(g);
}

static void expect_refused(double rate, stk_dtype step, stk_status status, const char *message)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_dropout(g, stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_1d(3)),
                stk_graph_input(g, "step", step, stk_shape_scalar()),
                &(stk_dropout_options){.rate = rate});
    EXPECT_STATUS(status, stk_graph_check(g, &err));
    EXPECT_CONTAINS(message, err.message);
    stk_graph_free(g);
}

STK_TEST(rates_and_steps_that_make_no_sense_are_refused)
{
    expect_refused(1, STK_DTYPE_I64, STK_E_INVALID, "a rate of 1");
    expect_refused(-0.5, STK_DTYPE_I64, STK_E_INVALID, "a rate of -0.5");
    expect_refused(NAN, STK_DTYPE_I64, STK_E_INVALID, "it takes 0 to less than 1");
    expect_refused(0.5, STK_DTYPE_F32, STK_E_TYPE, "the step is float32");
}
