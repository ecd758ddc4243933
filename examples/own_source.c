/* A source and a function of one's own: points on a spiral, made in C, scaled in C, batched.
 * Prints the first batch. The function is pure, so the pipeline calls it on as many threads as
 * help; the order stays the same. */
#include <math.h>
#include <stdio.h>
#include <stoker/stoker.h>

enum { POINTS = 1000 };

/* Element number index: may be called from any thread, in any order. */
static stk_status make_point(void *context, const stk_call *call, uint64_t index, stk_element **out,
                             stk_error *err)
{
    (void)context;
    const stk_shape shape = stk_shape_1d(2);
    const double    angle = (double)index * 0.1;
    float          *xy;
    STK_TRY(stk_element_new(out, 1, err));
    stk_status st = stk_value_dense(stk_element_edit(*out, 0), call->ledger, STK_DTYPE_F32, &shape,
                                    (void **)&xy, err);
    if (st) {
        stk_element_unref(*out);
        *out = NULL;
        return st;
    }
    xy[0] = (float)(angle * cos(angle));
    xy[1] = (float)(angle * sin(angle));
    return STK_OK;
}

/* Scales by the factor in context, and adds a little noise that is the same on any number of
 * threads: it comes from the call, not from a generator with a state. */
static stk_status scale(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    const float factor = *(const float *)context;
    STK_TRY(stk_element_make_unique(element, err));
    stk_value      *value = stk_element_edit(*element, 0);
    const float    *from = stk_value_data(value);
    const float     x = from[0], y = from[1];
    const stk_shape shape = stk_shape_1d(2);
    float          *to;
    stk_value_release(value);
    STK_TRY(stk_value_dense(value, call->ledger, STK_DTYPE_F32, &shape, (void **)&to, err));
    to[0] = x * factor + (float)stk_call_uniform(call, 0, 0) * 0.01f;
    to[1] = y * factor + (float)stk_call_uniform(call, 0, 1) * 0.01f;
    return STK_OK;
}

static stk_status build(stk_dataset **data, float *factor, stk_error *err)
{
    const stk_value_spec point = {
        .name = "point", .dtype = STK_DTYPE_F32, .rank_known = true, .shape = stk_shape_1d(2)};
    const stk_element_spec spec = {.known = true, .count = 1, .values = &point};
    const stk_indexed_info spiral = {
        .name = "spiral", .output = &spec, .count = POINTS, .read = make_point};
    const stk_function_info scaling = {.name = "scale",
                                       .details = "3",
                                       .context = factor,
                                       .traits = STK_FUNCTION_RANDOM,
                                       .output = &spec,
                                       .map = scale};
    stk_function           *function;
    STK_TRY(stk_function_new(&function, &scaling, err));
    stk_status st = stk_dataset_indexed(data, &spiral, err);
    if (!st) st = stk_dataset_map(data, function, NULL, err);
    if (!st) st = stk_dataset_batch(data, 4, NULL, err);
    stk_function_unref(function);
    return st;
}

int main(void)
{
    float         factor = 3;
    stk_dataset  *data = NULL;
    stk_iterator *it = NULL;
    stk_element  *batch = NULL;
    stk_error     err;
    stk_status    st = build(&data, &factor, &err);
    if (!st) st = stk_iterator_start(&it, data, &(stk_iterator_options){.seed = 7}, &err);
    if (!st) st = stk_iterator_next(it, &batch, &err);
    if (!st) {
        const float *xy = stk_value_data(stk_element_value(batch, 0));
        for (int i = 0; i < 4; i++)
            printf("%8.3f %8.3f\n", (double)xy[2 * i], (double)xy[2 * i + 1]);
    } else {
        char line[1024];
        fprintf(stderr, "%s\n", stk_error_line(&err, line, sizeof line));
    }
    stk_element_unref(batch);
    stk_iterator_free(it);
    stk_dataset_unref(data);
    return st ? 1 : 0;
}
