/* The cost of launching an operation: a program of many operations on one number each. */
#include "base/clock.h"

#include <stoker/ops.h>
#include <stoker/profiler.h>
#include <stoker/program.h>

enum { OPERATIONS = 32, BLOCKS = 20, RUNS = 20 };

typedef struct trial {
    stk_graph     *graph;
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
} trial;

static stk_status compile(trial *t, const char *backend, stk_error *err)
{
    STK_TRY(stk_graph_new(&t->graph, NULL, err));
    stk_symbol x = stk_graph_input(t->graph, "x", STK_DTYPE_F32, stk_shape_2d(1, 1));
    for (int i = 0; i < OPERATIONS; i++)
        x = stk_softmax(t->graph, x);
    stk_graph_output(t->graph, "y", x);
    STK_TRY(stk_graph_check(t->graph, err));
    STK_TRY(stk_device_open(&t->device, backend, NULL, err));
    STK_TRY(stk_variables_new(&t->variables, t->device, 1, err));
    return stk_program_compile(&t->program, t->graph, t->variables, NULL, err);
}

/* The fastest block: nothing else was in between. Runs are only enqueued on an asynchronous device;
 * fetching waits for them. */
static stk_status measure(const trial *t, double *ns, stk_error *err)
{
    const size_t operations = stk_program_instruction_count(t->program);
    float        y;
    *ns = -1;
    for (int b = 0; b < BLOCKS && operations; b++) {
        const uint64_t begin = stk_clock_ns();
        for (int i = 0; i < RUNS; i++)
            STK_TRY(stk_program_run(t->program, NULL, err));
        STK_TRY(stk_program_fetch(t->program, "y", &y, sizeof y, err));
        const double one = (double)(stk_clock_ns() - begin) / RUNS / (double)operations;
        if (*ns < 0 || one < *ns) *ns = one;
    }
    return STK_OK;
}

double stk_profiler_launch_ns(const char *backend)
{
    trial      t = {0};
    stk_error  unasked;
    double     ns = -1;
    stk_status st = compile(&t, backend, &unasked);
    if (!st) st = measure(&t, &ns, &unasked);
    stk_program_free(t.program);
    stk_variables_free(t.variables);
    stk_device_free(t.device);
    stk_graph_free(t.graph);
    return st ? -1 : ns;
}
