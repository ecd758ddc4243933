/* Shapes: how many elements, and as text. */
#include "base/checked.h"

#include <inttypes.h>
#include <stdio.h>
#include <stoker/tensor.h>

bool stk_shape_equal(const stk_shape *a, const stk_shape *b)
{
    if (a->rank != b->rank) return false;
    for (int i = 0; i < a->rank && i < STK_MAX_RANK; i++)
        if (a->dim[i] != b->dim[i]) return false;
    return true;
}

static stk_status check(const stk_shape *shape, bool *empty, stk_error *err)
{
    *empty = false;
    if (shape->rank < 0 || shape->rank > STK_MAX_RANK)
        return stk_fail(err, STK_E_SHAPE, "tensor", NULL,
                        "a shape of %d dimensions; 0 to %d are possible", shape->rank,
                        STK_MAX_RANK);
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dim[i] < 0) {
            char text[256];
            return stk_fail(err, STK_E_SHAPE, "tensor", stk_shape_text(shape, text, sizeof text),
                            "dimension %d is %" PRId64 "; none may be negative", i, shape->dim[i]);
        }
        *empty |= shape->dim[i] == 0;
    }
    return STK_OK;
}

/* A zero anywhere makes the product zero, so it is looked for before anything can overflow. */
stk_status stk_shape_count(const stk_shape *shape, int64_t *count, stk_error *err)
{
    bool empty;
    *count = 0;
    STK_TRY(check(shape, &empty, err));
    if (empty) return STK_OK;
    int64_t product = 1;
    for (int i = 0; i < shape->rank; i++)
        if (stk_mul_overflows_i64(product, shape->dim[i], &product)) {
            char text[256];
            return stk_fail(err, STK_E_SHAPE, "tensor", stk_shape_text(shape, text, sizeof text),
                            "more elements than a 64-bit number counts");
        }
    *count = product;
    return STK_OK;
}

char *stk_shape_text(const stk_shape *shape, char *text, int capacity)
{
    if (capacity <= 0) return text;
    const int rank = shape->rank < STK_MAX_RANK ? shape->rank : STK_MAX_RANK;
    char      integer[8 + 21 * STK_MAX_RANK] = "[";
    int       used = 1;
    for (int i = 0; i < rank; i++)
        used += snprintf(integer + used, sizeof integer - (size_t)used, "%s%" PRId64, i ? "," : "",
                         shape->dim[i]);
    snprintf(text, (size_t)capacity, "%s]", integer);
    return text;
}
