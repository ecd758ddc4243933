/* Compares CPU kernels with the op's reference: in every image format, with and without vector
 * instructions, on one to four threads, which must yield the same bits. */
#ifndef STK_TESTS_CPU_SUPPORT_H
#define STK_TESTS_CPU_SUPPORT_H

#include "base/philox.h"
#include "compute/cpu/cpu.h"
#include "compute/runtime/backend.h"
#include "harness.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CPU_INPUTS = 10, CPU_THREADS = 4 };

/* Values of STOKER_CPU_OFF. */
static const char *const cpu_offs[] = {"", "avx512", "avx512,avx2"};

typedef struct cpu_input {
    stk_shape   shape;
    stk_dtype   dtype;     /* NONE: float32 */
    double      low, high; /* both 0: from -1 to 1; integers below high */
    const void *data;      /* instead of random numbers */
} cpu_input;

typedef struct cpu_case {
    const stk_graph_op *op;
    const void         *attrs;
    int                 inputs, outputs; /* outputs 0: all of the op's */
    cpu_input           in[CPU_INPUTS];
    double              tolerance; /* relative to the largest element of an output; 0: 1e-6 */
    double              scale_min; /* lower bound of that largest element */
    bool                plain;     /* row-major only */
} cpu_case;

static inline size_t cpu_count(const stk_shape *shape)
{
    size_t count = 1;
    for (int i = 0; i < shape->rank; i++)
        count *= (size_t)shape->dim[i];
    return count;
}

static inline void *cpu_draw(const cpu_input *in, stk_dtype dtype, int index)
{
    size_t     count = cpu_count(&in->shape);
    void      *data = calloc(count + 1, 8);
    stk_random random = stk_random_for(5, 0, (uint64_t)index, 78);
    double     low = in->low, high = in->high;
    if (in->data) memcpy(data, in->data, count * stk_dtype_bytes(dtype));
    if (low == 0 && high == 0) low = -1, high = 1;
    for (size_t i = 0; i < count && !in->data; i++) {
        double value = low + (high - low) * stk_random_double(&random);
        if (dtype == STK_DTYPE_F32) ((float *)data)[i] = (float)value;
        if (dtype == STK_DTYPE_I32) ((int32_t *)data)[i] = (int32_t)floor(value);
        if (dtype == STK_DTYPE_I64) ((int64_t *)data)[i] = (int64_t)floor(value);
        if (dtype == STK_DTYPE_U8) ((uint8_t *)data)[i] = (uint8_t)floor(value);
    }
    return data;
}

typedef struct cpu_run {
    const cpu_case *c;
    stk_op_instance instance;
    stk_tensor_type in[CPU_INPUTS], out[STK_OP_OUTPUTS];
    void           *plain_in[CPU_INPUTS], *expected[STK_OP_OUTPUTS];
    int             off; /* index into cpu_offs */
    stk_format      have, in_format[CPU_INPUTS], out_format[STK_OP_OUTPUTS];
    uint8_t        *first[STK_OP_OUTPUTS]; /* results of the first thread count */
} cpu_run;

static inline void cpu_compare(const cpu_run *r, int o, const void *found)
{
    size_t count = (size_t)stk_type_elements(&r->out[o]);
    if (r->out[o].dtype != STK_DTYPE_F32) {
        if (memcmp(found, r->expected[o], stk_type_bytes(&r->out[o])))
            fail_msg("%s: output %d differs (off=%s format=%u)", r->c->op->name, o,
                     cpu_offs[r->off], r->have);
        return;
    }
    const float *x = found, *y = r->expected[o];
    double       largest = r->c->scale_min, tolerance = r->c->tolerance ? r->c->tolerance : 1e-6;
    for (size_t i = 0; i < count; i++)
        if (isfinite(y[i]) && fabs((double)y[i]) > largest) largest = fabs((double)y[i]);
    for (size_t i = 0; i < count; i++)
        if (!(fabs((double)x[i] - (double)y[i]) <= tolerance * (largest + 1e-30)) && x[i] != y[i] &&
            !(isnan(x[i]) && isnan(y[i])))
            fail_msg("%s: output %d element %zu of %zu is %.9g, by the reference %.9g (off=%s "
                     "format=%u)",
                     r->c->op->name, o, i, count, (double)x[i], (double)y[i], cpu_offs[r->off],
                     r->have);
}

/* A blocked result must have zeros in its padding, as a reorder of its plain form has. */
static inline void cpu_check(cpu_run *r, stk_device *device, int o, uint8_t *found, size_t bytes)
{
    stk_error err;
    size_t    size = stk_type_bytes(&r->out[o]) + 64;
    if (r->first[o]) {
        EXPECT_MEM_EQ(r->first[o], found, bytes);
        return;
    }
    void *plain = malloc(size), *again = malloc(bytes + 64);
    EXPECT_OK(device->backend->reorder(device, &r->out[o], r->out_format[o], found,
                                       STK_FORMAT_PLAIN, plain, &err));
    cpu_compare(r, o, plain);
    EXPECT_OK(device->backend->reorder(device, &r->out[o], STK_FORMAT_PLAIN, plain,
                                       r->out_format[o], again, &err));
    if (r->out[o].dtype == STK_DTYPE_F32) EXPECT_MEM_EQ(again, found, bytes);
    free(plain);
    free(again);
    r->first[o] = malloc(bytes + 1);
    memcpy(r->first[o], found, bytes);
}

/* Devices are cached, since opening one takes longer than most cases. STOKER_CPU_OFF is read at
 * opening. */
static inline stk_device *cpu_device(int off, int threads)
{
    static stk_device *devices[COUNT_OF(cpu_offs)][CPU_THREADS + 1];
    stk_error          err;
    if (devices[off][threads]) return devices[off][threads];
    setenv("STOKER_CPU_OFF", cpu_offs[off], 1);
    EXPECT_OK(stk_device_open(&devices[off][threads], "cpu",
                              &(stk_device_options){.threads = threads}, &err));
    unsetenv("STOKER_CPU_OFF");
    return devices[off][threads];
}

static inline void cpu_run_once(cpu_run *r, int threads)
{
    stk_device       *device = cpu_device(r->off, threads);
    stk_error         err;
    size_t            scratch = 0, bytes[STK_OP_OUTPUTS] = {0};
    const void       *in[CPU_INPUTS] = {0};
    void             *out[STK_OP_OUTPUTS] = {0};
    stk_format        have[CPU_INPUTS];
    const stk_kernel *kernel = device->backend->kernel(device, r->c->op, &r->instance);
    EXPECT_STR_EQ("native", kernel->name);
    for (int i = 0; i < r->c->inputs; i++)
        have[i] = r->in[i].shape.rank == 4 ? r->have : STK_FORMAT_PLAIN;
    memset(r->in_format, 0, sizeof r->in_format);
    memset(r->out_format, 0, sizeof r->out_format);
    if (kernel->formats)
        EXPECT_OK(kernel->formats(device, &r->instance, have, r->in_format, r->out_format, &err));
    stk_kernel_call call = {device, r->c->op, r->instance, r->in_format, r->out_format, in, out,
                            0,      0};
    for (int i = 0; i < r->c->inputs; i++) {
        size_t size = device->backend->format_bytes(device, &r->in[i], r->in_format[i]);
        void  *data = device->backend->alloc(device, size + 64);
        EXPECT_OK(device->backend->reorder(device, &r->in[i], STK_FORMAT_PLAIN, r->plain_in[i],
                                           r->in_format[i], data, &err));
        in[i] = data;
    }
    for (int o = 0; o < r->instance.output_count; o++) {
        bytes[o] = device->backend->format_bytes(device, &r->out[o], r->out_format[o]);
        out[o] = device->backend->alloc(device, bytes[o] + 64);
        memset(out[o], 0xff, bytes[o] + 64); /* NaN in float32 */
    }
    if (kernel->prepare) EXPECT_OK(kernel->prepare(&call, &scratch, &err));
    call.scratch = device->backend->alloc(device, scratch + 64);
    memset(call.scratch, 0xff, scratch + 64);
    EXPECT_OK(kernel->run(&call, &err));
    for (int o = 0; o < r->instance.output_count; o++) {
        cpu_check(r, device, o, out[o], bytes[o]);
        for (int i = 0; i < 64; i++) /* detects writes past the end */
            EXPECT_INT_EQ(0xff, ((uint8_t *)out[o])[bytes[o] + (size_t)i]);
        device->backend->free(device, out[o], bytes[o] + 64);
    }
    if (kernel->release) kernel->release(&call);
    device->backend->free(device, call.scratch, scratch + 64);
    for (int i = 0; i < r->c->inputs; i++)
        free((void *)in[i]);
}

/* 1 to 4 threads give the same bits; races are of 4 alone, addresses of the first and the last. */
static inline int cpu_threads_least(void)
{
    return stk_test_sanitized_for() == STK_TEST_RACES ? CPU_THREADS : 1;
}

static inline int cpu_threads_more(void)
{
    return stk_test_sanitized_for() == STK_TEST_NOT_SANITIZED ? 1 : CPU_THREADS - 1;
}

static inline void expect_cpu(const cpu_case *c)
{
    static const stk_format haves[] = {STK_FORMAT_PLAIN, STK_FORMAT_C8, STK_FORMAT_C16};
    cpu_run                 r = {.c = c};
    stk_error               err;
    r.instance = (stk_op_instance){
        "case", c->attrs, c->inputs, c->outputs ? c->outputs : c->op->outputs, r.in, r.out};
    for (int i = 0; i < c->inputs; i++) {
        r.in[i] =
            (stk_tensor_type){c->in[i].dtype ? c->in[i].dtype : STK_DTYPE_F32, c->in[i].shape};
        r.plain_in[i] = cpu_draw(&c->in[i], r.in[i].dtype, i);
    }
    EXPECT_OK(c->op->infer(&r.instance, r.out, &err));
    for (int o = 0; o < r.instance.output_count; o++)
        r.expected[o] = malloc(stk_type_bytes(&r.out[o]) + 64);
    c->op->reference(&r.instance, (const void *const *)r.plain_in, r.expected);
    for (size_t f = 0; f < (c->plain ? 1 : COUNT_OF(haves)); f++)
        for (int off = 0; off < (int)COUNT_OF(cpu_offs); off++) {
            r.have = haves[f];
            r.off = off;
            for (int threads = cpu_threads_least(); threads <= CPU_THREADS;
                 threads += cpu_threads_more())
                cpu_run_once(&r, threads);
            for (int o = 0; o < r.instance.output_count; o++) {
                free(r.first[o]);
                r.first[o] = NULL;
            }
        }
    for (int i = 0; i < c->inputs; i++)
        free(r.plain_in[i]);
    for (int o = 0; o < r.instance.output_count; o++)
        free(r.expected[o]);
}

#define NHWC(n, h, w, c) ((stk_shape){.rank = 4, .dim = {n, h, w, c}})

#endif
