/* Reorders of images between block sizes. */
#include "compute/cpu/dnnl.h"
#include "harness.h"
#include <stdlib.h>
#include <string.h>

static stk_tensor_type image(stk_dtype dtype, int64_t n, int64_t h, int64_t w, int64_t c)
{
    return (stk_tensor_type){dtype, stk_shape_4d(n, h, w, c)};
}

static void move(stk_device *device, const stk_tensor_type *type, stk_format from, const void *src,
                 stk_format to, void *dst)
{
    stk_error err;
    EXPECT_OK(device->backend->reorder(device, type, from, src, to, dst, &err));
}

/* Every chain of two formats and back to rows; padding of blocks must be zero. */
static void expect_round_trip(stk_device *device, const stk_tensor_type *type)
{
    static const stk_format formats[] = {STK_FORMAT_PLAIN, STK_FORMAT_C8, STK_FORMAT_C16};
    enum { CAPACITY = 1 << 16 };
    static uint8_t plain[CAPACITY], a[CAPACITY], b[CAPACITY], back[CAPACITY];
    size_t         bytes = stk_type_bytes(type), element = stk_dtype_bytes(type->dtype);
    for (size_t i = 0; i < bytes; i++)
        plain[i] = (uint8_t)(1 + i % 251);
    for (size_t i = 0; i < COUNT_OF(formats); i++)
        for (size_t j = 0; j < COUNT_OF(formats); j++) {
            memset(a, 0xff, CAPACITY);
            memset(b, 0xff, CAPACITY);
            move(device, type, STK_FORMAT_PLAIN, plain, formats[i], a);
            move(device, type, formats[i], a, formats[j], b);
            move(device, type, formats[j], b, STK_FORMAT_PLAIN, back);
            EXPECT_MEM_EQ(plain, back, bytes);
            stk_channels c = stk_channels_of(type, formats[j]);
            size_t       all = (size_t)(c.outer * c.blocks * c.inner * c.block) * element;
            size_t       zeros = 0;
            for (size_t k = 0; k < all; k++)
                zeros += b[k] == 0;
            EXPECT_INT_EQ(all - bytes, zeros);
            EXPECT_INT_EQ(0xff, b[all]);
        }
}

STK_TEST(images_come_back_from_any_blocks_with_zeros_in_the_padding)
{
    static const int64_t channels[] = {1, 3, 8, 16, 17, 24, 40};
    stk_error            err;
    stk_device          *device;
    EXPECT_OK(stk_device_open(&device, "cpu", NULL, &err));
    for (size_t i = 0; i < COUNT_OF(channels); i++) {
        stk_tensor_type odd = image(STK_DTYPE_F32, 3, 5, 7, channels[i]);
        stk_tensor_type wide = image(STK_DTYPE_F32, 1, 11, 13, channels[i]);
        stk_tensor_type half = image(STK_DTYPE_BF16, 2, 9, 15, channels[i]);
        expect_round_trip(device, &odd);
        expect_round_trip(device, &wide);
        expect_round_trip(device, &half);
    }
    stk_device_free(device);
}
