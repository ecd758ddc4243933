/* Initial values of variables. Random numbers depend on (seed, name) only, not on build order or
 * backend. */
#include "base/hash.h"
#include "base/philox.h"
#include "compute/runtime/device_variables.h"
#include <math.h>
#include <string.h>

enum { STREAM_INIT = 0x494e4954 };

static float draw_normal(stk_random *random)
{
    double u = 1 - stk_random_double(random), v = stk_random_double(random);
    return (float)(sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
}

static float draw(const stk_init *init, stk_random *random)
{
    float z;
    switch (init->kind) {
    case STK_INIT_CONSTANT:
        return (float)init->a;
    case STK_INIT_FIRST:
        return (float)init->b;
    case STK_INIT_UNIFORM:
        return (float)(init->a + (init->b - init->a) * stk_random_double(random));
    case STK_INIT_TRUNCATED_NORMAL:
        do
            z = draw_normal(random);
        while (fabsf(z) > 2);
        return (float)(init->a + init->b * (double)z);
    default:
        return (float)(init->a + init->b * (double)draw_normal(random));
    }
}

/* Rows below min(O, I) copy one input channel each, at the centre of the kernel. */
static void put_dirac(const stk_shape *shape, float *values)
{
    int64_t kh = shape->dim[2], kw = shape->dim[3], row = shape->dim[1] * kh * kw;
    int64_t rows = shape->dim[0] < shape->dim[1] ? shape->dim[0] : shape->dim[1];
    memset(values, 0, (size_t)(rows * row) * sizeof *values);
    for (int64_t o = 0; o < rows; o++)
        values[o * row + o * kh * kw + kh / 2 * kw + kw / 2] = 1;
}

void stk_init_values(const stk_init *init, uint64_t seed, const char *name, const stk_shape *shape,
                     float *values)
{
    stk_tensor_type type = {STK_DTYPE_F32, *shape};
    int64_t         count = stk_type_elements(&type);
    stk_random random = stk_random_for(seed, 0, stk_hash64(0, name, strlen(name)), STREAM_INIT);
    for (int64_t i = 0; i < count; i++)
        values[i] = draw(init, &random);
    if (init->kind == STK_INIT_FIRST && count) values[0] = (float)init->a;
    if (init->kind == STK_INIT_DIRAC && shape->rank == 4) put_dirac(shape, values);
}
