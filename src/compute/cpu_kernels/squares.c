/* Sums of squares of tensors, for gradient_norm. */
#include "compute/cpu_kernels/squares.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/graph_ops.h"

#define STK_LOOPS "compute/cpu_kernels/squares_loops.h"
#include "compute/cpu_kernels/widths.h"

enum { PIECE = 16384 };

typedef struct job {
    const stk_cpu *cpu;
    const float   *x;
    int64_t        count, pieces;
    float          multiply, *partial; /* sum and count of each chunk */
} job;

static int64_t pieces_of(int64_t count)
{
    return (count + PIECE - 1) / PIECE;
}

size_t stk_squares_bytes(int64_t count)
{
    return (size_t)pieces_of(count) * 2 * sizeof(float);
}

static void work(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end;
    __auto_type squares = STK_PICK(j->cpu, squares);
    stk_team_share(j->pieces, 1, part, parts, &begin, &end);
    for (int64_t p = begin; p < end; p++) {
        int64_t at = p * PIECE, left = j->count - at;
        squares(j->x + at, left < PIECE ? left : PIECE, j->multiply, &j->partial[p * 2],
                &j->partial[p * 2 + 1]);
    }
}

double stk_squares(const stk_cpu *cpu, const float *x, int64_t count, float multiply, void *scratch,
                   double *not_finite)
{
    job    j = {cpu, x, count, pieces_of(count), multiply, scratch};
    double sum = 0, bad = 0;
    stk_work(cpu, count * 4, work, &j);
    for (int64_t p = 0; p < j.pieces; p++) {
        sum += (double)j.partial[p * 2];
        bad += (double)j.partial[p * 2 + 1];
    }
    if (not_finite) *not_finite = bad;
    return sum;
}

static stk_status prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    (void)err;
    for (int i = 0; i < call->instance.input_count; i++) {
        size_t bytes =
            stk_squares_bytes(stk_call_floats(call, &call->instance.in[i], call->in_format[i]));
        if (bytes > *scratch) *scratch = bytes;
    }
    return STK_OK;
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    double sum = 0, not_finite = 0;
    (void)err;
    for (int i = 0; i < call->instance.input_count; i++) {
        double bad;
        sum += stk_squares(stk_cpu_of(call->device), call->in[i],
                           stk_call_floats(call, &call->instance.in[i], call->in_format[i]), 1,
                           call->scratch, &bad);
        not_finite += bad;
    }
    ((float *)call->out[0])[0] = (float)sum;
    ((float *)call->out[0])[1] = (float)not_finite;
    return STK_OK;
}

/* In any format: padding adds zero. */
static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    (void)device, (void)err;
    for (int i = 0; i < instance->input_count; i++)
        in[i] = have[i] == (stk_format)STK_FORMAT_ANY ? STK_FORMAT_PLAIN : have[i];
    out[0] = STK_FORMAT_PLAIN;
    return STK_OK;
}

const stk_kernel stk_cpu_gradient_norm = {.op = &stk_graph_op_gradient_norm,
                                          .name = "native",
                                          .can = stk_cpu_float32,
                                          .formats = formats,
                                          .prepare = prepare,
                                          .run = run};
