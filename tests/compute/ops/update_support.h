/* Updates one parameter step by step on a backend. */
#ifndef STK_TESTS_UPDATE_SUPPORT_H
#define STK_TESTS_UPDATE_SUPPORT_H

#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"
#include "harness.h"
#include <math.h>

enum { UPDATE_ELEMENTS = 5, UPDATE_STEPS = 3 };

typedef struct update_case {
    const stk_graph_op *op;
    stk_optimizer_attrs attrs;
    int                 slots;
    float               rate, momentum;
    stk_guard_attrs     guard; /* with clipping or growth the norm is computed */
    float               scale; /* the loss scale of the gradients; 0: 1 */
    double              ema;   /* 0: none */
    bool                apart; /* keeps the old values: nothing is in place */
} update_case;

typedef struct updates {
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
} updates;

static stk_symbol update_variable(stk_graph *g, const char *name, int64_t count)
{
    return stk_graph_variable(g, name, STK_DTYPE_F32, stk_shape_1d(count), NULL);
}

static stk_symbol update_build_guard(stk_graph *g, const update_case *c, stk_symbol gradient)
{
    stk_symbol      state = update_variable(g, "state", STK_STATE_COUNT), out[2];
    stk_symbol      in[2] = {state, STK_NO_SYMBOL};
    stk_guard_attrs attrs = c->guard;
    int             inputs = 1;
    if (attrs.multiply == 0) attrs.multiply = 1;
    if (attrs.max_norm > 0 || attrs.growth > 0)
        in[inputs++] = stk_graph_add1(g, &stk_graph_op_gradient_norm, gradient, NULL);
    stk_graph_add(g, &stk_graph_op_grad_guard, in, inputs, &attrs, out, 2);
    stk_graph_assign(g, state, out[1]);
    stk_graph_output(g, "guard", out[0]);
    return out[0];
}

static void update_build(stk_graph *g, const update_case *c)
{
    static const char *const names[] = {"w", "m", "v"};
    stk_symbol               in[6], out[3], own[3] = {{0}};
    stk_symbol gradient = stk_graph_input(g, "g", STK_DTYPE_F32, stk_shape_1d(UPDATE_ELEMENTS));
    for (int i = 0; i <= c->slots; i++)
        own[i] = update_variable(g, names[i], UPDATE_ELEMENTS);
    in[0] = own[0];
    in[1] = gradient;
    for (int i = 1; i <= c->slots; i++)
        in[1 + i] = own[i];
    in[c->slots + 2] = stk_graph_input(g, "hyper", STK_DTYPE_F32, stk_shape_1d(STK_HYPER_COUNT));
    in[c->slots + 3] = update_build_guard(g, c, gradient);
    stk_graph_add(g, c->op, in, c->slots + 4, &c->attrs, out, c->slots + 1);
    for (int i = 0; i <= c->slots; i++) {
        stk_graph_assign(g, own[i], out[i]);
        if (c->apart) stk_graph_output(g, names[i], own[i]);
    }
    if (c->ema == 0) return;
    stk_symbol average = update_variable(g, "average", UPDATE_ELEMENTS);
    stk_graph_assign(g, average,
                     stk_graph_add3(g, &stk_graph_op_ema, average, out[0], in[c->slots + 3],
                                    &(stk_ema_attrs){c->ema}));
}

static void updates_write(updates *u, const char *name, const float *values, size_t count)
{
    stk_error err;
    EXPECT_OK(stk_variables_write(u->variables, stk_variables_find(u->variables, name), values,
                                  count * sizeof *values, &err));
}

static void updates_read(updates *u, const char *name, float *values, size_t count)
{
    stk_error err;
    EXPECT_OK(stk_variables_read(u->variables, stk_variables_find(u->variables, name), values,
                                 count * sizeof *values, &err));
}

/* The parameter starts with first, slots with zeros. */
static void updates_start(updates *u, const update_case *c, const char *backend, const float *first)
{
    stk_error   err;
    stk_graph  *g;
    const float hyper[STK_HYPER_COUNT] = {c->rate, c->momentum};
    const float state[STK_STATE_COUNT] = {c->scale == 0 ? 1 : c->scale};
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    update_build(g, c);
    EXPECT_OK(stk_graph_verify(g, &err));
    EXPECT_OK(stk_device_open(&u->device, backend, NULL, &err));
    EXPECT_OK(stk_variables_new(&u->variables, u->device, 1, &err));
    EXPECT_OK(stk_program_compile(&u->program, g, u->variables, NULL, &err));
    stk_graph_free(g);
    EXPECT_OK(stk_program_feed(u->program, "hyper", hyper, sizeof hyper, &err));
    updates_write(u, "w", first, UPDATE_ELEMENTS);
    updates_write(u, "state", state, STK_STATE_COUNT);
}

static void updates_step(updates *u, const float *gradient)
{
    stk_error err;
    EXPECT_OK(
        stk_program_feed(u->program, "g", gradient, UPDATE_ELEMENTS * sizeof *gradient, &err));
    EXPECT_OK(stk_program_run(u->program, NULL, &err));
}

static void updates_end(updates *u)
{
    stk_program_free(u->program);
    stk_variables_free(u->variables);
    stk_device_free(u->device);
}

#endif
