#include "base/philox.h"
#include "compute/cuda/cuda_support.h"
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"
#include "tensor/half.h"
#include <stdlib.h>
#include <stoker/ops.h>
#include <stoker/program.h>
#include <string.h>

enum { INPUTS = 9, BYTES_MAX = 1 << 19 };

/* A batch norm op with buffers of its own for inputs that are not set. */
typedef struct step {
    stk_op_instance   instance;
    stk_tensor_type   in[INPUTS], out[STK_OP_OUTPUTS];
    stk_format        formats[INPUTS];
    const void       *inputs[INPUTS];
    bool              own[INPUTS]; /* allocated here */
    void             *outputs[STK_OP_OUTPUTS];
    const stk_kernel *kernel;
    stk_kernel_call   call;
} step;

/* Numbers from 0.1 to 1; random bits for uint8. */
static void *numbers(const stk_tensor_type *type, uint64_t seed)
{
    stk_device *device = cuda_device();
    size_t      count = (size_t)stk_type_elements(type);
    stk_random  random = stk_random_for(seed, 1, 2, 3);
    float      *floats = calloc(count, sizeof *floats);
    void       *host = calloc(count, sizeof *floats);
    void       *data = device->backend->alloc(device, stk_type_bytes(type));
    for (size_t i = 0; i < count; i++)
        floats[i] = (float)(0.1 + 0.9 * stk_random_double(&random));
    memcpy(host, floats, count * sizeof *floats);
    if (stk_dtype_bytes(type->dtype) == 2)
        stk_halves_from_float(type->dtype, floats, host, (int64_t)count);
    device->backend->upload(device, data, host, stk_type_bytes(type));
    free(floats);
    free(host);
    return data;
}

/* kinds: x, c for values per channel, b for bits. Inputs already set stay. */
static void make(step *s, const stk_graph_op *op, const void *attrs, const char *kinds, int outputs,
                 const stk_tensor_type *x)
{
    stk_device *device = cuda_device();
    stk_error   err;
    s->instance = (stk_op_instance){"step", attrs, (int)strlen(kinds), outputs, s->in, s->out};
    for (int i = 0; kinds[i]; i++) {
        s->in[i] = *x;
        if (kinds[i] == 'c')
            s->in[i] = (stk_tensor_type){STK_DTYPE_F32, stk_shape_1d(x->shape.dim[3])};
        if (kinds[i] == 'b') s->in[i] = stk_bn_bits_of(x);
        s->own[i] = !s->inputs[i];
        if (s->own[i]) s->inputs[i] = numbers(&s->in[i], (uint64_t)i + 1);
    }
    EXPECT_OK(op->infer(&s->instance, s->out, &err));
    for (int o = 0; o < outputs; o++)
        s->outputs[o] = device->backend->alloc(device, stk_type_bytes(&s->out[o]));
    s->kernel = device->backend->kernel(device, op, &s->instance);
    EXPECT(s->kernel && s->kernel->deferred);
    s->call = (stk_kernel_call){.device = device,
                                .op = op,
                                .instance = s->instance,
                                .in_format = s->formats,
                                .out_format = s->formats,
                                .in = s->inputs,
                                .out = s->outputs};
}

static void release(step *s)
{
    stk_device *device = cuda_device();
    for (int i = 0; i < s->instance.input_count; i++)
        if (s->own[i])
            device->backend->free(device, (void *)s->inputs[i], stk_type_bytes(&s->in[i]));
    for (int o = 0; o < s->instance.output_count; o++)
        device->backend->free(device, s->outputs[o], stk_type_bytes(&s->out[o]));
}

static size_t keep(const step *s, uint8_t *to)
{
    stk_device *device = cuda_device();
    stk_error   err;
    size_t      at = 0;
    for (int o = 0; o < s->instance.output_count; o++) {
        size_t bytes = stk_type_bytes(&s->out[o]);
        EXPECT(at + bytes <= BYTES_MAX);
        device->backend->download(device, to + at, s->outputs[o], bytes);
        EXPECT_OK(device->backend->sync(device, &err));
        device->backend->clear(device, s->outputs[o], bytes);
        at += bytes;
    }
    return at;
}

static void run_both(step *first, step *second, bool apart)
{
    stk_device *device = cuda_device();
    stk_error   err;
    EXPECT_OK(first->kernel->run(&first->call, &err));
    if (apart) EXPECT_OK(device->backend->flush(device, &err));
    EXPECT_OK(second->kernel->run(&second->call, &err));
    EXPECT_OK(device->backend->sync(device, &err));
}

/* Releases both. */
static void expect_same_bits(step *first, step *second)
{
    static uint8_t apart[2][BYTES_MAX], together[2][BYTES_MAX];
    run_both(first, second, true);
    size_t bytes[2] = {keep(first, apart[0]), keep(second, apart[1])};
    run_both(first, second, false);
    keep(first, together[0]);
    keep(second, together[1]);
    EXPECT_MEM_EQ(apart[0], together[0], bytes[0]);
    EXPECT_MEM_EQ(apart[1], together[1], bytes[1]);
    release(second);
    release(first);
}

/* Three sizes of one block, then of clusters of 2, 4 and 8; with one thread across and two. */
enum { CLUSTERS = 3 };
static const stk_tensor_type types[] = {
    {STK_DTYPE_F16, NHWC(2, 7, 7, 16)},    {STK_DTYPE_BF16, NHWC(3, 15, 17, 8)},
    {STK_DTYPE_F16, NHWC(1, 1, 3, 24)},    {STK_DTYPE_BF16, NHWC(2, 9, 11, 256)},
    {STK_DTYPE_F16, NHWC(1, 17, 23, 128)}, {STK_DTYPE_F16, NHWC(1, 29, 29, 72)},
};

STK_TEST(statistics_and_what_they_are_applied_to_are_the_same_bits_in_one_launch)
{
    const stk_bn_finalize_attrs finalize = {1e-5f, 0.1f, 50};
    const stk_bn_apply_attrs    relu = {{&stk_activation_relu, 0, 0}};
    static const char *const    kinds[] = {"xcc", "xccx", "xccxcc"};
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t k = t < CLUSTERS ? 0 : t % 3; k < COUNT_OF(kinds); k += t < CLUSTERS ? 1 : 3) {
            step stats = {0}, apply = {0};
            make(&stats, &stk_graph_op_bn_stats_finalize, &finalize, "xcccc", 6, &types[t]);
            apply.inputs[0] = stats.inputs[0];
            apply.inputs[1] = stats.outputs[1];
            apply.inputs[2] = stats.outputs[2];
            make(&apply, &stk_graph_op_bn_apply, &relu, kinds[k], k ? 2 : 1, &types[t]);
            expect_same_bits(&stats, &apply);
        }
}

STK_TEST(sums_and_the_gradient_that_needs_them_are_the_same_bits_in_one_launch)
{
    const stk_activation     relu = {&stk_activation_relu, 0, 0};
    const stk_bn_grad_attrs  masks[] = {{STK_BN_MASK_NONE, 0, {0}},
                                        {STK_BN_MASK_OUTPUT, 0, relu},
                                        {STK_BN_MASK_INPUT, 0, relu},
                                        {STK_BN_MASK_BITS, 0, relu}};
    static const char *const kinds[] = {"xxccccc", "xxcccccx", "xxccccccc", "xxcccccb"};
    static const char *const sum_kinds[] = {"xxcc", "xxccx", "xxcccc", "xxccb"};
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t m = t < CLUSTERS ? 0 : t - 2; m < COUNT_OF(masks); m += t < CLUSTERS ? 1 : 4) {
            step sums = {0}, grad = {0};
            make(&sums, &stk_graph_op_bn_grad_sums, &masks[m], sum_kinds[m], 2, &types[t]);
            for (int i = 0; i < 4; i++)
                grad.inputs[i] = sums.inputs[i];
            for (int i = 4; i < sums.instance.input_count; i++)
                grad.inputs[i + 3] = sums.inputs[i];
            grad.inputs[5] = sums.outputs[0];
            grad.inputs[6] = sums.outputs[1];
            make(&grad, &stk_graph_op_bn_grad_apply, &masks[m], kinds[m], m > 1 ? 2 : 1, &types[t]);
            expect_same_bits(&sums, &grad);
        }
}

static cuda_input channels_of(const stk_shape *shape)
{
    return (cuda_input){VECTOR(shape->dim[3]), STK_DTYPE_F32, 0.1, 2, NULL};
}

static void expect_statistics(stk_shape shape, const void *data)
{
    const stk_bn_finalize_attrs attrs = {1e-5f, 0.1f, 50};
    const cuda_input            c = channels_of(&shape);
    EXPECT_CUDA(
        (&(cuda_case){.op = &stk_graph_op_bn_stats_finalize,
                      .attrs = &attrs,
                      .inputs = 5,
                      .tolerance = 4e-6,
                      .tolerance16 = 4e-6,
                      .in = {{.shape = shape, .low = -1, .high = 3, .data = data}, c, c, c, c}}));
}

static void expect_sums(stk_shape shape)
{
    const stk_bn_grad_attrs attrs = {STK_BN_MASK_NONE, 0, {0}};
    const cuda_input        c = channels_of(&shape), x = {.shape = shape, .low = -1, .high = 3};
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_bn_grad_sums,
                              .attrs = &attrs,
                              .inputs = 4,
                              .tolerance = 1e-5,
                              .tolerance16 = 2e-5,
                              .in = {x, x, c, c}}));
}

STK_TEST(sums_over_rows_of_clusters_are_those_of_the_reference)
{
    for (size_t t = CLUSTERS; t < COUNT_OF(types); t++) {
        expect_statistics(types[t].shape, NULL);
        expect_sums(types[t].shape);
    }
}

STK_TEST(rows_that_16_blocks_have_and_more_are_those_of_the_reference)
{
    expect_statistics(NHWC(1, 129, 128, 8), NULL);
    expect_sums(NHWC(1, 257, 128, 8));
}

/* The first row is far from all others. */
STK_TEST(statistics_of_small_deviations_from_a_large_mean)
{
    enum { ROWS = 29 * 29, CHANNELS = 64 };
    float     *x = malloc(sizeof *x * ROWS * CHANNELS);
    stk_random random = stk_random_for(1, 2, 3, 4);
    for (int i = 0; i < ROWS * CHANNELS; i++)
        x[i] = (float)(i < CHANNELS ? 0 : 1000 + (int)(4 * stk_random_double(&random)));
    expect_statistics(NHWC(1, 29, 29, CHANNELS), x);
    free(x);
}

/* The statistics of one tensor do not match another. */
STK_TEST(steps_that_do_not_belong_together_are_launches_of_their_own)
{
    const stk_bn_finalize_attrs finalize = {1e-5f, 0.1f, 50};
    const stk_bn_apply_attrs    none = {{NULL, 0, 0}};
    step                        stats = {0}, apply = {0};
    make(&stats, &stk_graph_op_bn_stats_finalize, &finalize, "xcccc", 6, &types[0]);
    make(&apply, &stk_graph_op_bn_apply, &none, "xcc", 1, &types[0]);
    expect_same_bits(&stats, &apply);
}

enum { GAMMA = 1, BETA, RUNNING_MEAN, RUNNING_VAR };
enum { MEAN, FOUND_SCALE, FOUND_SHIFT, INVSTD, NEXT_MEAN, NEXT_VAR };

/* Both ops of a norm whose y has bits; several clusters of 8 channels. */
static void make_norm(step *stats, step *apply)
{
    static const stk_bn_finalize_attrs finalize = {1e-5f, 0.1f, 50};
    static const stk_bn_apply_attrs    relu = {{&stk_activation_relu, 0, 0}};
    const stk_tensor_type             *x = &types[COUNT_OF(types) - 1];
    make(stats, &stk_graph_op_bn_stats_finalize, &finalize, "xcccc", 6, x);
    apply->inputs[0] = stats->inputs[0];
    apply->inputs[1] = stats->outputs[FOUND_SCALE];
    apply->inputs[2] = stats->outputs[FOUND_SHIFT];
    make(apply, &stk_graph_op_bn_apply, &relu, "xcc", 2, x);
}

static void copy(void *to, const void *from, const stk_tensor_type *type)
{
    stk_device *device = cuda_device();
    stk_error   err;
    size_t      bytes = stk_type_bytes(type);
    void       *host = malloc(bytes);
    device->backend->download(device, host, from, bytes);
    EXPECT_OK(device->backend->sync(device, &err));
    device->backend->upload(device, to, host, bytes);
    free(host);
}

/* If an input or output of the statistics shares memory with y or its bits, y is the same as
 * without. Releases both. */
static void expect_same_y_over(step *stats, step *apply, int input, int output)
{
    static uint8_t         own[BYTES_MAX], over[BYTES_MAX];
    const stk_tensor_type *type = input ? &stats->in[input] : &stats->out[output];
    void **place = input ? (void **)&stats->inputs[input] : &stats->outputs[output], *was = *place;
    run_both(stats, apply, true);
    size_t bytes = keep(apply, own);
    for (int o = 0; o < apply->instance.output_count; o++) {
        if (stk_type_bytes(&apply->out[o]) < stk_type_bytes(type)) continue;
        *place = apply->outputs[o];
        if (input) copy(*place, was, type);
        run_both(stats, apply, false);
        keep(apply, over);
        EXPECT_MEM_EQ(own, over, bytes);
    }
    *place = was;
    release(apply);
    release(stats);
}

STK_TEST(what_only_the_statistics_read_may_lie_where_y_will)
{
    for (int i = GAMMA; i <= RUNNING_VAR; i++) {
        step stats = {0}, apply = {0};
        make_norm(&stats, &apply);
        expect_same_y_over(&stats, &apply, i, 0);
    }
}

STK_TEST(so_may_what_nobody_reads_of_them)
{
    static const int unread[] = {MEAN, INVSTD, NEXT_MEAN, NEXT_VAR};
    for (size_t i = 0; i < COUNT_OF(unread); i++) {
        step stats = {0}, apply = {0};
        make_norm(&stats, &apply);
        expect_same_y_over(&stats, &apply, 0, unread[i]);
    }
}

STK_TEST(y_may_be_written_over_x)
{
    static uint8_t own[BYTES_MAX], over[BYTES_MAX];
    step           stats = {0}, apply = {0};
    make_norm(&stats, &apply);
    void *was = apply.outputs[0];
    run_both(&stats, &apply, true);
    size_t bytes = keep(&apply, own);
    apply.outputs[0] = (void *)apply.inputs[0];
    run_both(&stats, &apply, false);
    keep(&apply, over);
    EXPECT_MEM_EQ(own, over, bytes);
    apply.outputs[0] = was;
    release(&apply);
    release(&stats);
}

/* y of a norm without gamma and beta, which are filled in the buffer of y. */
static void run_norm(unsigned passes_off, void *y, size_t bytes)
{
    const stk_tensor_type *type = &types[COUNT_OF(types) - 1];
    const stk_shape        channels = stk_shape_1d(type->shape.dim[3]);
    stk_graph             *g;
    stk_variables         *variables;
    stk_program           *program;
    stk_error              err;
    uint16_t              *x = malloc(stk_type_bytes(type));
    for (size_t i = 0; i < stk_type_bytes(type) / sizeof *x; i++)
        x[i] = (uint16_t)(0x3c00 + i * 7 % 1021); /* from 1 to 2 */
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    const stk_batch_norm norm = {
        .mean = stk_graph_variable(g, "mean", STK_DTYPE_F32, channels, NULL),
        .var = stk_graph_variable(g, "var", STK_DTYPE_F32, channels, NULL)};
    stk_symbol in = stk_graph_input(g, "x", type->dtype, type->shape);
    stk_graph_output(g, "y", stk_batch_normalize(g, in, &norm));
    EXPECT_OK(stk_variables_new(&variables, cuda_device(), 1, &err));
    EXPECT_OK(stk_program_compile(&program, g, variables,
                                  &(stk_program_options){.passes_off = passes_off}, &err));
    EXPECT_OK(stk_program_feed(program, "x", x, stk_type_bytes(type), &err));
    EXPECT_OK(stk_program_run(program, NULL, &err));
    EXPECT_OK(stk_program_fetch(program, "y", y, bytes, &err));
    stk_program_free(program);
    stk_variables_free(variables);
    stk_graph_free(g);
    free(x);
}

STK_TEST(a_norm_without_gamma_and_beta_is_the_same_where_memory_is_used_again)
{
    static uint8_t apart[BYTES_MAX], again[BYTES_MAX];
    const size_t   bytes = stk_type_bytes(&types[COUNT_OF(types) - 1]);
    EXPECT(bytes <= BYTES_MAX);
    run_norm(STK_GRAPH_PASS_REUSE, apart, bytes);
    run_norm(0, again, bytes);
    EXPECT_MEM_EQ(apart, again, bytes);
}
