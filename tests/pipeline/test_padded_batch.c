#include "values_support.h"

#include "pipeline/support/pad_batch.h"

#include <stdlib.h>

/* Vectors [n n ... n] of length n. */
static stk_dataset *copies(size_t count, const size_t *lengths)
{
    int64_t numbers[64];
    size_t  at = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < lengths[i]; k++)
            numbers[at++] = (int64_t)lengths[i];
    return stk_test_vectors(count, lengths, numbers);
}

#define COPIES(...) copies(HOW_MANY(size_t, __VA_ARGS__), (const size_t[]){__VA_ARGS__})

STK_TEST(padded_batch_pads_to_the_longest_in_the_batch) /* 29 */
{
    stk_dataset *data = COPIES(1, 2, 3, 4);
    APPLY(data, padded_batch, 2, NULL);
    EXPECT_INT_EQ(2, stk_dataset_cardinality(data));
    EXPECT_GIVES("[[1 0][2 2]] [[3 3 3 0][4 4 4 4]] .", data);
}

STK_TEST(padded_batch_pads_strings_with_empty_ones) /* 29 */
{
    stk_dataset *data = DATA(ELEMENT(STRINGS("a")), ELEMENT(STRINGS("bb", "c", "d")));
    APPLY(data, padded_batch, 2, NULL);
    EXPECT_GIVES("[['a' '' '']['bb' 'c' 'd']] .", data);
}

STK_TEST(padded_batch_pads_to_a_fixed_shape)
{
    const stk_shape shape = stk_shape_1d(5);
    stk_dataset    *data = COPIES(1, 2, 3);
    APPLY(data, padded_batch, 2, &(stk_padded_batch_options){.shapes = &shape, .value_count = 1});
    const stk_value_spec *spec = &stk_dataset_spec(data)->values[0];
    EXPECT_INT_EQ(2, spec->shape.rank);
    EXPECT_INT_EQ(-1, spec->shape.dim[0]);
    EXPECT_INT_EQ(5, spec->shape.dim[1]);
    EXPECT_GIVES("[[1 0 0 0 0][2 2 0 0 0]] [[3 3 3 0 0]] .", data);
}

STK_TEST(an_element_longer_than_the_fixed_shape_is_data_loss) /* 30 */
{
    const stk_shape                shape = stk_shape_1d(5);
    const stk_padded_batch_options options = {.shapes = &shape, .value_count = 1};
    stk_dataset                   *data = COPIES(1, 6, 2, 1);
    APPLY(data, padded_batch, 2, &options);
    EXPECT_GIVES("!damaged_data [[2 2 0 0 0][1 0 0 0 0]] .", data);
    data = COPIES(1, 6);
    APPLY(data, padded_batch, 2, &options);
    stk_test_fails(data, STK_E_DATALOSS,
                   "component 0 of element 1 has shape [6], larger than the padded shape [5]");
}

STK_TEST(empty_vectors_pad_to_rows_of_nothing) /* 30 */
{
    stk_dataset *data = COPIES(0, 0, 0, 0);
    APPLY(data, padded_batch, 4, NULL);
    stk_element     *batch = stk_test_first(stk_dataset_ref(data));
    const stk_shape *shape = &stk_element_value(batch, 0)->shape;
    EXPECT_INT_EQ(2, shape->rank);
    EXPECT_INT_EQ(4, shape->dim[0]);
    EXPECT_INT_EQ(0, shape->dim[1]);
    stk_element_unref(batch);
    EXPECT_GIVES("[[][][][]] .", data);
}

STK_TEST(padding_is_per_component) /* 31 */
{
    const stk_value padding[] = {SCALAR(-1), {0}};
    stk_dataset    *data = DATA(ELEMENT(VECTOR(1), VECTOR(2)), ELEMENT(VECTOR(3, 4), VECTOR(5, 6)));
    APPLY(data, padded_batch, 2, &(stk_padded_batch_options){.padding = padding, .value_count = 2});
    EXPECT_GIVES("([[1 -1][3 4]] [[2 0][5 6]]) .", data);
}

STK_TEST(padding_with_strings_and_scalars_beside)
{
    stk_value padding[2] = {{0}};
    stk_value_view(&padding[0], stk_bytes_text("-"), NULL);
    stk_dataset *data =
        DATA(ELEMENT(STRINGS("a"), SCALAR(1)), ELEMENT(STRINGS("b", "c"), SCALAR(2)));
    APPLY(data, padded_batch, 2, &(stk_padded_batch_options){.padding = padding, .value_count = 2});
    EXPECT_GIVES("([['a' '-']['b' 'c']] [1 2]) .", data);
}

STK_TEST(padded_batch_pads_every_dimension)
{
    const stk_shape shape = stk_shape_2d(-1, 3);
    stk_dataset    *data = DATA(ELEMENT(MATRIX(1, 2, 1, 2)), ELEMENT(MATRIX(2, 1, 3, 4)));
    APPLY(data, padded_batch, 2, NULL);
    EXPECT_GIVES("[[[1 2][0 0]][[3 0][4 0]]] .", data);
    data = DATA(ELEMENT(MATRIX(1, 2, 1, 2)), ELEMENT(MATRIX(2, 1, 3, 4)));
    APPLY(data, padded_batch, 2, &(stk_padded_batch_options){.shapes = &shape, .value_count = 1});
    EXPECT_GIVES("[[[1 2 0][0 0 0]][[3 0 0][4 0 0]]] .", data);
}

STK_TEST(padded_batch_drops_the_remainder_if_told)
{
    stk_dataset *data = COPIES(1, 2, 3);
    APPLY(data, padded_batch, 2, &(stk_padded_batch_options){.drop_remainder = true});
    EXPECT_INT_EQ(1, stk_dataset_cardinality(data));
    EXPECT_INT_EQ(2, stk_dataset_spec(data)->values[0].shape.dim[0]);
    EXPECT_GIVES("[[1 0][2 2]] .", data);
}

STK_TEST(padded_batch_of_the_largest_size_makes_one_batch)
{
    stk_dataset *data = COPIES(1, 2, 3);
    APPLY(data, padded_batch, INT64_MAX, NULL);
    EXPECT_GIVES("[[1 0 0][2 2 0][3 3 3]] .", data);
}

static stk_status as_vector(void *context, const stk_call *call, stk_element **element,
                            stk_error *err)
{
    (void)context;
    const int64_t   number = stk_test_number(*element);
    const stk_shape shape = stk_shape_1d(number % 3);
    void           *to;
    if (number == 3) return stk_fail(err, STK_E_INVALID, "test", NULL, "three");
    STK_TRY(stk_element_make_unique(element, err));
    stk_value *value = stk_element_edit(*element, 0);
    STK_TRY(stk_value_dense(value, call->ledger, STK_DTYPE_I64, &shape, &to, err));
    for (int64_t i = 0; i < number % 3; i++)
        ((int64_t *)to)[i] = number;
    return STK_OK;
}

STK_TEST(an_error_ends_the_padded_batch_at_hand)
{
    const stk_shape shape = stk_shape_1d(-1);
    stk_dataset    *data = RANGE(9);
    APPLY(data, map, stk_test_map("as_vector", as_vector, NULL, 0), NULL);
    APPLY(data, padded_batch, 2, &(stk_padded_batch_options){.shapes = &shape, .value_count = 1});
    /* 2 was gathered before 3 failed and is lost with it. */
    EXPECT_GIVES("[[0][1]] !invalid_argument [[4 0][5 5]] [[0][7]] [[8 8]] .", data);
}

STK_TEST(padded_batch_refuses_what_it_cannot_know) /* 31 */
{
    stk_error    err;
    stk_dataset *data = RANGE(3);
    PUT(data, map, stk_test_map("as_vector", as_vector, NULL, 0), NULL);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_padded_batch(&data, 2, NULL, &err));
    EXPECT_CONTAINS("give padded shapes", err.message);
    stk_dataset_unref(data);
    data = DATA(ELEMENT(VECTOR(1)), ELEMENT(MATRIX(1, 1, 1)));
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_padded_batch(&data, 2, NULL, &err));
    EXPECT_CONTAINS("the rank of the value is not known", err.message);
    stk_dataset_unref(data);
}

STK_TEST(padded_batch_refuses_ragged_sparse_and_dataset_values) /* 31 */
{
    stk_error       err;
    const stk_shape row = stk_shape_1d(-1);
    stk_dataset    *data = COPIES(1, 2);
    PUT(data, ragged_batch, 1, NULL);
    EXPECT_STATUS(STK_E_TYPE, stk_dataset_padded_batch(&data, 2, NULL, &err));
    EXPECT_CONTAINS("is ragged", err.message);
    stk_dataset_unref(data);
    data = COPIES(1, 2);
    PUT(data, sparse_batch, 1, &row);
    EXPECT_STATUS(STK_E_TYPE, stk_dataset_padded_batch(&data, 2, NULL, &err));
    EXPECT_CONTAINS("is sparse", err.message);
    stk_dataset_unref(data);
    stk_value    inner;
    stk_dataset *numbers = RANGE(2);
    stk_value_dataset(&inner, numbers);
    stk_dataset_unref(numbers);
    data = DATA(ELEMENT(inner));
    EXPECT_STATUS(STK_E_TYPE, stk_dataset_padded_batch(&data, 2, NULL, &err));
    EXPECT_CONTAINS("is dataset", err.message);
    stk_dataset_unref(data);
}

static void refuses(stk_status status, const stk_padded_batch_options *options, const char *part)
{
    stk_error    err;
    stk_dataset *data = COPIES(1, 2);
    EXPECT_STATUS(status, stk_dataset_padded_batch(&data, 2, options, &err));
    EXPECT_CONTAINS(part, err.message);
    stk_dataset_unref(data);
}

STK_TEST(padded_batch_refuses_shapes_and_padding_that_do_not_fit)
{
    const stk_shape flat = stk_shape_1d(-1), deep = stk_shape_2d(-1, -1);
    const stk_shape low = stk_shape_1d(-2), wide = {.rank = STK_MAX_RANK};
    stk_value       number;
    stk_value_f32(&number, 1);
    stk_value vector = {.dtype = STK_DTYPE_I64, .shape = stk_shape_1d(1)};
    refuses(STK_E_INVALID, &(stk_padded_batch_options){.shapes = &deep, .value_count = 1},
            "the padded shape [-1,-1] does not fit values of shape [-1]");
    refuses(STK_E_INVALID, &(stk_padded_batch_options){.shapes = &low, .value_count = 1},
            "the padded shape is [-2]");
    refuses(STK_E_SHAPE, &(stk_padded_batch_options){.shapes = &wide, .value_count = 1}, "rank 8");
    refuses(STK_E_INVALID, &(stk_padded_batch_options){.shapes = &flat, .value_count = 0},
            "were given for 0 values; elements have 1");
    refuses(STK_E_TYPE, &(stk_padded_batch_options){.padding = &number, .value_count = 1},
            "the value is int64, its padding is float32");
    refuses(STK_E_INVALID, &(stk_padded_batch_options){.padding = &vector, .value_count = 1},
            "must be a dense scalar");
    stk_error    err;
    stk_dataset *data = COPIES(3, 3);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_padded_batch(&data, 0, NULL, &err));
    EXPECT_CONTAINS("the batch size is 0", err.message);
    const stk_shape                small = stk_shape_1d(2);
    const stk_padded_batch_options options = {.shapes = &small, .value_count = 1};
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_padded_batch(&data, 2, &options, &err));
    EXPECT_CONTAINS("[2] does not fit values of shape [3]", err.message);
    stk_dataset_unref(data);
}

STK_TEST(padded_batch_fingerprints_tell_shapes_and_padding_apart)
{
    stk_error       err;
    const stk_shape shape = stk_shape_1d(5);
    const stk_value one = SCALAR(1), two = SCALAR(2);
    uint64_t        seen[5];
    for (int i = 0; i < 5; i++) {
        stk_dataset             *data = COPIES(1, 2);
        stk_padded_batch_options options = {.value_count = i ? 1 : 0};
        if (i == 1) options.shapes = &shape;
        if (i == 2) options.padding = &one;
        if (i == 3) options.padding = &two;
        if (i == 4) options.drop_remainder = true;
        EXPECT_OK(stk_dataset_padded_batch(&data, 2, &options, &err));
        seen[i] = stk_dataset_fingerprint(data);
        for (int k = 0; k < i; k++)
            EXPECT(seen[k] != seen[i]);
        stk_dataset_unref(data);
    }
}

/* One place at a time, by its coordinates. */
static void pad_slowly(int32_t *dst, const stk_shape *to, const int32_t *src, const stk_shape *from,
                       int32_t fill)
{
    int64_t count, at[STK_MAX_RANK] = {0};
    EXPECT_INT_EQ(STK_OK, stk_shape_count(to, &count, NULL));
    for (int64_t i = 0; i < count; i++) {
        int64_t place = 0;
        bool    inside = true;
        for (int d = 0; d < to->rank; d++) {
            inside = inside && at[d] < from->dim[d];
            place = place * from->dim[d] + at[d];
        }
        dst[i] = inside ? src[place] : fill;
        for (int d = to->rank - 1; d >= 0 && ++at[d] == to->dim[d]; d--)
            at[d] = 0;
    }
}

STK_TEST(padding_agrees_with_the_slow_way_on_many_shapes)
{
    int32_t src[1024], fast[1024], slow[1024];
    srand(3);
    for (int i = 0; i < 1024; i++)
        src[i] = i;
    for (int round = 0; round < 5000; round++) {
        stk_shape to = {.rank = rand() % 6}, from = {.rank = to.rank};
        for (int d = 0; d < to.rank; d++) {
            to.dim[d] = rand() % 5;
            from.dim[d] = rand() % 3 ? to.dim[d] : rand() % (to.dim[d] + 1);
        }
        int64_t count;
        EXPECT_INT_EQ(STK_OK, stk_shape_count(&to, &count, NULL));
        if (count > 1024) continue;
        const int32_t fill = -7;
        memset(fast, 0x55, sizeof fast);
        memset(slow, 0x55, sizeof slow);
        stk_pad_copy(fast, &to, src, &from, sizeof *src, &fill);
        pad_slowly(slow, &to, src, &from, fill);
        EXPECT_MEM_EQ(slow, fast, sizeof fast);
    }
}

static stk_status build_and_run(void *context, stk_error *err)
{
    const stk_shape shapes[] = {stk_shape_1d(5), stk_shape_1d(-1)};
    const stk_value padding[] = {SCALAR(-1), {0}};
    stk_dataset    *data = stk_dataset_ref(context);
    stk_status      st = stk_dataset_padded_batch(
             &data, 2,
             &(stk_padded_batch_options){.shapes = shapes, .padding = padding, .value_count = 2}, err);
    if (st) {
        stk_dataset_unref(data);
        return st;
    }
    return stk_test_drain(data, err);
}

STK_TEST(padded_batch_survives_every_failing_allocation)
{
    stk_dataset *data = DATA(ELEMENT(VECTOR(1), STRINGS("a", "b")),
                             ELEMENT(VECTOR(2, 3), STRINGS("c")), ELEMENT(VECTOR(4), STRINGS("d")));
    stk_test_fail_each_allocation(build_and_run, data);
    stk_dataset_unref(data);
}
