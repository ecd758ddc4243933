#include "compute/cuda/cuda_support.h"
#include "base/philox.h"
#include "tensor/half.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAST = 64 }; /* bytes after an output that must not change */

stk_device *cuda_device(void)
{
    static stk_device *device;
    stk_error          err;
    if (device) return device;
    /* No timing unless a test is about it, and no stored choices of other runs. */
    setenv("STOKER_TUNE", "off", 0);
    setenv("STOKER_CACHE", "/dev/null/none", 0);
    EXPECT_OK(stk_device_open(&device, "cuda", NULL, &err));
    return device;
}

bool cuda_is_emulated(void)
{
    char name[128];
    cuda_device()->backend->describe(cuda_device(), name, sizeof name);
    return strstr(name, "emulated");
}

typedef struct trial {
    const cuda_case  *c;
    stk_dtype         dtype; /* under test */
    stk_op_instance   instance;
    stk_tensor_type   in[CUDA_INPUTS], out[STK_OP_OUTPUTS];
    void             *given[CUDA_INPUTS];  /* of the type */
    void             *floats[CUDA_INPUTS]; /* the same, as float32 for the reference */
    void             *expected[STK_OP_OUTPUTS];
    stk_format        in_format[CUDA_INPUTS], out_format[STK_OP_OUTPUTS];
    const stk_kernel *kernel;
    const char       *file;
    int               line;
} trial;

static bool is_half(stk_dtype dtype)
{
    return dtype == STK_DTYPE_F16 || dtype == STK_DTYPE_BF16;
}

static double draw(stk_random *random, const cuda_input *in)
{
    bool usual = in->low == 0 && in->high == 0;
    return (usual ? -1 : in->low) +
           ((usual ? 1 : in->high) - (usual ? -1 : in->low)) * stk_random_double(random);
}

static void make_input(trial *t, int i)
{
    const cuda_input *in = &t->c->in[i];
    stk_dtype         dtype = in->dtype ? in->dtype : t->dtype;
    t->in[i] = (stk_tensor_type){dtype, in->shape};
    size_t     count = (size_t)stk_type_elements(&t->in[i]);
    stk_random random = stk_random_for(5, 0, (uint64_t)i, 79);
    t->given[i] = calloc(count + 1, 8);
    t->floats[i] = calloc(count + 1, 8);
    for (size_t k = 0; k < count && !in->data; k++) {
        double value = draw(&random, in);
        if (dtype == STK_DTYPE_I32) ((int32_t *)t->given[i])[k] = (int32_t)floor(value);
        if (dtype == STK_DTYPE_I64) ((int64_t *)t->given[i])[k] = (int64_t)floor(value);
        if (dtype == STK_DTYPE_U8) ((uint8_t *)t->given[i])[k] = (uint8_t)floor(value);
        if (dtype == STK_DTYPE_F32 || is_half(dtype)) ((float *)t->floats[i])[k] = (float)value;
    }
    if (in->data)
        memcpy(dtype == STK_DTYPE_F32 || is_half(dtype) ? t->floats[i] : t->given[i], in->data,
               count * (is_half(dtype) ? 4 : stk_dtype_bytes(dtype)));
    if (is_half(dtype)) {
        stk_halves_from_float(dtype, t->floats[i], t->given[i], (int64_t)count);
        stk_floats_from_half(dtype, t->given[i], t->floats[i], (int64_t)count);
    } else if (dtype == STK_DTYPE_F32) {
        memcpy(t->given[i], t->floats[i], count * sizeof(float));
    } else {
        memcpy(t->floats[i], t->given[i], count * stk_dtype_bytes(dtype));
    }
}

static void begin(trial *t)
{
    stk_error        err;
    const cuda_case *c = t->c;
    t->instance = (stk_op_instance){
        "case", c->attrs, c->inputs, c->outputs ? c->outputs : c->op->outputs, t->in, t->out};
    for (int i = 0; i < c->inputs; i++)
        make_input(t, i);
    EXPECT_OK(c->op->infer(&t->instance, t->out, &err));
    for (int o = 0; o < t->instance.output_count; o++)
        t->expected[o] = calloc((size_t)stk_type_elements(&t->out[o]) + 1, 8);
    c->op->reference(&t->instance, (const void *const *)t->floats, t->expected);
    t->kernel = cuda_device()->backend->kernel(cuda_device(), c->op, &t->instance);
    if (!t->kernel)
        fail_msg("%s:%d: %s has no kernel in %s", t->file, t->line, c->op->name,
                 stk_dtype_name(t->dtype));
    stk_format have[CUDA_INPUTS];
    for (int i = 0; i < c->inputs; i++)
        have[i] = t->in[i].shape.rank == 4 ? c->have : STK_FORMAT_PLAIN;
    if (t->kernel->formats)
        EXPECT_OK(t->kernel->formats(cuda_device(), &t->instance, have, t->in_format, t->out_format,
                                     &err));
}

static double tolerance_of(const trial *t, stk_dtype dtype)
{
    if (t->dtype == STK_DTYPE_F32) return t->c->tolerance ? t->c->tolerance : 2e-6;
    double half = t->c->tolerance16 ? t->c->tolerance16 : 2e-3;
    (void)dtype;
    return t->dtype == STK_DTYPE_F16 ? half : half * 8;
}

static void compare(const trial *t, int o, const void *found)
{
    const stk_tensor_type *type = &t->out[o];
    size_t                 count = (size_t)stk_type_elements(type);
    if (type->dtype != STK_DTYPE_F32 && !is_half(type->dtype)) {
        if (memcmp(found, t->expected[o], stk_type_bytes(type)))
            fail_msg("%s:%d: %s: output %d differs", t->file, t->line, t->c->op->name, o);
        return;
    }
    float *x = calloc(count + 1, sizeof *x);
    if (type->dtype == STK_DTYPE_F32)
        memcpy(x, found, count * sizeof *x);
    else
        stk_floats_from_half(type->dtype, found, x, (int64_t)count);
    const float *y = t->expected[o];
    double       largest = 0, tolerance = tolerance_of(t, type->dtype);
    for (size_t i = 0; i < count; i++)
        if (isfinite(y[i]) && fabs((double)y[i]) > largest) largest = fabs((double)y[i]);
    for (size_t i = 0; i < count; i++)
        if (!(fabs((double)x[i] - (double)y[i]) <= tolerance * (largest + 1e-30)) && x[i] != y[i] &&
            !(isnan(x[i]) && isnan(y[i])))
            fail_msg("%s:%d: %s in %s: output %d element %zu of %zu is %.9g, by the reference %.9g "
                     "(largest %g)",
                     t->file, t->line, t->c->op->name, stk_dtype_name(t->dtype), o, i, count,
                     (double)x[i], (double)y[i], largest);
    free(x);
}

static void *download(const void *from, size_t bytes)
{
    stk_error err;
    void     *to = malloc(bytes + 1);
    cuda_device()->backend->download(cuda_device(), to, from, bytes);
    EXPECT_OK(cuda_device()->backend->sync(cuda_device(), &err));
    return to;
}

static void *poisoned(size_t bytes)
{
    stk_device *device = cuda_device();
    void       *host = malloc(bytes), *data = device->backend->alloc(device, bytes);
    memset(host, 0xff, bytes);
    device->backend->upload(device, data, host, bytes);
    free(host);
    return data;
}

static void *upload(trial *t, int i)
{
    stk_device *device = cuda_device();
    stk_error   err;
    size_t      plain_bytes = stk_type_bytes(&t->in[i]);
    size_t      bytes = device->backend->format_bytes(device, &t->in[i], t->in_format[i]);
    void       *plain = device->backend->alloc(device, plain_bytes + PAST);
    void       *data = device->backend->alloc(device, bytes + PAST);
    device->backend->upload(device, plain, t->given[i], plain_bytes);
    EXPECT_OK(device->backend->reorder(device, &t->in[i], STK_FORMAT_PLAIN, plain, t->in_format[i],
                                       data, &err));
    EXPECT_OK(device->backend->sync(device, &err));
    device->backend->free(device, plain, plain_bytes + PAST);
    return data;
}

static void check(trial *t, int o, void *out, size_t bytes)
{
    stk_device *device = cuda_device();
    stk_error   err;
    size_t      plain_bytes = stk_type_bytes(&t->out[o]);
    uint8_t    *raw = download(out, bytes + PAST);
    for (int i = 0; i < PAST; i++)
        if (raw[bytes + (size_t)i] != 0xff)
            fail_msg("%s:%d: %s: output %d: byte %d past the end was written", t->file, t->line,
                     t->c->op->name, o, i);
    void *plain = device->backend->alloc(device, plain_bytes + PAST);
    void *again = device->backend->alloc(device, bytes + PAST);
    EXPECT_OK(device->backend->reorder(device, &t->out[o], t->out_format[o], out, STK_FORMAT_PLAIN,
                                       plain, &err));
    EXPECT_OK(device->backend->reorder(device, &t->out[o], STK_FORMAT_PLAIN, plain,
                                       t->out_format[o], again, &err));
    void *host = download(plain, plain_bytes), *like = download(again, bytes);
    compare(t, o, host);
    EXPECT_MEM_EQ(like, raw, bytes); /* padding must be zero */
    device->backend->free(device, plain, plain_bytes + PAST);
    device->backend->free(device, again, bytes + PAST);
    free(host);
    free(like);
    free(raw);
}

/* Libraries choose algorithms by speed, unless the device is deterministic. */
static bool repeats(const trial *t)
{
    return cuda_device()->options.deterministic ||
           (strcmp(t->kernel->name, "cudnn") != 0 &&
            strcmp(t->kernel->name, "with statistics") != 0);
}

/* Runs again with each output in place of its in-place input, which destroys the inputs. */
static void run_over(trial *t, stk_kernel_call *call, const void **in, void **out,
                     const size_t *bytes, uint8_t *const *first)
{
    stk_device *device = cuda_device();
    stk_error   err;
    bool        inplace[STK_OP_OUTPUTS] = {false}, any = false;
    for (int o = 0; o < t->instance.output_count; o++) {
        int i = t->c->op->inplace[o] - 1;
        inplace[o] = i >= 0 && i < t->c->inputs && t->in[i].dtype == t->out[o].dtype &&
                     t->in_format[i] == t->out_format[o] &&
                     stk_shape_equal(&t->in[i].shape, &t->out[o].shape);
        out[o] = inplace[o] ? (void *)in[i] : device->backend->alloc(device, bytes[o] + PAST);
        any = any || inplace[o];
    }
    if (any) EXPECT_OK(t->kernel->run(call, &err));
    EXPECT_OK(device->backend->sync(device, &err));
    for (int o = 0; o < t->instance.output_count; o++) {
        uint8_t *now = download(out[o], bytes[o]);
        if (any && repeats(t)) EXPECT_MEM_EQ(first[o], now, bytes[o]);
        free(now);
        if (!inplace[o]) device->backend->free(device, out[o], bytes[o] + PAST);
    }
}

static void run_trial(trial *t)
{
    stk_device     *device = cuda_device();
    stk_error       err;
    size_t          scratch = 0, bytes[STK_OP_OUTPUTS] = {0};
    const void     *in[CUDA_INPUTS] = {0};
    void           *out[STK_OP_OUTPUTS] = {0};
    stk_kernel_call call = {device, t->c->op, t->instance, t->in_format, t->out_format, in, out,
                            0,      0};
    for (int i = 0; i < t->c->inputs; i++)
        in[i] = upload(t, i);
    if (t->kernel->prepare) EXPECT_OK(t->kernel->prepare(&call, &scratch, &err));
    call.scratch = poisoned(scratch + PAST);
    uint8_t *first[STK_OP_OUTPUTS] = {0};
    /* The second must give the same bits; its addresses are those of the first. */
    const int turns = stk_test_sanitized_for() == STK_TEST_NOT_SANITIZED ? 2 : 1;
    for (int turn = 0; turn < turns; turn++) {
        for (int o = 0; o < t->instance.output_count; o++) {
            bytes[o] = device->backend->format_bytes(device, &t->out[o], t->out_format[o]);
            out[o] = poisoned(bytes[o] + PAST);
        }
        EXPECT_OK(t->kernel->run(&call, &err));
        EXPECT_OK(device->backend->sync(device, &err));
        for (int o = 0; o < t->instance.output_count; o++) {
            uint8_t *now = download(out[o], bytes[o]);
            if (turn == 0) check(t, o, out[o], bytes[o]);
            if (turn == 1 && repeats(t)) EXPECT_MEM_EQ(first[o], now, bytes[o]);
            if (turn == 1) free(now);
            if (turn == 0) first[o] = now;
            device->backend->free(device, out[o], bytes[o] + PAST);
        }
    }
    run_over(t, &call, in, out, bytes, first);
    for (int o = 0; o < t->instance.output_count; o++)
        free(first[o]);
    if (t->kernel->release) t->kernel->release(&call);
    device->backend->free(device, call.scratch, scratch + PAST);
    for (int i = 0; i < t->c->inputs; i++)
        device->backend->free(device, (void *)in[i], 0);
}

void expect_cuda(const cuda_case *c, const char *file, int line)
{
    static const stk_dtype dtypes[] = {STK_DTYPE_F32, STK_DTYPE_F16, STK_DTYPE_BF16};
    for (size_t d = c->only_16_bits; d < (c->only_float32 ? 1 : COUNT_OF(dtypes)); d++) {
        trial t = {.c = c, .dtype = dtypes[d], .file = file, .line = line};
        begin(&t);
        run_trial(&t);
        for (int i = 0; i < c->inputs; i++)
            free(t.given[i]), free(t.floats[i]);
        for (int o = 0; o < t.instance.output_count; o++)
            free(t.expected[o]);
    }
}
