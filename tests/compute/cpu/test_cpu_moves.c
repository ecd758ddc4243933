/* Ops that move elements on the CPU backend. */
#include "compute/cpu/cpu_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include "compute/ops/update_ops.h"
#include "tensor/half.h"

STK_TEST(dimensions_are_put_in_every_order)
{
    static const int64_t sizes[][4] = {
        {2, 3, 5, 7}, {1, 17, 33, 1}, {3, 20, 19, 24}, {64, 1, 1, 70}};
    static const stk_dtype dtypes[] = {STK_DTYPE_F32, STK_DTYPE_I64, STK_DTYPE_U8};
    for (int code = 0; code < 256; code++) {
        stk_transpose_attrs attrs = {4, {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6}};
        unsigned            seen = 0;
        for (int d = 0; d < 4; d++)
            seen |= 1u << attrs.order[d];
        for (size_t s = 0; s < COUNT_OF(sizes) && seen == 15; s++) {
            stk_shape shape = {.rank = 4};
            memcpy(shape.dim, sizes[s], sizeof sizes[s]);
            expect_cpu(&(cpu_case){.op = &stk_graph_op_transpose,
                                   .attrs = &attrs,
                                   .inputs = 1,
                                   .in = {{shape, dtypes[(code + (int)s) % 3], 0, 200, NULL}}});
        }
    }
}

STK_TEST(boxes_are_cut_out_and_put_back)
{
    static const int64_t boxes[][8] = {
        {1, 2, 3, 16, 1, 2, 4, 16}, {0, 0, 0, 16, 2, 5, 7, 24}, {0, 0, 0, 5, 2, 5, 7, 3},
        {0, 1, 0, 0, 2, 2, 7, 40},  {0, 0, 0, 0, 2, 5, 7, 8},   {1, 0, 0, 0, 1, 5, 7, 40},
    };
    stk_shape whole = NHWC(2, 5, 7, 40);
    for (size_t b = 0; b < COUNT_OF(boxes); b++) {
        stk_slice_attrs slice = {{0}, {0}};
        stk_pad_attrs   pad = {{0}, {0}, 0};
        stk_shape       part = {.rank = 4};
        for (int d = 0; d < 4; d++) {
            slice.start[d] = pad.before[d] = boxes[b][d];
            slice.size[d] = part.dim[d] = boxes[b][d + 4];
            pad.after[d] = whole.dim[d] - boxes[b][d] - boxes[b][d + 4];
        }
        expect_cpu(&(cpu_case){
            .op = &stk_graph_op_slice, .attrs = &slice, .inputs = 1, .in = {{.shape = whole}}});
        for (int value = 0; value < 2; value++) {
            pad.value = value;
            expect_cpu(&(cpu_case){
                .op = &stk_graph_op_pad, .attrs = &pad, .inputs = 1, .in = {{.shape = part}}});
        }
    }
}

STK_TEST(parts_are_put_one_after_the_other)
{
    static const int64_t channels[][3] = {{16, 32, 5}, {8, 16, 24}, {1, 3, 7}, {17, 16, 16}};
    for (size_t c = 0; c < COUNT_OF(channels); c++) {
        cpu_case concat = {
            .op = &stk_graph_op_concat, .attrs = &(stk_concat_attrs){3}, .inputs = 3};
        for (int i = 0; i < 3; i++)
            concat.in[i].shape = NHWC(2, 5, 7, channels[c][i]);
        expect_cpu(&concat);
    }
    for (int axis = 0; axis < 3; axis++) {
        cpu_case concat = {
            .op = &stk_graph_op_concat, .attrs = &(stk_concat_attrs){axis}, .inputs = 3};
        for (int i = 0; i < 3; i++) {
            concat.in[i].shape = NHWC(2, 3, 4, 20);
            concat.in[i].shape.dim[axis] = i + 1;
        }
        expect_cpu(&concat);
    }
}

STK_TEST(bytes_become_normalised_floats)
{
    for (int channels = 1; channels <= 4; channels++) {
        stk_normalize_image_attrs attrs = {
            {0.485f, 0.456f, 0.406f, 0.5f}, {0.229f, 0.224f, 0.225f, 0.5f}, channels, 0};
        expect_cpu(&(cpu_case){.op = &stk_graph_op_normalize_image,
                               .attrs = &attrs,
                               .inputs = 1,
                               .in = {{NHWC(3, 31, 29, channels), STK_DTYPE_U8, 0, 256, NULL}},
                               .plain = true});
    }
}

STK_TEST(rows_of_a_table_are_found_and_added_back)
{
    static const stk_dtype dtypes[] = {STK_DTYPE_I32, STK_DTYPE_I64};
    for (size_t t = 0; t < COUNT_OF(dtypes); t++)
        for (int64_t width = 1; width < 200; width += 33) {
            stk_embedding_attrs attrs = {13};
            cpu_input           ids = {stk_shape_2d(9, 40), dtypes[t], -1, 14, NULL};
            stk_shape           dy = {.rank = 3, .dim = {9, 40, width}};
            expect_cpu(&(cpu_case){.op = &stk_graph_op_embedding,
                                   .attrs = &attrs,
                                   .inputs = 2,
                                   .in = {{.shape = stk_shape_2d(13, width)}, ids}});
            expect_cpu(&(cpu_case){.op = &stk_graph_op_embedding_grad,
                                   .attrs = &attrs,
                                   .inputs = 2,
                                   .in = {{.shape = dy}, ids},
                                   .tolerance = 2e-6});
        }
}

STK_TEST(the_same_elements_are_dropped)
{
    static const int64_t step = 7;
    cpu_input            at = {.shape = {0}, .dtype = STK_DTYPE_I64, .data = &step};
    for (int rows = 0; rows < 2; rows++) {
        stk_dropout_attrs attrs = {.rate = 0.3, .seed = 5, .stream = 2, .rows = rows};
        expect_cpu(&(cpu_case){.op = &stk_graph_op_dropout,
                               .attrs = &attrs,
                               .inputs = 2,
                               .in = {{.shape = NHWC(9, 5, 7, 17)}, at}});
    }
}

STK_TEST(images_grow_and_their_gradients_shrink)
{
    static const int64_t channels[] = {1, 3, 8, 17, 24};
    for (int factor = 1; factor <= 3; factor++)
        for (int kind = 0; kind < 2; kind++)
            for (size_t c = 0; c < COUNT_OF(channels); c++) {
                stk_upsample_attrs attrs = {factor, kind};
                expect_cpu(&(cpu_case){.op = &stk_graph_op_upsample,
                                       .attrs = &attrs,
                                       .inputs = 1,
                                       .in = {{.shape = NHWC(2, 5, 4, channels[c])}}});
                expect_cpu(
                    &(cpu_case){.op = &stk_graph_op_upsample_grad,
                                .attrs = &attrs,
                                .inputs = 1,
                                .in = {{.shape = NHWC(2, 5 * factor, 4 * factor, channels[c])}}});
            }
}

STK_TEST(labels_are_found_among_the_largest)
{
    for (int k = 1; k <= 5; k += 2) {
        stk_top_k_attrs attrs = {k};
        float           x[200 * 9];
        for (int i = 0; i < 200 * 9; i++)
            x[i] = i % 41 == 0 ? NAN : (float)(i * 7 % 11); /* with equal elements */
        cpu_input logits = {.shape = stk_shape_2d(200, 9), .data = x};
        expect_cpu(&(cpu_case){.op = &stk_graph_op_top_k_correct,
                               .attrs = &attrs,
                               .inputs = 2,
                               .in = {logits, {stk_shape_1d(200), STK_DTYPE_I32, -1, 10, NULL}}});
        expect_cpu(&(cpu_case){.op = &stk_graph_op_top_k_correct,
                               .attrs = &attrs,
                               .inputs = 2,
                               .in = {logits, {.shape = stk_shape_2d(200, 9)}}});
    }
}

static void cast(const char *off, stk_dtype from, const void *x, stk_dtype to, void *y,
                 int64_t count)
{
    stk_device     *device;
    stk_error       err;
    stk_tensor_type in = {from, stk_shape_1d(count)}, out = {to, stk_shape_1d(count)};
    stk_format      format = STK_FORMAT_PLAIN;
    setenv("STOKER_CPU_OFF", off, 1);
    EXPECT_OK(stk_device_open(&device, "cpu", NULL, &err));
    unsetenv("STOKER_CPU_OFF");
    stk_kernel_call   call = {.device = device,
                              .op = &stk_graph_op_cast,
                              .instance = {"case", &(stk_cast_attrs){(int)to}, 1, 1, &in, &out},
                              .in_format = &format,
                              .out_format = &format,
                              .in = (const void *[]){x},
                              .out = (void *[]){y}};
    const stk_kernel *kernel = device->backend->kernel(device, call.op, &call.instance);
    EXPECT_STR_EQ("native", kernel->name);
    EXPECT_OK(kernel->run(&call, &err));
    stk_device_free(device);
}

STK_TEST(casts_to_bfloat16_round_as_the_plain_ones_do)
{
    enum { COUNT = 60001 };
    static const char *const offs[] = {"", "avx512", "avx512,avx2"};
    static float             x[COUNT], back[COUNT], expected_back[COUNT];
    static uint16_t          found[COUNT], expected[COUNT];
    stk_random               random = stk_random_for(1, 2, 3, 4);
    for (int i = 0; i < COUNT; i++) {
        uint32_t bits = stk_random_u32(&random);
        memcpy(&x[i], &bits, sizeof bits);
    }
    stk_halves_from_float(STK_DTYPE_BF16, x, expected, COUNT);
    stk_floats_from_half(STK_DTYPE_BF16, expected, expected_back, COUNT);
    for (size_t k = 0; k < COUNT_OF(offs); k++) {
        cast(offs[k], STK_DTYPE_F32, x, STK_DTYPE_BF16, found, COUNT);
        EXPECT_MEM_EQ(expected, found, sizeof found);
        cast(offs[k], STK_DTYPE_BF16, found, STK_DTYPE_F32, back, COUNT);
        EXPECT_MEM_EQ(expected_back, back, sizeof back);
    }
}
