/* schedule: updates come right after their gradients, and after readers of the variables they
 * overwrite. */
#include "compute/passes/pass_support.h"

static stk_graph *new_graph(void)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    return g;
}

/* Two dense layers with gradients and gradient descent; updates are built last. */
static stk_graph *two_layers(void)
{
    stk_graph *g = new_graph();
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(4, 3)), grads[2];
    stk_symbol w[2] = {stk_graph_variable(g, "a", STK_DTYPE_F32, stk_shape_2d(3, 3), NULL),
                       stk_graph_variable(g, "b", STK_DTYPE_F32, stk_shape_2d(3, 3), NULL)};
    stk_symbol h = stk_matmul(g, x, w[0], NULL);
    stk_symbol loss = stk_reduce_sum(g, stk_tanh(g, stk_matmul(g, h, w[1], NULL)), 0, false);
    stk_graph_gradients(g, loss, STK_NO_SYMBOL, w, 2, grads);
    g->phase = STK_PHASE_UPDATE;
    for (int i = 0; i < 2; i++)
        stk_graph_assign(g, w[i], stk_add(g, w[i], stk_scale(g, grads[i], -0.1, 0)));
    stk_graph_output(g, "loss", loss);
    return g;
}

STK_TEST(an_update_follows_its_gradient_and_the_last_reader_of_the_variable)
{
    EXPECT_TEXT_AFTER("%1 = input \"x\" : float32[4,3]\n"
                      "%2 = variable \"a\" : float32[3,3]\n"
                      "%3 = variable \"b\" : float32[3,3]\n"
                      "%4 = matmul(%1, %2) : float32[4,3]\n"
                      "%5 = matmul(%4, %3) : float32[4,3]\n"
                      "%6 = tanh(%5) : float32[4,3]\n"
                      "%7 = reduce_sum(%6) axes=0,1 : float32[]\n"
                      "%8 = fill() value=1 : float32[]\n"
                      "%9 = reshape(%8) : float32[1,1]\n"
                      "%10 = broadcast(%9) : float32[4,3]\n"
                      "%11 = tanh_grad(%10, %6) : float32[4,3]\n"
                      "%12 = matmul(%11, %3) tb : float32[4,3]\n"
                      "%13 = matmul(%4, %11) ta  : float32[3,3]\n"
                      "%14 = scale(%13) scale=-0.1 shift=0 : float32[3,3]\n"
                      "%15 = add(%3, %14) : float32[3,3]\n"
                      "%16 = matmul(%1, %12) ta  : float32[3,3]\n"
                      "%17 = scale(%16) scale=-0.1 shift=0 : float32[3,3]\n"
                      "%18 = add(%2, %17) : float32[3,3]\n"
                      "assign \"a\" = %18\n"
                      "assign \"b\" = %15\n"
                      "output \"loss\" = %7\n",
                      two_layers(), stk_pass_schedule);
}

STK_TEST(together_updates_come_last_and_level_by_level)
{
    EXPECT_TEXT_WITH("%1 = input \"x\" : float32[4,3]\n"
                     "%2 = variable \"a\" : float32[3,3]\n"
                     "%3 = variable \"b\" : float32[3,3]\n"
                     "%4 = matmul(%1, %2) : float32[4,3]\n"
                     "%5 = matmul(%4, %3) : float32[4,3]\n"
                     "%6 = tanh(%5) : float32[4,3]\n"
                     "%7 = reduce_sum(%6) axes=0,1 : float32[]\n"
                     "%8 = fill() value=1 : float32[]\n"
                     "%9 = reshape(%8) : float32[1,1]\n"
                     "%10 = broadcast(%9) : float32[4,3]\n"
                     "%11 = tanh_grad(%10, %6) : float32[4,3]\n"
                     "%12 = matmul(%11, %3) tb : float32[4,3]\n"
                     "%13 = matmul(%4, %11) ta  : float32[3,3]\n"
                     "%14 = matmul(%1, %12) ta  : float32[3,3]\n"
                     "%15 = scale(%13) scale=-0.1 shift=0 : float32[3,3]\n"
                     "%16 = scale(%14) scale=-0.1 shift=0 : float32[3,3]\n"
                     "%17 = add(%3, %15) : float32[3,3]\n"
                     "%18 = add(%2, %16) : float32[3,3]\n"
                     "assign \"a\" = %18\n"
                     "assign \"b\" = %17\n"
                     "output \"loss\" = %7\n",
                     two_layers(), &(stk_pass_context){.group_small_ops = true}, stk_pass_schedule);
}

STK_TEST(together_casts_of_variables_come_first_and_readers_of_updates_after_them)
{
    stk_graph *g = new_graph();
    stk_symbol v = stk_graph_variable(g, "v", STK_DTYPE_F32, stk_shape_1d(2), NULL);
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_1d(2));
    g->phase = STK_PHASE_UPDATE;
    stk_symbol next = stk_add(g, v, x);
    stk_graph_assign(g, v, next);
    g->phase = STK_PHASE_FORWARD;
    stk_symbol y = stk_scale(g, x, 2, 0), half = stk_cast(g, v, STK_DTYPE_F16);
    stk_graph_output(g, "y", y);
    stk_graph_output(g, "half", half);
    stk_graph_output(g, "twice", stk_scale(g, next, 2, 0));
    EXPECT_TEXT_WITH("%1 = variable \"v\" : float32[2]\n"
                     "%2 = input \"x\" : float32[2]\n"
                     "%3 = cast(%1) to=float16 : float16[2]\n"
                     "%4 = scale(%2) scale=2 shift=0 : float32[2]\n"
                     "%5 = add(%1, %2) : float32[2]\n"
                     "%6 = scale(%5) scale=2 shift=0 : float32[2]\n"
                     "assign \"v\" = %5\n"
                     "output \"y\" = %4\n"
                     "output \"half\" = %3\n"
                     "output \"twice\" = %6\n",
                     g, &(stk_pass_context){.group_small_ops = true}, stk_pass_schedule);
}

STK_TEST(an_update_that_a_later_reader_needs_keeps_its_place_before_it)
{
    stk_graph *g = new_graph();
    stk_symbol v = stk_graph_variable(g, "v", STK_DTYPE_F32, stk_shape_1d(2), NULL);
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_1d(2));
    g->phase = STK_PHASE_UPDATE;
    stk_symbol next = stk_add(g, v, x);
    stk_graph_assign(g, v, next);
    g->phase = STK_PHASE_FORWARD;
    stk_graph_output(g, "change", stk_add(g, next, stk_scale(g, v, -1, 0)));
    EXPECT_TEXT_AFTER("%1 = variable \"v\" : float32[2]\n"
                      "%2 = input \"x\" : float32[2]\n"
                      "%3 = add(%1, %2) : float32[2]\n"
                      "%4 = scale(%1) scale=-1 shift=0 : float32[2]\n"
                      "%5 = add(%3, %4) : float32[2]\n"
                      "assign \"v\" = %3\n"
                      "output \"change\" = %5\n",
                      g, stk_pass_schedule);
}

static void train(unsigned off, float *weights, stk_memory_plan *plan)
{
    stk_error      err;
    stk_graph     *g = two_layers();
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
    EXPECT_OK(stk_device_open(&device, "ref", NULL, &err));
    EXPECT_OK(stk_variables_new(&variables, device, 1, &err));
    EXPECT_OK(stk_program_compile(&program, g, variables, &(stk_program_options){.passes_off = off},
                                  &err));
    stk_graph_free(g);
    float x[12], w[9];
    for (int i = 0; i < 12; i++)
        x[i] = sinf((float)i);
    for (int i = 0; i < 9; i++)
        w[i] = cosf((float)i);
    EXPECT_OK(stk_program_feed(program, "x", x, sizeof x, &err));
    for (size_t v = 0; v < 2; v++)
        EXPECT_OK(stk_variables_write(variables, v, w, sizeof w, &err));
    for (int i = 0; i < 10; i++)
        EXPECT_OK(stk_program_run(program, NULL, &err));
    for (size_t v = 0; v < 2; v++)
        EXPECT_OK(stk_variables_read(variables, v, weights + 9 * v, sizeof w, &err));
    *plan = stk_program_memory(program);
    stk_program_free(program);
    stk_variables_free(variables);
    stk_device_free(device);
}

STK_TEST(training_in_another_order_gives_the_same_bits_in_no_more_memory)
{
    float           with[18], without[18];
    stk_memory_plan plan, plan_without;
    train(0, with, &plan);
    train(STK_GRAPH_PASS_SCHEDULE, without, &plan_without);
    EXPECT_MEM_EQ(without, with, sizeof with);
    EXPECT(plan.arena <= plan_without.arena);
}
