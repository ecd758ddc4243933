/* Fetch queue: results are ready at once on a synchronous device. */
#include "harness.h"

typedef struct trial {
    stk_device      *device;
    stk_variables   *variables;
    stk_program     *program;
    stk_fetch_queue *queue;
} trial;

static void begin(trial *t, size_t slots)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_device_open(&t->device, "ref", NULL, &err));
    EXPECT_OK(stk_variables_new(&t->variables, t->device, 1, &err));
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(1, 2));
    stk_graph_output(g, "y", stk_relu(g, x));
    EXPECT_OK(stk_program_compile(&t->program, g, t->variables, NULL, &err));
    stk_graph_free(g);
    EXPECT_OK(stk_fetch_queue_new(&t->queue, t->device, slots, 12, &err));
}

static void end(trial *t)
{
    stk_fetch_queue_free(t->queue);
    stk_program_free(t->program);
    stk_variables_free(t->variables);
    stk_device_free(t->device);
}

static stk_status run(trial *t, float value, stk_error *err)
{
    const float x[2] = {value, -value};
    STK_TRY(stk_fetch_queue_begin(t->queue, err));
    STK_TRY(stk_program_feed(t->program, "x", x, sizeof x, err));
    STK_TRY(stk_program_run(t->program, NULL, err));
    STK_TRY(stk_fetch_queue_add(t->queue, t->program, "y", 4, sizeof x, err));
    return stk_fetch_queue_commit(t->queue, err);
}

STK_TEST(results_come_in_the_order_of_their_runs)
{
    trial                t;
    stk_error            err;
    stk_fetch_queue_slot slot;
    begin(&t, 3);
    EXPECT(!stk_device_is_asynchronous(t.device));
    EXPECT_OK(stk_fetch_queue_pop(t.queue, true, &slot, &err));
    EXPECT(!slot.data);
    for (int round = 0; round < 5; round++) {
        EXPECT_OK(run(&t, 1.0f + (float)round, &err));
        EXPECT_OK(run(&t, 2.0f + (float)round, &err));
        EXPECT_INT_EQ(2, stk_fetch_queue_in_flight(t.queue));
        for (int i = 0; i < 2; i++) {
            EXPECT_OK(stk_fetch_queue_pop(t.queue, i, &slot, &err));
            EXPECT(((const float *)slot.data)[1] == (float)(1 + i + round));
            EXPECT(((const float *)slot.data)[2] == 0);
            EXPECT_INT_EQ(0, slot.device_ns);
        }
    }
    end(&t);
}

STK_TEST(a_ring_that_is_full_and_a_slot_that_is_too_small_are_refused)
{
    trial            t;
    stk_error        err;
    stk_fetch_queue *none;
    begin(&t, 1);
    EXPECT_OK(run(&t, 1, &err));
    EXPECT_STATUS(STK_E_LIMIT, run(&t, 2, &err));
    EXPECT_CONTAINS("pop one first", err.message);
    end(&t);
    begin(&t, 2);
    EXPECT_OK(stk_fetch_queue_begin(t.queue, &err));
    EXPECT_STATUS(STK_E_RANGE, stk_fetch_queue_add(t.queue, t.program, "y", 8, 8, &err));
    EXPECT_STATUS(STK_E_SHAPE, stk_fetch_queue_add(t.queue, t.program, "y", 0, 4, &err));
    EXPECT_STATUS(STK_E_NOTFOUND, stk_fetch_queue_add(t.queue, t.program, "z", 0, 4, &err));
    EXPECT_STATUS(STK_E_NOTFOUND, stk_fetch_queue_add_at(t.queue, t.program, 9, 0, 4, &err));
    EXPECT_STATUS(STK_E_SHAPE, stk_fetch_queue_add_at(t.queue, t.program, 0, 0, 4, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_fetch_queue_new(&none, t.device, 0, 4, &err));
    EXPECT_STATUS(STK_E_INVALID,
                  stk_fetch_queue_new(&none, t.device, STK_FETCH_QUEUE_SLOTS_MAX + 1, 4, &err));
    end(&t);
}

static stk_status make_queue(void *context, stk_error *err)
{
    trial           *t = context;
    stk_fetch_queue *queue;
    STK_TRY(stk_fetch_queue_new(&queue, t->device, 3, 64, err));
    stk_fetch_queue_free(queue);
    return STK_OK;
}

STK_TEST(no_memory_is_told_and_leaves_nothing)
{
    trial t;
    begin(&t, 1);
    stk_test_fail_each_allocation(make_queue, &t);
    end(&t);
}
