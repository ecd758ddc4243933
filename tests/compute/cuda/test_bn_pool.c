#include "compute/cuda/cuda_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/pool.h"

typedef struct pooling {
    int64_t batch, height, width, channels;
    int     pad[4];
} pooling;

/* Odd sides, all paddings, an image smaller than a window; one and several tiles of channels. */
static const pooling poolings[] = {
    {2, 9, 11, 8, {1, 1, 1, 1}},   {2, 8, 12, 24, {1, 1, 1, 1}}, {3, 1, 1, 16, {1, 1, 1, 1}},
    {1, 10, 9, 72, {0, 1, 0, 1}},  {1, 31, 6, 8, {2, 0, 2, 1}},  {1, 30, 5, 16, {0, 0, 1, 2}},
    {5, 36, 20, 64, {1, 1, 1, 1}}, {0, 4, 4, 8, {1, 1, 1, 1}},
};

static stk_pool_attrs attrs_of(const pooling *p, bool grad)
{
    stk_pool_attrs a = {.kernel = {3, 3}, .stride = {2, 2}};
    for (int i = 0; i < 4; i++)
        a.pad[i] = p->pad[i];
    if (grad) a.size[0] = (int)p->height, a.size[1] = (int)p->width;
    return a;
}

static cuda_input image_of(const pooling *p)
{
    return (cuda_input){.shape = NHWC(p->batch, p->height, p->width, p->channels)};
}

static cuda_input result_of(const pooling *p)
{
    int64_t down = (p->height + p->pad[0] + p->pad[1] - 3) / 2 + 1;
    int64_t across = (p->width + p->pad[2] + p->pad[3] - 3) / 2 + 1;
    return (cuda_input){.shape = NHWC(p->batch, down, across, p->channels)};
}

static cuda_input vector_of(const pooling *p, double low, double high)
{
    return (cuda_input){
        .shape = VECTOR(p->channels), .dtype = STK_DTYPE_F32, .low = low, .high = high};
}

STK_TEST(the_largest_after_a_norm_and_relu)
{
    for (size_t i = 0; i < COUNT_OF(poolings); i++)
        for (int outputs = 1; outputs <= 2; outputs++) {
            const pooling *p = &poolings[i];
            stk_pool_attrs attrs = attrs_of(p, false);
            EXPECT_CUDA(
                (&(cuda_case){.op = &stk_graph_op_bn_pool,
                              .attrs = &attrs,
                              .inputs = 3,
                              .outputs = outputs,
                              .in = {image_of(p), vector_of(p, -2, 2), vector_of(p, -1, 1)}}));
        }
}

static cuda_case gradient_of(const pooling *p, const stk_graph_op *op, const stk_pool_attrs *attrs,
                             int inputs)
{
    cuda_input places = result_of(p);
    places.dtype = STK_DTYPE_U8, places.high = 9;
    return (cuda_case){.op = op,
                       .attrs = attrs,
                       .inputs = inputs,
                       .in = {result_of(p), places, image_of(p), vector_of(p, -0.5, 0.5),
                              vector_of(p, 0.5, 2), vector_of(p, -2, 2), vector_of(p, -1, 1),
                              vector_of(p, 0.5, 2), vector_of(p, -9, 9), vector_of(p, -9, 9)}};
}

enum { ELEMENTS_MAX = 5 * 36 * 20 * 64, CHANNELS_MAX = 72 };

/* x, the results of bn_pool, and all inputs. */
typedef struct pooled {
    float   x[ELEMENTS_MAX], y[ELEMENTS_MAX];
    uint8_t places[ELEMENTS_MAX];
    float   mean[CHANNELS_MAX], invstd[CHANNELS_MAX], scale[CHANNELS_MAX], shift[CHANNELS_MAX];
} pooled;

/* x has few bits, so that it is equal in every type. Some channels have gamma at or near zero, or a
 * much larger beta: x cannot be recovered from their y. */
static void make(const pooling *p, const stk_pool_attrs *attrs, pooled *to)
{
    static const float gammas[] = {1, -0.5f, 0.75f, 0, 1e-4f, 0.01f, -2};
    static const float betas[] = {0, 0.5f, -0.25f, 0.125f, 0.75f, 0.5f, 0.25f, 1, -0.5f};
    uint64_t           seed = 7;
    for (int64_t i = 0; i < p->batch * p->height * p->width * p->channels; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        to->x[i] = (float)((int)(seed >> 40) % 128) / 64 - 1;
    }
    for (int64_t c = 0; c < p->channels; c++) {
        to->mean[c] = 0.125f * (float)(c % 5 - 2), to->invstd[c] = 1 + 0.25f * (float)(c % 3);
        to->scale[c] = gammas[c % (int64_t)COUNT_OF(gammas)] * to->invstd[c];
        to->shift[c] = betas[c % (int64_t)COUNT_OF(betas)] - to->mean[c] * to->scale[c];
    }
    stk_tensor_type vector = {STK_DTYPE_F32, VECTOR(p->channels)}, out[2];
    stk_tensor_type in[] = {{STK_DTYPE_F32, image_of(p).shape}, vector, vector};
    stk_op_instance instance = {"pool", attrs, 3, 2, in, out};
    stk_graph_op_bn_pool.reference(&instance, (const void *[]){to->x, to->scale, to->shift},
                                   (void *[]){to->y, to->places});
}

static cuda_input given(cuda_input of, const void *data)
{
    of.data = data;
    return of;
}

STK_TEST(sums_of_what_flows_back_through_the_windows)
{
    static pooled made;
    for (size_t i = 0; i < COUNT_OF(poolings); i++) {
        const pooling *p = &poolings[i];
        stk_pool_attrs forward = attrs_of(p, false), attrs = attrs_of(p, true);
        make(p, &forward, &made);
        cuda_case c = gradient_of(p, &stk_graph_op_bn_pool_grad_sums, &attrs, 8);
        c.in[1] = given(c.in[1], made.places);
        c.in[2] = given(c.in[2], made.x);
        c.in[3] = given(c.in[3], made.mean), c.in[4] = given(c.in[4], made.invstd);
        c.in[5] = given(c.in[5], made.scale), c.in[6] = given(c.in[6], made.shift);
        c.in[7] = given(result_of(p), made.y);
        EXPECT_CUDA(&c);
    }
}

STK_TEST(the_gradient_of_x_through_norm_relu_and_windows)
{
    for (size_t i = 0; i < COUNT_OF(poolings); i++) {
        const pooling *p = &poolings[i];
        stk_pool_attrs attrs = attrs_of(p, true);
        cuda_case      c = gradient_of(p, &stk_graph_op_bn_pool_grad_apply, &attrs, 10);
        EXPECT_CUDA(&c);
    }
}
