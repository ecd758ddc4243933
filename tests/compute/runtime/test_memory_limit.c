/* A program that cannot fit is refused before it allocates, with the batch that would fit. */
#include "compute/runtime/backend.h"
#include "harness.h"

STK_TEST(a_batch_that_does_not_fit_is_told_with_the_one_that_would)
{
    stk_error      err;
    stk_ledger    *ledger;
    stk_graph     *g;
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
    EXPECT_OK(stk_ledger_new(&ledger, 8 << 20, &err));
    EXPECT_OK(stk_device_open(&device, "ref", &(stk_device_options){.ledger = ledger}, &err));
    EXPECT_OK(stk_variables_new(&variables, device, 1, &err));
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(1000, 1000));
    stk_symbol y = stk_sigmoid(g, x);
    for (int i = 0; i < 4; i++)
        y = stk_mul(g, y, x);
    stk_graph_output(g, "y", stk_add(g, y, stk_relu(g, x)));
    EXPECT_STATUS(STK_E_NOMEM, stk_program_compile(
                                   &program, g, variables,
                                   &(stk_program_options){.name = "large", .batch = 1000}, &err));
    EXPECT_STR_EQ("large", err.where);
    EXPECT_CONTAINS("activations", err.message);
    EXPECT_CONTAINS("a batch of ", err.message);
    stk_graph_free(g);
    stk_variables_free(variables);
    stk_device_free(device);
    stk_ledger_unref(ledger);
}

static uint64_t all_memory(const stk_device *device)
{
    (void)device;
    return 100 << 20;
}

static uint64_t little_memory(const stk_device *device)
{
    (void)device;
    return 10 << 20;
}

STK_TEST(on_a_device_that_others_use_what_they_leave_counts)
{
    stk_error      err;
    stk_graph     *g;
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
    EXPECT_OK(stk_device_open(&device, "ref", NULL, &err));
    stk_backend shared = *device->backend;
    shared.memory = all_memory;
    shared.memory_free = little_memory;
    device->backend = &shared;
    EXPECT_OK(stk_variables_new(&variables, device, 1, &err));
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_U8, stk_shape_2d(1000, 1000));
    stk_symbol y = stk_cast(g, x, STK_DTYPE_F32);
    stk_graph_output(g, "y", stk_mul(g, stk_sigmoid(g, y), stk_tanh(g, y)));
    const stk_program_options options = {.name = "large", .batch = 1000};
    EXPECT_STATUS(STK_E_NOMEM, stk_program_compile(&program, g, variables, &options, &err));
    EXPECT_CONTAINS("and 8 MB are there (other programs have 94 of 105 MB)", err.message);
    EXPECT_CONTAINS("a batch of ", err.message);
    stk_graph_free(g);
    stk_variables_free(variables);
    stk_device_free(device);
}
