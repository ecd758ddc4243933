#include "conv_patterns.h"

const conv_shape conv_shapes[CONV_SHAPES] = {
    {3, 64, 7, 2, 224, 3, 1},    {64, 64, 1, 1, 56, 0, 1},    {64, 64, 3, 1, 56, 1, 3},
    {64, 256, 1, 1, 56, 0, 4},   {256, 64, 1, 1, 56, 0, 2},   {256, 128, 1, 1, 56, 0, 1},
    {128, 128, 3, 2, 56, 1, 1},  {128, 512, 1, 1, 28, 0, 4},  {256, 512, 1, 2, 56, 0, 1},
    {512, 128, 1, 1, 28, 0, 3},  {128, 128, 3, 1, 28, 1, 3},  {512, 256, 1, 1, 28, 0, 1},
    {256, 256, 3, 2, 28, 1, 1},  {256, 1024, 1, 1, 14, 0, 6}, {512, 1024, 1, 2, 28, 0, 1},
    {1024, 256, 1, 1, 14, 0, 5}, {256, 256, 3, 1, 14, 1, 5},  {1024, 512, 1, 1, 14, 0, 1},
    {512, 512, 3, 2, 14, 1, 1},  {512, 2048, 1, 1, 7, 0, 3},  {1024, 2048, 1, 2, 14, 0, 1},
    {2048, 512, 1, 1, 7, 0, 2},  {512, 512, 3, 1, 7, 1, 2},
};

/* 115 pixels: 112 and the 3 that a 4x4 window without padding needs more. */
const conv_shape conv_stems[CONV_STEMS] = {
    {3, 64, 7, 2, 224, 3, 1},  {4, 64, 7, 2, 224, 3, 1},  {8, 64, 7, 2, 224, 3, 1},
    {12, 64, 4, 1, 115, 0, 1}, {16, 64, 4, 1, 115, 0, 1},
};

int64_t conv_out_size(const conv_shape *conv)
{
    return (conv->size + 2 * conv->pad - conv->kernel) / conv->stride + 1;
}

uint64_t conv_flops(const conv_shape *conv, int64_t batch)
{
    const int64_t out = conv_out_size(conv);
    return 2 * (uint64_t)(batch * out * out * conv->cout * conv->cin * conv->kernel * conv->kernel);
}

bool conv_is_gemm(const conv_shape *conv)
{
    return conv->kernel == 1 && conv->stride == 1;
}

static bool not_stem(const conv_shape *conv)
{
    return conv->cin >= 16;
}

static bool is_1x1(const conv_shape *conv)
{
    return conv->kernel == 1;
}

static bool stride_one(const conv_shape *conv)
{
    return not_stem(conv) && conv->stride == 1;
}

/* A graph under construction. */
typedef struct sketch {
    stk_cudnn_spec   *spec;
    const conv_shape *conv;
    int64_t           batch;
    cudnnDataType_t   type;
    cudnnDataType_t   between; /* of what is never stored */
} sketch;

static int add(const sketch *s, int64_t n, int64_t c, int64_t h, cudnnDataType_t type, bool virt)
{
    s->spec->tensor[s->spec->tensors++] =
        (stk_cudnn_tensor){.dim = {n, c, h, h}, .dtype = type, .is_virtual = virt};
    return s->spec->tensors;
}

static int input(const sketch *s)
{
    return add(s, s->batch, s->conv->cin, s->conv->size, s->type, false);
}

static int output(const sketch *s)
{
    return add(s, s->batch, s->conv->cout, conv_out_size(s->conv), s->type, false);
}

static int weights(const sketch *s)
{
    return add(s, s->conv->cout, s->conv->cin, s->conv->kernel, s->type, false);
}

/* A tensor of the same shape that is never stored. */
static int like(const sketch *s, int tensor)
{
    const int64_t *dim = s->spec->tensor[tensor - 1].dim;
    return add(s, dim[0], dim[1], dim[2], s->between, true);
}

static int channels(const sketch *s, int64_t count, cudnnDataType_t type)
{
    return add(s, 1, count, 1, type, false);
}

static void op(const sketch *s, stk_cudnn_kind kind, int mode, int a, int b, int c)
{
    const int64_t pad = s->conv->pad, stride = s->conv->stride;
    s->spec->op[s->spec->ops++] = (stk_cudnn_op){.kind = kind,
                                                 .mode = mode,
                                                 .tensor = {a, b, c},
                                                 .stride = {stride, stride},
                                                 .before = {pad, pad},
                                                 .after = {pad, pad}};
}

static int pointwise(const sketch *s, int mode, int x, int b, int y)
{
    if (!y) y = like(s, x);
    op(s, STK_CUDNN_POINTWISE, mode, x, b, y);
    return y;
}

/* x * scale + bias, for each channel; in the type of scale and bias. */
static int affine(const sketch *s, int x, int64_t count, cudnnDataType_t type)
{
    const int scale = channels(s, count, type), bias = channels(s, count, type);
    const int scaled = pointwise(s, CUDNN_POINTWISE_MUL, x, scale, 0);
    return pointwise(s, CUDNN_POINTWISE_ADD, scaled, bias, 0);
}

/* Generic engines compute what comes before a convolution in its own type. */
static sketch narrow(const sketch *s)
{
    sketch n = *s;
    n.between = s->type;
    return n;
}

static int affine_relu(const sketch *s, int x)
{
    const int y = affine(s, x, s->conv->cin, s->type);
    return pointwise(s, CUDNN_POINTWISE_RELU_FWD, y, 0, 0);
}

static void genstats(const sketch *s, int y)
{
    const int sum = channels(s, s->conv->cout, CUDNN_DATA_FLOAT);
    const int squares = channels(s, s->conv->cout, CUDNN_DATA_FLOAT);
    op(s, STK_CUDNN_GENSTATS, 0, y, sum, squares);
}

/* What genstats does, of ops that are not only for fp16. */
static void sums(const sketch *s, int y, int with, int64_t count)
{
    const int sum = channels(s, count, CUDNN_DATA_FLOAT);
    const int products = channels(s, count, CUDNN_DATA_FLOAT);
    op(s, STK_CUDNN_REDUCE, CUDNN_REDUCE_TENSOR_ADD, y, sum, 0);
    const int product = pointwise(s, CUDNN_POINTWISE_MUL, y, with, 0);
    op(s, STK_CUDNN_REDUCE, CUDNN_REDUCE_TENSOR_ADD, product, products, 0);
}

static sketch begin(stk_cudnn_spec *spec, const conv_shape *conv, int64_t batch, cudnnDataType_t t)
{
    spec->tensors = spec->ops = 0;
    return (sketch){
        .spec = spec, .conv = conv, .batch = batch, .type = t, .between = CUDNN_DATA_FLOAT};
}

#define BUILD(name)                                                                                \
    static void build_##name(stk_cudnn_spec *spec, const conv_shape *conv, int64_t batch,          \
                             cudnnDataType_t type)

BUILD(forward)
{
    const sketch s = begin(spec, conv, batch, type);
    const int    x = input(&s), w = weights(&s), y = output(&s);
    op(&s, STK_CUDNN_CONV, 0, x, w, y);
}

BUILD(dgrad)
{
    const sketch s = begin(spec, conv, batch, type);
    const int    dy = output(&s), w = weights(&s), dx = input(&s);
    op(&s, STK_CUDNN_CONV_DATA, 0, dy, w, dx);
}

BUILD(wgrad)
{
    const sketch s = begin(spec, conv, batch, type);
    const int    x = input(&s), dy = output(&s), dw = weights(&s);
    op(&s, STK_CUDNN_CONV_FILTER, 0, x, dy, dw);
}

BUILD(genstats)
{
    build_forward(spec, conv, batch, type);
    const sketch s = {spec, conv, batch, type, CUDNN_DATA_FLOAT};
    genstats(&s, 3);
}

BUILD(sbr_genstats)
{
    const sketch s = begin(spec, conv, batch, type);
    const int    x = input(&s), z = affine_relu(&s, x), w = weights(&s), y = output(&s);
    op(&s, STK_CUDNN_CONV, 0, z, w, y);
    genstats(&s, y);
}

BUILD(dbarcs)
{
    const sketch s = begin(spec, conv, batch, type);
    const int    x = input(&s), a = affine(&s, x, conv->cin, type);
    const int    other = input(&s), b = affine(&s, other, conv->cin, type);
    const int    both = pointwise(&s, CUDNN_POINTWISE_ADD, a, b, 0);
    const int    z = input(&s);
    pointwise(&s, CUDNN_POINTWISE_RELU_FWD, both, 0, z);
    const int w = weights(&s), y = output(&s);
    op(&s, STK_CUDNN_CONV, 0, z, w, y);
    genstats(&s, y);
}

/* The same where the other branch needs no norm: a block without projection. */
BUILD(barcs)
{
    const sketch s = begin(spec, conv, batch, type);
    const int    x = input(&s), a = affine(&s, x, conv->cin, type), other = input(&s);
    const int    both = pointwise(&s, CUDNN_POINTWISE_ADD, a, other, 0);
    const int    z = input(&s);
    pointwise(&s, CUDNN_POINTWISE_RELU_FWD, both, 0, z);
    const int w = weights(&s), y = output(&s);
    op(&s, STK_CUDNN_CONV, 0, z, w, y);
    genstats(&s, y);
}

BUILD(sbr_wgrad)
{
    const sketch s = begin(spec, conv, batch, type);
    const int    x = input(&s), z = affine_relu(&s, x), dy = output(&s), dw = weights(&s);
    op(&s, STK_CUDNN_CONV_FILTER, 0, z, dy, dw);
}

/* dgrad, the relu before the convolution undone with the norm computed again, and the sums that the
 * norm's gradient needs. branch: a gradient that comes from elsewhere is added first. */
static void dgrad_bn(const sketch *s, bool branch)
{
    const int64_t c = s->conv->cin;
    const int     dy = output(s), w = weights(s), x = input(s);
    int           dx = like(s, x);
    op(s, STK_CUDNN_CONV_DATA, 0, dy, w, dx);
    if (branch) dx = pointwise(s, CUDNN_POINTWISE_ADD, dx, input(s), 0);
    const int mean = channels(s, c, CUDNN_DATA_FLOAT), invstd = channels(s, c, CUDNN_DATA_FLOAT);
    const int scale = channels(s, c, CUDNN_DATA_FLOAT), bias = channels(s, c, CUDNN_DATA_FLOAT);
    int       y = pointwise(s, CUDNN_POINTWISE_SUB, x, mean, 0);
    y = pointwise(s, CUDNN_POINTWISE_MUL, y, invstd, 0);
    y = pointwise(s, CUDNN_POINTWISE_MUL, y, scale, 0);
    y = pointwise(s, CUDNN_POINTWISE_ADD, y, bias, 0);
    const int masked = input(s);
    op(s, STK_CUDNN_POINTWISE_BWD, CUDNN_POINTWISE_RELU_BWD, dx, y, masked);
    stk_cudnn_op *last = &s->spec->op[s->spec->ops++];
    *last = (stk_cudnn_op){.kind = STK_CUDNN_BN_BWD_WEIGHTS,
                           .tensor = {x, mean, invstd, scale, masked}};
    for (int i = 5; i < 10; i++)
        last->tensor[i] = channels(s, c, CUDNN_DATA_FLOAT);
}

BUILD(dgrad_bn)
{
    const sketch s = begin(spec, conv, batch, type);
    dgrad_bn(&s, false);
}

BUILD(dgrad_add_bn)
{
    const sketch s = begin(spec, conv, batch, type);
    dgrad_bn(&s, true);
}

BUILD(prologue)
{
    const sketch s = begin(spec, conv, batch, type), n = narrow(&s);
    const int    x = input(&s), z = affine_relu(&n, x), w = weights(&s), y = output(&s);
    op(&s, STK_CUDNN_CONV, 0, z, w, y);
}

/* The sums are of the convolution's fp32 results; what is stored is a copy of them. */
static void forward_sums(const sketch *s, int x)
{
    const int w = weights(s), y = output(s), wide = like(s, y);
    op(s, STK_CUDNN_CONV, 0, x, w, wide);
    pointwise(s, CUDNN_POINTWISE_IDENTITY, wide, 0, y);
    sums(s, wide, wide, s->conv->cout);
}

BUILD(sums)
{
    const sketch s = begin(spec, conv, batch, type);
    forward_sums(&s, input(&s));
}

BUILD(prologue_sums)
{
    const sketch s = begin(spec, conv, batch, type), n = narrow(&s);
    const int    x = input(&s);
    forward_sums(&s, affine_relu(&n, x));
}

static int dgrad_wide(const sketch *s)
{
    const int dy = output(s), w = weights(s);
    const int dx = add(s, s->batch, s->conv->cin, s->conv->size, CUDNN_DATA_FLOAT, true);
    op(s, STK_CUDNN_CONV_DATA, 0, dy, w, dx);
    return dx;
}

BUILD(dgrad_relu)
{
    const sketch s = begin(spec, conv, batch, type);
    const int    dx = dgrad_wide(&s), y = input(&s), masked = input(&s);
    op(&s, STK_CUDNN_POINTWISE_BWD, CUDNN_POINTWISE_RELU_BWD, dx, y, masked);
}

BUILD(dgrad_add)
{
    const sketch s = begin(spec, conv, batch, type);
    const int    dx = dgrad_wide(&s), other = input(&s), sum = input(&s);
    pointwise(&s, CUDNN_POINTWISE_ADD, dx, other, sum);
}

BUILD(dgrad_add_relu)
{
    const sketch s = begin(spec, conv, batch, type);
    const int    dx = dgrad_wide(&s), other = input(&s), y = input(&s), masked = input(&s);
    const int    sum = pointwise(&s, CUDNN_POINTWISE_ADD, dx, other, 0);
    op(&s, STK_CUDNN_POINTWISE_BWD, CUDNN_POINTWISE_RELU_BWD, sum, y, masked);
}

/* What dgrad_bn does, of ops that are not only for fp16: the sums of g and of g * x. */
BUILD(dgrad_relu_sums)
{
    const sketch s = begin(spec, conv, batch, type);
    const int    dx = dgrad_wide(&s), x = input(&s);
    const int    y = affine(&s, x, conv->cin, CUDNN_DATA_FLOAT), wide = like(&s, x);
    op(&s, STK_CUDNN_POINTWISE_BWD, CUDNN_POINTWISE_RELU_BWD, dx, y, wide);
    pointwise(&s, CUDNN_POINTWISE_IDENTITY, wide, 0, input(&s));
    sums(&s, wide, x, conv->cin);
}

static bool has_dgrad(const conv_shape *conv)
{
    return conv->cin != 3;
}

const conv_pattern conv_plain[3] = {
    {"fwd", "convolution", build_forward, NULL},
    {"dgrad", "gradient of the input", build_dgrad, has_dgrad},
    {"wgrad", "gradient of the weights", build_wgrad, NULL},
};

const conv_pattern conv_fused[] = {
    {"genstats", "conv, sums of y", build_genstats, not_stem},
    {"sbr_genstats", "norm and relu of x, conv, sums of y", build_sbr_genstats, not_stem},
    {"sbr_wgrad", "norm and relu of x, wgrad", build_sbr_wgrad, not_stem},
    {"dgrad_bn", "dgrad, relu undone, sums of the norm's gradient", build_dgrad_bn, not_stem},
    {"dgrad_add_bn", "the same, another gradient added", build_dgrad_add_bn, not_stem},
    {"dbarcs", "two norms, add, relu, conv 1x1, sums", build_dbarcs, is_1x1},
    {"barcs", "norm, add, relu, conv 1x1, sums", build_barcs, is_1x1},
    {"prologue", "norm and relu of x, conv (generic)", build_prologue, not_stem},
    {"sums", "conv, sums of y (generic)", build_sums, not_stem},
    {"prologue_sums", "both (generic)", build_prologue_sums, not_stem},
    {"dgrad_add", "dgrad, add (generic)", build_dgrad_add, stride_one},
    {"dgrad_relu", "dgrad, relu undone (generic)", build_dgrad_relu, stride_one},
    {"dgrad_add_relu", "dgrad, add, relu undone (generic)", build_dgrad_add_relu, stride_one},
    {"dgrad_relu_sums", "dgrad, relu undone, sums (generic)", build_dgrad_relu_sums, stride_one},
};
const int conv_fused_count = sizeof conv_fused / sizeof conv_fused[0];
