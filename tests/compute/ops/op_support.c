/* Common tests of ops. */
#include "compute/ops/op_support.h"
#include "base/philox.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench { /* a compiled case */
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
    int            outputs, gradients;
    size_t         count[OP_OUTPUTS + OP_INPUTS]; /* elements of outputs, then gradients */
} bench;

static size_t count_of(stk_shape shape)
{
    size_t count = 1;
    for (int i = 0; i < shape.rank; i++)
        count *= (size_t)shape.dim[i];
    return count;
}

static stk_dtype dtype_of(const op_input *in)
{
    return in->dtype ? in->dtype : STK_DTYPE_F32;
}

/* loss = sum over outputs of sum(output * weights), with distinct fixed weights, so that symmetry
 * cannot hide a gradient. */
static stk_symbol weigh(stk_graph *g, const stk_symbol *out, int outputs)
{
    stk_symbol loss = stk_fill(g, STK_DTYPE_F32, stk_shape_scalar(), 0);
    for (int o = 0; o < outputs; o++) {
        stk_shape shape = stk_symbol_shape(g, out[o]);
        size_t    count = count_of(shape);
        float    *weights = malloc((count + 1) * sizeof *weights);
        for (size_t i = 0; i < count; i++)
            weights[i] = sinf((float)(i + 1) * 1.7f + (float)o);
        stk_symbol w = stk_graph_constant(g, "weights", STK_DTYPE_F32,
                                          stk_shape_2d(1, (int64_t)count), weights);
        free(weights);
        stk_symbol flat = stk_reshape(g, out[o], stk_shape_2d((int64_t)count, 1));
        loss = stk_add(g, loss, stk_reshape(g, stk_matmul(g, w, flat, NULL), stk_shape_scalar()));
    }
    return loss;
}

static void name_of(char *text, const char *what, int index)
{
    snprintf(text, 16, "%s%d", what, index);
}

static void compile(bench *b, const op_case *c, const char *backend, bool gradients)
{
    stk_error  err;
    stk_graph *g;
    stk_symbol in[OP_INPUTS], out[OP_OUTPUTS], wrt[OP_INPUTS], grads[OP_INPUTS];
    char       name[16];
    *b = (bench){0};
    EXPECT_OK(stk_graph_new(&g, &(stk_graph_options){.layout = c->layout, .seed = 5}, &err));
    for (int i = 0; i < c->inputs; i++) {
        name_of(name, "in", i);
        in[i] = stk_graph_input(g, name, dtype_of(&c->in[i]), c->in[i].shape);
        if (!c->in[i].fixed && dtype_of(&c->in[i]) == STK_DTYPE_F32) wrt[b->gradients++] = in[i];
    }
    b->outputs = c->build(g, in, out, c->context);
    EXPECT_OK(stk_graph_check(g, &err));
    for (int o = 0; o < b->outputs; o++) {
        name_of(name, "out", o);
        stk_graph_output(g, name, out[o]);
        b->count[o] = count_of(stk_symbol_shape(g, out[o]));
    }
    if (!gradients) b->gradients = 0;
    if (gradients) {
        stk_symbol loss = weigh(g, out, b->outputs);
        stk_graph_output(g, "loss", loss);
        stk_graph_gradients(g, loss, STK_NO_SYMBOL, wrt, (size_t)b->gradients, grads);
    }
    for (int i = 0; i < b->gradients; i++) {
        name_of(name, "grad", i);
        stk_graph_output(g, name, grads[i]);
        b->count[b->outputs + i] = count_of(stk_symbol_shape(g, grads[i]));
    }
    EXPECT_OK(stk_graph_verify(g, &err));
    EXPECT_OK(stk_device_open(&b->device, backend, NULL, &err));
    EXPECT_OK(stk_variables_new(&b->variables, b->device, 1, &err));
    EXPECT_OK(stk_program_compile(&b->program, g, b->variables,
                                  &(stk_program_options){.passes_off = c->passes_off}, &err));
    stk_graph_free(g);
}

static void release(bench *b)
{
    stk_program_free(b->program);
    stk_variables_free(b->variables);
    stk_device_free(b->device);
}

static void *draw(const op_input *in, uint64_t seed, int index)
{
    size_t     count = count_of(in->shape);
    void      *data = calloc(count + 1, 8);
    stk_random random = stk_random_for(seed, 0, (uint64_t)index, 77);
    double     low = in->low, high = in->high;
    if (low == 0 && high == 0) low = -1, high = 1;
    for (size_t i = 0; i < count; i++) {
        double value = in->wave != 0 ? sin(in->wave * (double)(i + 1))
                                     : low + (high - low) * stk_random_double(&random);
        switch (dtype_of(in)) {
        case STK_DTYPE_F32:
            ((float *)data)[i] = (float)value;
            break;
        case STK_DTYPE_I32:
            ((int32_t *)data)[i] = (int32_t)floor(value);
            break;
        case STK_DTYPE_I64:
            ((int64_t *)data)[i] = (int64_t)floor(value);
            break;
        case STK_DTYPE_U8:
            ((uint8_t *)data)[i] = (uint8_t)floor(value);
            break;
        default:
            fail_msg("inputs of this type cannot be drawn");
        }
    }
    return data;
}

static void feed(bench *b, const op_case *c, void **data)
{
    stk_error err;
    char      name[16];
    for (int i = 0; i < c->inputs; i++) {
        name_of(name, "in", i);
        EXPECT_OK(stk_program_feed(b->program, name, data[i],
                                   count_of(c->in[i].shape) * stk_dtype_bytes(dtype_of(&c->in[i])),
                                   &err));
    }
}

static float *fetch(bench *b, const char *what, int index, size_t count)
{
    stk_error err;
    char      name[16];
    float    *data = malloc((count + 1) * sizeof *data);
    name_of(name, what, index);
    EXPECT_OK(stk_program_fetch(b->program, name, data, count * sizeof *data, &err));
    return data;
}

static double run_loss(bench *b)
{
    stk_error err;
    float     loss;
    EXPECT_OK(stk_program_run(b->program, NULL, &err));
    EXPECT_OK(stk_program_fetch(b->program, "loss", &loss, sizeof loss, &err));
    return (double)loss;
}

static double largest(const float *data, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs((double)data[i]) > most) most = fabs((double)data[i]);
    return most;
}

/* One input: every element of small tensors, a sample of larger ones. */
static void check_input(bench *b, const op_case *c, void **data, int input, const float *grad,
                        double tolerance, const char *file, int line)
{
    enum { LOOKED_AT = 24 };
    size_t count = count_of(c->in[input].shape), step = count / LOOKED_AT + 1;
    double scale = largest(grad, count), h = 4e-3;
    for (size_t i = 0; i < count; i += step) {
        float *x = (float *)data[input] + i, before = *x;
        *x = before + (float)h;
        feed(b, c, data);
        double more = run_loss(b), up = (double)*x;
        *x = before - (float)h;
        feed(b, c, data);
        double less = run_loss(b), down = (double)*x;
        *x = before;
        double found = (more - less) / (up - down);
        if (!(fabs(found - (double)grad[i]) <= tolerance * (scale + 1e-3))) {
            print_error("input %d element %zu: gradient %g, by differences %g (largest %g)\n",
                        input, i, (double)grad[i], found, scale);
            _assert_true(0, "gradient", file, line);
        }
    }
}

void expect_gradients(const op_case *c, double tolerance, const char *file, int line)
{
    bench b;
    void *data[OP_INPUTS];
    compile(&b, c, "ref", true);
    for (int i = 0; i < c->inputs; i++)
        data[i] = draw(&c->in[i], 11, i);
    feed(&b, c, data);
    (void)run_loss(&b);
    float *grads[OP_INPUTS];
    for (int i = 0; i < b.gradients; i++)
        grads[i] = fetch(&b, "grad", i, b.count[b.outputs + i]);
    for (int i = 0, at = 0; i < c->inputs; i++) {
        if (c->in[i].fixed || dtype_of(&c->in[i]) != STK_DTYPE_F32) continue;
        check_input(&b, c, data, i, grads[at++], tolerance, file, line);
    }
    for (int i = 0; i < b.gradients; i++)
        free(grads[i]);
    for (int i = 0; i < c->inputs; i++)
        free(data[i]);
    release(&b);
}

size_t op_results(const op_case *c, const char *backend, uint64_t seed, bool gradients, float *out,
                  size_t capacity)
{
    bench     b;
    void     *data[OP_INPUTS];
    stk_error err;
    size_t    used = 0;
    compile(&b, c, backend, gradients);
    for (int i = 0; i < c->inputs; i++)
        data[i] = draw(&c->in[i], seed, i);
    feed(&b, c, data);
    EXPECT_OK(stk_program_run(b.program, NULL, &err));
    EXPECT_OK(
        stk_program_run(b.program, NULL, &err)); /* a second run must not depend on the first */
    for (int i = 0; i < b.outputs + b.gradients; i++) {
        bool   is_out = i < b.outputs;
        float *from = fetch(&b, is_out ? "out" : "grad", is_out ? i : i - b.outputs, b.count[i]);
        if (used + b.count[i] <= capacity) memcpy(out + used, from, b.count[i] * sizeof *from);
        used += b.count[i];
        free(from);
    }
    for (int i = 0; i < c->inputs; i++)
        free(data[i]);
    release(&b);
    return used;
}

void expect_like_ref(const op_case *c, const char *backend, double tolerance, const char *file,
                     int line)
{
    enum { CAPACITY = 1 << 20 };
    float *expected = malloc(CAPACITY * sizeof *expected),
          *found = malloc(CAPACITY * sizeof *found);
    size_t count = op_results(c, "ref", 3, true, expected, CAPACITY);
    EXPECT_INT_EQ(count, op_results(c, backend, 3, true, found, CAPACITY));
    EXPECT(count <= CAPACITY);
    double scale = largest(expected, count) + 1e-6;
    for (size_t i = 0; i < count; i++)
        if (!(fabs((double)expected[i] - (double)found[i]) <= tolerance * scale)) {
            print_error("element %zu of %zu: %s gives %g, the reference %g (largest %g)\n", i,
                        count, backend, (double)found[i], (double)expected[i], scale);
            _assert_true(0, "like the reference", file, line);
        }
    free(expected);
    free(found);
}

void expect_known(const op_case *c, const float *known, size_t count, double tolerance,
                  const char *file, int line)
{
    float *found = malloc((count + 1) * sizeof *found);
    EXPECT_INT_EQ(count, op_results(c, "ref", 1, true, found, count));
    for (size_t i = 0; i < count; i++)
        if (!(fabs((double)found[i] - (double)known[i]) <= tolerance)) {
            print_error("number %zu of %zu: %.8g, known to be %.8g\n", i, count, (double)found[i],
                        (double)known[i]);
            _assert_true(0, "known", file, line);
        }
    free(found);
}
