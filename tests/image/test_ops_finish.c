/* Finishing operations, one after the other into one ending. */
#include "ops_support.h"

#include <math.h>

/* "to_float; layout order=nchw" */
static stk_status finish_by(const char *lines, stk_output_format *ending, stk_error *err)
{
    stk_status st = STK_OK;
    *ending = (stk_output_format){.dtype = STK_DTYPE_U8};
    while (*lines && !st) {
        char         line[128] = "", name[32] = "";
        const size_t length = strcspn(lines, ";");
        memcpy(line, lines, length);
        lines += length + strspn(lines + length, "; ");
        memcpy(name, line, strcspn(line, " "));
        const stk_image_op *op = stk_image_op_find(name);
        void               *params = params_of(op, line + strlen(name));
        st = op->output(params, ending, err);
        free(params);
    }
    return st;
}

static void expect_result(const stk_output_format *ending, int channel, double pixel,
                          double expected)
{
    const double value =
        ending->scaled ? (float)pixel * ending->scale[channel] + ending->offset[channel] : pixel;
    if (fabs(value - expected) > 1e-6 * fmax(1, fabs(expected)))
        fail_msg("channel %d of %g: %.9g, not %.9g", channel, pixel, value, expected);
}

static void expect_imagenet(const char *lines)
{
    static const double mean[3] = {0.485, 0.456, 0.406}, std[3] = {0.229, 0.224, 0.225};
    stk_error           err;
    stk_output_format   ending;
    EXPECT_OK(finish_by(lines, &ending, &err));
    EXPECT_INT_EQ(STK_DTYPE_F32, ending.dtype);
    for (int pixel = 0; pixel < 256; pixel++)
        for (int c = 0; c < 3; c++)
            expect_result(&ending, c, pixel, (pixel / 255.0 - mean[c]) / std[c]);
}

STK_TEST(normalizing_is_the_same_with_or_without_scaling_before)
{
    expect_imagenet("normalize preset=imagenet");
    expect_imagenet("normalize mean=0.485,0.456,0.406 std=0.229,0.224,0.225");
    expect_imagenet("to_float; normalize preset=imagenet");
    expect_imagenet("layout order=nchw; to_float; normalize preset=imagenet; pad_channels");
    expect_imagenet("cast dtype=float32; normalize mean=123.675,116.28,103.53 "
                    "std=58.395,57.12,57.375");
    expect_imagenet("normalize mean=0.485,0.456,0.406 std=1; normalize std=0.229,0.224,0.225");
}

STK_TEST(plain_types_keep_values)
{
    stk_error         err;
    stk_output_format ending;
    EXPECT_OK(finish_by("cast dtype=float16", &ending, &err));
    EXPECT_INT_EQ(STK_DTYPE_F16, ending.dtype);
    EXPECT(!ending.scaled);
    EXPECT_OK(finish_by("to_float scale=false dtype=bfloat16", &ending, &err));
    EXPECT_INT_EQ(STK_DTYPE_BF16, ending.dtype);
    EXPECT(!ending.scaled);
    EXPECT_OK(finish_by("cast dtype=uint8; to_float; cast dtype=bfloat16", &ending, &err));
    EXPECT_INT_EQ(STK_DTYPE_BF16, ending.dtype);
    expect_result(&ending, 2, 51, 0.2);
    EXPECT_OK(finish_by("cast dtype=uint8", &ending, &err));
    EXPECT_INT_EQ(STK_DTYPE_U8, ending.dtype);
}

STK_TEST(layout_and_channels_compose_with_anything)
{
    stk_error         err;
    stk_output_format ending;
    EXPECT_OK(finish_by("pad_channels count=3; layout order=nchw; pad_channels; "
                        "normalize preset=cifar10 dtype=float16",
                        &ending, &err));
    EXPECT(ending.planar);
    EXPECT_INT_EQ(4, ending.channels);
    EXPECT(ending.scale[3] == 0 && ending.offset[3] == 0);
    EXPECT_OK(finish_by("layout order=nchw; layout order=nhwc", &ending, &err));
    EXPECT(!ending.planar);
}

STK_TEST(orders_that_one_rounding_cannot_do_are_refused)
{
    static const char *const cases[][3] = {
        {"to_float dtype=float16; normalize preset=imagenet", "normalize",
         "values are float16 already, and normalize works on uint8 or float32"},
        {"normalize preset=mnist dtype=bfloat16; normalize std=2", "normalize",
         "give dtype=bfloat16 here"},
        {"to_float; to_float", "to_float", "values are float32 already"},
        {"to_float; cast dtype=uint8", "cast", "float32 already and cannot become uint8"},
        {"cast dtype=float16; cast dtype=float32", "cast", "name the type once"},
        {"cast dtype=float16; cast dtype=bfloat16", "cast", "cannot become bfloat16"},
        {"pad_channels count=4; pad_channels count=3", "pad_channels",
         "there are 4 channels already, more than 3"},
    };
    stk_error         err;
    stk_output_format ending;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        EXPECT_STATUS(STK_E_INVALID, finish_by(cases[i][0], &ending, &err));
        EXPECT_STR_EQ(cases[i][1], err.component);
        EXPECT_CONTAINS(cases[i][2], err.message);
    }
}

STK_TEST(measuring_follows_type_layout_and_channels)
{
    EXPECT_INT_EQ(STK_DTYPE_F16,
                  measure_by("normalize", "preset=clip dtype=float16", -1, -1).dtype);
    EXPECT_INT_EQ(STK_DTYPE_F32, measure_by("to_float", "", -1, -1).dtype);
    EXPECT_INT_EQ(STK_DTYPE_BF16, measure_by("cast", "dtype=bfloat16", -1, -1).dtype);
    EXPECT_INT_EQ(STK_DTYPE_U8, measure_by("cast", "dtype=uint8", -1, -1).dtype);
    EXPECT(measure_by("layout", "order=nchw", -1, -1).planar);
    EXPECT_INT_EQ(4, measure_by("pad_channels", "", -1, -1).channels);
    EXPECT_INT_EQ(-1, measure_by("pad_channels", "", -1, -1).width);
}
