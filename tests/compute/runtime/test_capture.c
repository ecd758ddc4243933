/* Capture of runs, on a reference backend whose captures are lists of calls. */
#include "compute/runtime/backend.h"
#include "compute/runtime/reference.h"
#include "harness.h"
#include <math.h>
#include <stdlib.h>

enum { CALLS = 8, NEVER = -1 };

typedef struct recording {
    int                    count;
    const stk_kernel_call *calls[CALLS];
} recording;

static struct {
    recording *now;     /* the open capture; NULL: none */
    int        alive;   /* captures not freed */
    int        fail_in; /* fails after this many calls, or NEVER */
} tape;

static stk_status run_or_record(const stk_kernel_call *call, stk_error *err)
{
    if (tape.fail_in == 0) return stk_fail(err, STK_E_IO, "tape", NULL, "as it was asked to");
    if (tape.fail_in > 0) tape.fail_in--;
    if (!tape.now) return stk_reference_run(call, err);
    EXPECT(tape.now->count < CALLS);
    tape.now->calls[tape.now->count++] = call;
    return STK_OK;
}

static const stk_kernel kernel = {.name = "tape",
                                  .prepare = stk_reference_prepare,
                                  .run = run_or_record,
                                  .release = stk_reference_release};

static const stk_kernel *find_kernel(const stk_device *device, const stk_graph_op *op,
                                     const stk_op_instance *instance)
{
    (void)device, (void)op, (void)instance;
    return &kernel;
}

static stk_status record(stk_device *device, stk_error *err)
{
    (void)device, (void)err;
    tape.now = calloc(1, sizeof *tape.now);
    EXPECT(tape.now);
    tape.alive++;
    return STK_OK;
}

static stk_status recorded(stk_device *device, void **out, stk_error *err)
{
    (void)device, (void)err;
    *out = tape.now;
    tape.now = NULL;
    return STK_OK;
}

static stk_status play(stk_device *device, void *played, stk_error *err)
{
    const recording *r = played;
    (void)device;
    for (int i = 0; i < r->count; i++)
        STK_TRY(stk_reference_run(r->calls[i], err));
    return STK_OK;
}

static void forget(stk_device *device, void *forgotten)
{
    (void)device;
    if (forgotten) tape.alive--;
    free(forgotten);
}

static stk_device *open_tape(stk_backend *table)
{
    stk_device *device;
    stk_error   err;
    EXPECT_OK(stk_device_open(&device, "ref", NULL, &err));
    *table = stk_backend_ref;
    table->kernel = find_kernel;
    table->capture_begin = record;
    table->capture_end = recorded;
    table->capture_launch = play;
    table->capture_free = forget;
    device->backend = table;
    tape.fail_in = NEVER;
    return device;
}

static void feed(stk_program *program, float x)
{
    stk_error err;
    EXPECT_OK(stk_program_feed(program, "x", &x, sizeof x, &err));
}

static void expect_results(stk_program *program, float x)
{
    stk_error err;
    float     logistic, tangent;
    EXPECT_OK(stk_program_fetch(program, "sigmoid", &logistic, sizeof logistic, &err));
    EXPECT_OK(stk_program_fetch(program, "tanh", &tangent, sizeof tangent, &err));
    EXPECT(fabsf(logistic - 1 / (1 + expf(-x))) < 1e-6f);
    EXPECT(fabsf(tangent - tanhf(x)) < 1e-6f);
}

/* The first run is not captured; the second fails in its second instruction. */
STK_TEST(a_recording_that_failed_half_way_is_not_played)
{
    stk_backend    table;
    stk_device    *device = open_tape(&table);
    stk_graph     *g;
    stk_variables *variables;
    stk_program   *program;
    stk_error      err;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_1d(1));
    stk_graph_output(g, "sigmoid", stk_sigmoid(g, x));
    stk_graph_output(g, "tanh", stk_tanh(g, x));
    EXPECT_OK(stk_variables_new(&variables, device, 1, &err));
    EXPECT_OK(stk_program_compile(&program, g, variables, NULL, &err));
    feed(program, 1);
    EXPECT_OK(stk_program_run(program, NULL, &err));
    expect_results(program, 1);
    tape.fail_in = 1;
    EXPECT_STATUS(STK_E_IO, stk_program_run(program, NULL, &err));
    EXPECT_STATUS(STK_E_IO, stk_program_run(program, NULL, &err));
    EXPECT_INT_EQ(0, tape.alive);
    tape.fail_in = NEVER;
    for (int run = 2; run < 4; run++) {
        feed(program, (float)run);
        EXPECT_OK(stk_program_run(program, NULL, &err));
        expect_results(program, (float)run);
        EXPECT_INT_EQ(1, tape.alive);
    }
    stk_program_free(program);
    EXPECT_INT_EQ(0, tape.alive);
    stk_variables_free(variables);
    stk_graph_free(g);
    stk_device_free(device);
}
