/* The encoders: what they write is read back; what they refuse. */
#include "codec_support.h"

#include <jpeglib.h>

enum { SIDE_MAX = 70 };

static uint8_t samples[SIDE_MAX * SIDE_MAX * 3];

/* An image with a gap behind each row. */
static stk_pixels make_image(int32_t width, int32_t height, int32_t channels)
{
    uint32_t         lot = 5;
    const stk_pixels pixels = {samples, width, height, channels, (size_t)(width * channels) + 3};
    for (int32_t y = 0; y < height; y++)
        for (int32_t i = 0; i < width * channels; i++)
            samples[(size_t)y * pixels.stride + (size_t)i] =
                (uint8_t)(2 * y + i + (int32_t)(draw(&lot) % 16));
    return pixels;
}

typedef stk_status (*writer)(stk_blob *out, const stk_pixels *pixels, stk_error *err);

static stk_status write_jpeg(stk_blob *out, const stk_pixels *pixels, stk_error *err)
{
    return stk_image_write_jpeg(out, pixels, NULL, err);
}

static void expect_read_back(writer write, const stk_pixels *pixels)
{
    stk_error                err;
    stk_pixels               read;
    stk_blob                 out;
    stk_decoder             *decoder = new_decoder(NULL);
    const stk_decode_options options = {.channels = pixels->channels};
    stk_blob_init(&out, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_blob_append(&out, "before", 6, &err));
    EXPECT_OK(write(&out, pixels, &err));
    EXPECT_MEM_EQ("before", out.data, 6);
    EXPECT_OK(stk_image_decode(decoder, stk_bytes_of(out.data + 6, out.size - 6), NULL, 1, &options,
                               &read, NULL, &err));
    expect_cut_out(pixels, (stk_rect){0, 0, pixels->width, pixels->height}, &read);
    stk_blob_release(&out);
    stk_decoder_free(decoder);
}

STK_TEST(png_and_pnm_give_the_pixels_back)
{
    static const int32_t sizes[][2] = {{1, 1}, {3, 2}, {17, 5}, {64, 70}};
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (int32_t channels = 1; channels <= 3; channels += 2) {
            const stk_pixels pixels = make_image(sizes[i][0], sizes[i][1], channels);
            expect_read_back(stk_image_write_png, &pixels);
            expect_read_back(stk_image_write_pnm, &pixels);
        }
}

/* What libjpeg itself reads; the largest difference from what was written. */
static int read_jpeg(const stk_blob *encoded, const stk_pixels *pixels, int *sampling)
{
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr         errors;
    uint8_t                       row[SIDE_MAX * 3], *rows = row;
    int                           worst = 0;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, encoded->data, encoded->size);
    EXPECT_INT_EQ(JPEG_HEADER_OK, jpeg_read_header(&jpeg, TRUE));
    EXPECT_INT_EQ(pixels->channels, jpeg.num_components);
    *sampling = jpeg.comp_info[0].h_samp_factor * 10 + jpeg.comp_info[0].v_samp_factor;
    jpeg_start_decompress(&jpeg);
    EXPECT_INT_EQ(pixels->width, jpeg.output_width);
    EXPECT_INT_EQ(pixels->height, jpeg.output_height);
    for (int32_t y = 0; y < pixels->height; y++) {
        jpeg_read_scanlines(&jpeg, &rows, 1);
        for (int32_t i = 0; i < pixels->width * pixels->channels; i++) {
            const int off = abs(row[i] - pixels->data[(size_t)y * pixels->stride + (size_t)i]);
            worst = off > worst ? off : worst;
        }
    }
    jpeg_finish_decompress(&jpeg);
    jpeg_destroy_decompress(&jpeg);
    return worst;
}

STK_TEST(jpegs_are_close_and_as_large_as_asked)
{
    stk_error err;
    size_t    bytes[3];
    int       sampling;
    for (int32_t channels = 1; channels <= 3; channels += 2) {
        const stk_jpeg_write_options options[3] = {{0}, {.quality = 40}, {.subsample = true}};
        for (int i = 0; i < 3; i++) {
            const stk_pixels pixels = make_image(67, 53, channels);
            stk_blob         out;
            stk_blob_init(&out, NULL, STK_MEMORY_OUTPUT);
            EXPECT_OK(stk_image_write_jpeg(&out, &pixels, &options[i], &err));
            bytes[i] = out.size;
            const int worst = read_jpeg(&out, &pixels, &sampling);
            EXPECT(i || worst < 20);
            EXPECT_INT_EQ(i == 2 && channels == 3 ? 22 : 11, sampling);
            stk_blob_release(&out);
        }
        EXPECT(bytes[1] < bytes[0] / 2);
        EXPECT(channels == 1 || bytes[2] < bytes[0]);
    }
}

STK_TEST(what_is_no_image_is_not_written)
{
    static const writer writers[] = {stk_image_write_png, write_jpeg, stk_image_write_pnm};
    stk_error           err;
    stk_blob            out;
    stk_blob_init(&out, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_blob_append(&out, "before", 6, &err));
    for (size_t i = 0; i < COUNT_OF(writers); i++) {
        EXPECT_STATUS(STK_E_INVALID, writers[i](&out, &(stk_pixels){samples, 0, 3, 3, 9}, &err));
        EXPECT_STATUS(STK_E_INVALID, writers[i](&out, &(stk_pixels){samples, 3, -1, 3, 9}, &err));
        EXPECT_STATUS(STK_E_INVALID, writers[i](&out, &(stk_pixels){NULL, 3, 3, 3, 9}, &err));
        EXPECT_STATUS(STK_E_INVALID, writers[i](&out, &(stk_pixels){samples, 3, 3, 2, 9}, &err));
        EXPECT_STATUS(STK_E_INVALID, writers[i](&out, &(stk_pixels){samples, 3, 3, 3, 8}, &err));
        EXPECT_INT_EQ(6, out.size);
    }
    EXPECT_STATUS(STK_E_LIMIT, write_jpeg(&out, &(stk_pixels){samples, 65501, 1, 1, 65501}, &err));
    EXPECT_STATUS(STK_E_INVALID,
                  stk_image_write_jpeg(&out, &(stk_pixels){samples, 3, 3, 3, 9},
                                       &(stk_jpeg_write_options){.quality = 101}, &err));
    EXPECT_INT_EQ(6, out.size);
    stk_blob_release(&out);
}

STK_TEST(a_full_ledger_leaves_the_blob_as_it_was)
{
    static const writer writers[] = {stk_image_write_png, write_jpeg, stk_image_write_pnm};
    const stk_pixels    pixels = make_image(60, 60, 3);
    stk_error           err;
    stk_blob            out;
    stk_ledger         *ledger;
    for (size_t i = 0; i < COUNT_OF(writers); i++) {
        int refused = 0;
        for (uint64_t ceiling = 64; ceiling < 60000; ceiling = ceiling * 5 / 4) {
            EXPECT_OK(stk_ledger_new(&ledger, ceiling, &err));
            stk_blob_init(&out, ledger, STK_MEMORY_OUTPUT);
            EXPECT_OK(stk_blob_append(&out, "before", 6, &err));
            const stk_status st = writers[i](&out, &pixels, &err);
            EXPECT(st == STK_OK || (st == STK_E_CEILING && out.size == 6));
            refused += st != STK_OK;
            stk_blob_release(&out);
            stk_ledger_unref(ledger);
        }
        EXPECT(refused > 3);
    }
}

static stk_status write_once(void *context, stk_error *err)
{
    const stk_pixels pixels = make_image(60, 60, 3);
    stk_blob         out;
    stk_blob_init(&out, NULL, STK_MEMORY_OUTPUT);
    const stk_status st = (*(const writer *)context)(&out, &pixels, err);
    stk_blob_release(&out);
    return st;
}

STK_TEST(memory_that_runs_out_while_writing_is_an_error_and_nothing_leaks)
{
    writer writers[] = {stk_image_write_png, write_jpeg, stk_image_write_pnm};
    for (size_t i = 0; i < COUNT_OF(writers); i++)
        stk_test_fail_each_allocation(write_once, &writers[i]);
}
