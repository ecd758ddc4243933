/* Nothing is read behind an image's last byte, whichever instruction set is at work: what lies
 * there is a page that cannot be touched. */
#include "codec_support.h"
#include "guard_support.h"

#include "image/jpeg/jpeg_kernels.h"

/* Decodes image, which lies before a guard, whole and in a window. */
static void decode_guarded(stk_bytes image, const stk_jpeg_kernels *kernels,
                           const stk_decode_options *options, int shrink)
{
    stk_error    err;
    stk_pixels   pixels;
    guarded      g = guarded_copy(image.data, image.size);
    stk_decoder *decoder = new_decoder(NULL);
    stk_bytes    encoded = stk_bytes_of(g.data, g.size);
    stk_decoder_jpeg(decoder, &err)->kernels = kernels;
    if (!stk_image_decode(decoder, encoded, NULL, shrink, options, &pixels, NULL, &err)) {
        sum_pixels(&pixels);
        const stk_rect corner = {pixels.width / 2, pixels.height / 2, (pixels.width + 1) / 2,
                                 (pixels.height + 1) / 2};
        EXPECT_OK(
            stk_image_decode(decoder, encoded, &corner, shrink, options, &pixels, NULL, &err));
        sum_pixels(&pixels);
    }
    stk_decoder_free(decoder);
    guarded_free(&g);
}

/* Every image of the tests, cut at many places, with and without recovering. */
STK_TEST(codecs_read_nothing_behind_the_bytes)
{
    golden       list[MOST_GOLDEN];
    const size_t count = read_golden(list, "");
    for (size_t i = 0; i < count; i++) {
        const stk_bytes all = list[i].encoded;
        const size_t    step = all.size / 40 + 1;
        for (size_t cut = 0; cut <= all.size; cut += cut + step > all.size ? 1 : step)
            for (int recover = 0; recover < 2; recover++) {
                const stk_decode_options options = {.recover = recover};
                decode_guarded(stk_bytes_of(all.data, cut), stk_jpeg_kernels_best(), &options, 1);
            }
    }
}

static void write_noise(stk_blob *jpeg, int32_t width, int32_t height, int32_t channels, bool small)
{
    stk_error  err;
    uint32_t   state = 5;
    stk_pixels p = {.width = width, .height = height, .channels = channels};
    p.stride = (size_t)width * (size_t)channels;
    p.data = malloc(p.stride * (size_t)height);
    for (size_t i = 0; i < p.stride * (size_t)height; i++)
        p.data[i] = (uint8_t)draw(&state);
    EXPECT_OK(stk_image_write_jpeg(jpeg, &p, &(stk_jpeg_write_options){.subsample = small}, &err));
    free(p.data);
}

/* The end of image at any place: where the bit reader takes more than there is. */
STK_TEST(jpegs_cut_anywhere_are_read_to_their_last_byte_only)
{
    static const uint8_t end[] = {0xff, 0xd9};
    for (int kind = 0; kind < 4; kind++) {
        stk_blob jpeg;
        stk_blob_init(&jpeg, NULL, STK_MEMORY_OUTPUT);
        write_noise(&jpeg, 37, 21, kind & 1 ? 3 : 1, kind & 2);
        uint8_t *bytes = malloc(jpeg.size + sizeof end);
        for (size_t cut = 2; cut <= jpeg.size; cut++) {
            memcpy(bytes, jpeg.data, cut);
            memcpy(bytes + cut, end, sizeof end);
            const stk_decode_options options = {.recover = cut & 1};
            const stk_bytes          part = stk_bytes_of(bytes, cut + cut % 3);
            decode_guarded(part, stk_jpeg_kernels_best(), &options, 1 << cut % 4);
            decode_guarded(part, &stk_jpeg_kernels_plain, &options, 1 << cut % 4);
        }
        free(bytes);
        stk_blob_release(&jpeg);
    }
}
