/* JPEGs that libjpeg-turbo made, decoded whole and in windows, by every set of kernels: the pixels
 * are those that libjpeg-turbo decodes. */
#include "image/jpeg/region.h"
#include "image/jpeg/restart_index.h"
#include "image/jpeg_support.h"

#include <zlib.h>

static const stk_jpeg_kernels *const kernels[] = {&stk_jpeg_kernels_plain, &stk_jpeg_kernels_avx2,
                                                  &stk_jpeg_kernels_avx512};

/* Sets of kernels that this processor can run: the list up to the best. */
static size_t kernel_count(void)
{
    size_t count = 1;
    while (kernels[count - 1] != stk_jpeg_kernels_best())
        count++;
    return count;
}

typedef struct sampling {
    int h[3], v[3];
} sampling;

static const sampling samplings[] = {
    {{1, 1, 1}, {1, 1, 1}}, {{2, 1, 1}, {1, 1, 1}}, {{1, 1, 1}, {2, 1, 1}}, {{2, 1, 1}, {2, 1, 1}},
    {{4, 1, 1}, {1, 1, 1}}, {{4, 1, 1}, {2, 1, 1}}, {{2, 2, 1}, {2, 1, 1}}, {{2, 1, 2}, {2, 2, 1}},
    {{1, 2, 1}, {1, 2, 2}}, {{1, 1, 1}, {4, 1, 2}}, {{2, 2, 2}, {1, 1, 1}}, {{1, 2, 1}, {1, 1, 1}}};

static void set_kernels(stk_decoder *decoder, size_t which)
{
    stk_error                err;
    struct stk_jpeg_decoder *jpeg = stk_decoder_jpeg(decoder, &err);
    EXPECT(jpeg != NULL);
    jpeg->kernels = kernels[which];
}

/* That the decoder of our own, not libjpeg's, gives the window. */
static void expect_window(stk_decoder *decoder, stk_bytes encoded, const jpeg_image *whole,
                          stk_rect window, int shrink, stk_bytes index)
{
    const stk_decode_options options = {.restarts = index};
    stk_image_header         header = {.info.orientation = 1};
    const stk_codec_request  request = {.encoded = encoded,
                                        .header = &header,
                                        .window = window,
                                        .shrink = shrink,
                                        .channels = 3,
                                        .options = &options};
    const size_t             stride = 3 * (size_t)window.width;
    stk_error                err;
    bool                     done = false;
    uint8_t                 *dst = malloc(stride * (size_t)window.height);
    const stk_pixels         pixels = {dst, window.width, window.height, 3, stride};
    EXPECT_OK(stk_jpeg_header_read(&header.jpeg, encoded, &err));
    EXPECT_OK(stk_region_decode(decoder, stk_decoder_jpeg(decoder, &err), &header.jpeg, &request,
                                dst, &done, &err));
    EXPECT(done);
    EXPECT(jpeg_same(whole, window, &pixels));
    free(dst);
}

static void expect_same(stk_decoder *decoder, stk_bytes encoded, uint64_t *seed, int windows)
{
    static const int shrinks[] = {1, 2, 4, 8};
    for (size_t s = 0; s < COUNT_OF(shrinks); s++) {
        const jpeg_image whole = jpeg_reference(encoded, shrinks[s]);
        const stk_rect   all = {0, 0, whole.width, whole.height};
        for (int i = 0; i < windows; i++) {
            set_kernels(decoder, (size_t)i % kernel_count());
            expect_window(decoder, encoded, &whole, i < 3 ? all : jpeg_random_window(&whole, seed),
                          shrinks[s], (stk_bytes){0});
        }
        free(whole.data);
    }
}

static jpeg_recipe random_recipe(uint64_t *seed)
{
    static const int restarts[] = {0, 0, 1, 3, 7, 9};
    const sampling  *s = &samplings[jpeg_random(seed) % COUNT_OF(samplings)];
    jpeg_recipe      recipe = {.width = 1 + (int)(jpeg_random(seed) % 70),
                               .height = 1 + (int)(jpeg_random(seed) % 70),
                               .components = jpeg_random(seed) % 6 ? 3 : 1,
                               .quality = 5 + (int)(jpeg_random(seed) % 96),
                               .restart = restarts[jpeg_random(seed) % COUNT_OF(restarts)],
                               .optimize = jpeg_random(seed) % 2,
                               .rgb = jpeg_random(seed) % 8 == 0,
                               .roughness = (int)(jpeg_random(seed) % 256)};
    memcpy(recipe.h, s->h, sizeof s->h);
    memcpy(recipe.v, s->v, sizeof s->v);
    return recipe;
}

STK_TEST(windows_of_any_baseline_jpeg_equal_those_of_libjpeg_turbo)
{
    stk_decoder *decoder;
    stk_error    err;
    uint64_t     seed = 2;
    EXPECT_OK(stk_decoder_new(&decoder, NULL, &err));
    for (int i = 0; i < 300; i++) {
        const jpeg_recipe recipe = random_recipe(&seed);
        const stk_bytes   encoded = jpeg_make(&recipe, seed);
        expect_same(decoder, encoded, &seed, 9);
        free((void *)encoded.data);
    }
    stk_decoder_free(decoder);
}

STK_TEST(every_sampling_and_small_size_equals_libjpeg_turbo)
{
    stk_decoder *decoder;
    stk_error    err;
    uint64_t     seed = 3;
    EXPECT_OK(stk_decoder_new(&decoder, NULL, &err));
    for (size_t s = 0; s < COUNT_OF(samplings); s++)
        for (int size = 1; size < 20; size += 1 + size / 6) {
            jpeg_recipe recipe = {.width = size,
                                  .height = 20 - size,
                                  .components = 3,
                                  .quality = 90,
                                  .roughness = 100};
            memcpy(recipe.h, samplings[s].h, sizeof recipe.h);
            memcpy(recipe.v, samplings[s].v, sizeof recipe.v);
            const stk_bytes encoded = jpeg_make(&recipe, seed);
            expect_same(decoder, encoded, &seed, 6);
            free((void *)encoded.data);
        }
    stk_decoder_free(decoder);
}

/* A file of random coefficients, large ones among them, and quantisers of any size. */
static stk_bytes make_wild(uint64_t *seed, int most)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr       errors;
    unsigned char              *bytes = NULL;
    unsigned long               size = 0;
    jvirt_barray_ptr            arrays[1];
    unsigned                    quant[DCTSIZE2];
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = 64;
    jpeg.image_height = 32;
    jpeg.input_components = 1;
    jpeg.in_color_space = JCS_GRAYSCALE;
    jpeg_set_defaults(&jpeg);
    jpeg.optimize_coding = TRUE;
    for (int i = 0; i < DCTSIZE2; i++)
        quant[i] = 1 + jpeg_random(seed) % (jpeg_random(seed) % 4 ? 20 : 255);
    jpeg_add_quant_table(&jpeg, 0, quant, 100, TRUE);
    jpeg.comp_info[0].width_in_blocks = 8;
    jpeg.comp_info[0].height_in_blocks = 4;
    arrays[0] = jpeg.mem->request_virt_barray((j_common_ptr)&jpeg, JPOOL_IMAGE, TRUE, 8, 4, 1);
    jpeg_write_coefficients(&jpeg, arrays);
    for (JDIMENSION y = 0; y < 4; y++) {
        JBLOCKARRAY row = jpeg.mem->access_virt_barray((j_common_ptr)&jpeg, arrays[0], y, 1, TRUE);
        for (int x = 0; x < 8; x++) {
            const int kind = (int)(jpeg_random(seed) % 4); /* first row only, few, or many */
            const int count = kind == 0 ? 8 : kind == 1 ? 6 : 64;
            for (int k = 0; k < count; k++) {
                const int range = jpeg_random(seed) % 3 ? most : 30;
                const int value = (int)(jpeg_random(seed) % (uint32_t)(2 * range + 1)) - range;
                row[0][x][kind == 1 ? (int)(jpeg_random(seed) % 64) : k] = (JCOEF)value;
            }
        }
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    return stk_bytes_of(bytes, size);
}

STK_TEST(coefficients_far_out_of_range_wrap_and_saturate_as_in_libjpeg_turbo)
{
    stk_decoder *decoder;
    stk_error    err;
    uint64_t     seed = 4;
    EXPECT_OK(stk_decoder_new(&decoder, NULL, &err));
    for (int i = 0; i < 200; i++) {
        const stk_bytes encoded = make_wild(&seed, i % 2 ? 1023 : 150);
        expect_same(decoder, encoded, &seed, 4);
        free((void *)encoded.data);
    }
    stk_decoder_free(decoder);
}

/* The places of restart segments, by looking for markers behind the scan's header. */
static uint32_t list_segments(stk_bytes encoded, uint32_t first, uint32_t *lengths)
{
    uint32_t count = 0, begin = first;
    for (size_t i = first; i + 1 < encoded.size; i++) {
        if (encoded.data[i] != 0xff || encoded.data[i + 1] == 0) continue;
        lengths[count++] = (uint32_t)i + 2 - begin;
        begin = (uint32_t)i + 2;
        if (encoded.data[i + 1] == 0xd9) break;
    }
    return count;
}

static void make_index(stk_bytes encoded, stk_blob *out, int damage)
{
    stk_jpeg_header header;
    stk_error       err;
    uint32_t        lengths[4096];
    EXPECT_OK(stk_jpeg_header_read(&header, encoded, &err));
    const uint32_t count = list_segments(encoded, (uint32_t)header.scan, lengths);
    if (damage == 1) lengths[count / 2]++;
    if (damage == 2 && count > 20) { /* right markers, but eight segments on */
        for (uint32_t i = 4; i < 12; i++)
            lengths[3] += lengths[i];
        memmove(lengths + 4, lengths + 12, (count - 12) * sizeof *lengths);
    }
    stk_blob_init(out, NULL, STK_MEMORY_DECODE);
    EXPECT_OK(stk_restart_index_write(out, header.restart_interval + (damage == 3),
                                      (uint32_t)header.scan + (damage == 4), lengths,
                                      damage == 2 && count > 20 ? count - 8 : count, &err));
    if (damage == 5) out->size /= 2;
}

STK_TEST(an_index_of_restarts_changes_nothing_right_or_wrong)
{
    stk_decoder *decoder;
    stk_error    err;
    uint64_t     seed = 5;
    EXPECT_OK(stk_decoder_new(&decoder, NULL, &err));
    for (int i = 0; i < 60; i++) {
        jpeg_recipe recipe = random_recipe(&seed);
        recipe.width += 60;
        recipe.height += 60;
        recipe.restart = 1 + (int)(jpeg_random(&seed) % 12);
        const stk_bytes  encoded = jpeg_make(&recipe, seed);
        const jpeg_image whole = jpeg_reference(encoded, 1);
        for (int damage = 0; damage < 6; damage++) {
            stk_blob index;
            make_index(encoded, &index, damage);
            for (int k = 0; k < 4; k++)
                expect_window(decoder, encoded, &whole, jpeg_random_window(&whole, &seed), 1,
                              stk_blob_bytes(&index));
            stk_blob_release(&index);
        }
        free(whole.data);
        free((void *)encoded.data);
    }
    stk_decoder_free(decoder);
}

STK_TEST(what_is_not_baseline_is_decoded_as_well)
{
    static const jpeg_recipe recipes[] = {
        {.width = 45, .height = 33, .components = 3, .quality = 80, .progressive = true},
        {.width = 45, .height = 33, .components = 1, .quality = 80, .progressive = true},
        {.width = 45, .height = 33, .components = 3, .quality = 80, .arithmetic = true},
        {.width = 45, .height = 33, .components = 3, .quality = 80, .separate = true}};
    stk_decoder *decoder;
    stk_error    err;
    uint64_t     seed = 6;
    EXPECT_OK(stk_decoder_new(&decoder, NULL, &err));
    for (size_t i = 0; i < COUNT_OF(recipes); i++)
        for (int shrink = 1; shrink <= 8; shrink *= 2) {
            const stk_bytes  encoded = jpeg_make(&recipes[i], i);
            const jpeg_image whole = jpeg_reference(encoded, shrink);
            for (int k = 0; k < 10; k++) {
                const stk_rect window = jpeg_random_window(&whole, &seed);
                stk_pixels     out;
                EXPECT_OK(
                    stk_image_decode(decoder, encoded, &window, shrink, NULL, &out, NULL, &err));
                EXPECT(jpeg_same(&whole, window, &out));
            }
            free(whole.data);
            free((void *)encoded.data);
        }
    stk_decoder_free(decoder);
}

STK_TEST(grey_of_colours_is_the_luma_of_the_decoded_pixels)
{
    const jpeg_recipe recipe = {
        .width = 37, .height = 21, .components = 3, .quality = 75, .roughness = 90};
    const stk_decode_options grey = {.channels = 1};
    const stk_bytes          encoded = jpeg_make(&recipe, 7);
    const jpeg_image         whole = jpeg_reference(encoded, 1);
    stk_decoder             *decoder;
    stk_pixels               out;
    stk_error                err;
    EXPECT_OK(stk_decoder_new(&decoder, NULL, &err));
    EXPECT_OK(stk_image_decode(decoder, encoded, NULL, 1, &grey, &out, NULL, &err));
    EXPECT_INT_EQ(1, out.channels);
    for (int i = 0; i < 37 * 21; i++) {
        const uint8_t *p = whole.data + 3 * i;
        EXPECT_INT_EQ((p[0] * 19595 + p[1] * 38470 + p[2] * 7471 + 0x8000) >> 16, out.data[i]);
    }
    stk_decoder_free(decoder);
    free(whole.data);
    free((void *)encoded.data);
}

STK_TEST(the_header_tells_size_and_kind_without_decoding)
{
    const jpeg_recipe recipe = {
        .width = 123, .height = 45, .components = 3, .quality = 50, .progressive = true};
    const stk_bytes encoded = jpeg_make(&recipe, 8);
    stk_image_info  info;
    stk_error       err;
    EXPECT_OK(stk_image_read_info(encoded, NULL, &info, &err));
    EXPECT_INT_EQ(STK_IMAGE_JPEG, info.format);
    EXPECT_INT_EQ(123, info.width);
    EXPECT_INT_EQ(45, info.height);
    EXPECT_INT_EQ(3, info.channels);
    EXPECT_INT_EQ(8, info.bits);
    EXPECT_INT_EQ(1, info.orientation);
    EXPECT(info.progressive);
    free((void *)encoded.data);
}

STK_TEST(what_pillow_wrote_has_the_pixels_that_pillow_reads)
{
    FILE        *list = fopen(STK_TEST_DATA "/image/jpeg/expected.txt", "r");
    stk_decoder *decoder;
    stk_error    err;
    char         name[64], path[512];
    int          width, height, count = 0;
    unsigned     sums[2];
    EXPECT(list != NULL);
    EXPECT_OK(stk_decoder_new(&decoder, NULL, &err));
    while (fscanf(list, "%63s %d %d %x %x", name, &width, &height, &sums[0], &sums[1]) == 5) {
        snprintf(path, sizeof path, STK_TEST_DATA "/image/jpeg/%s", name);
        const stk_bytes encoded = stk_test_read_file(path);
        for (int grey = 0; grey < 2; grey++, count++) {
            const stk_decode_options options = {.channels = grey ? 1 : 3};
            stk_pixels               out;
            EXPECT_OK(stk_image_decode(decoder, encoded, NULL, 1, &options, &out, NULL, &err));
            EXPECT_INT_EQ(width, out.width);
            EXPECT_INT_EQ(height, out.height);
            const uLong sum = crc32(0, out.data, (uInt)(out.stride * (size_t)height));
            if (sum != sums[grey]) fail_msg("%s: other pixels, grey %d", name, grey);
        }
    }
    EXPECT_INT_EQ(16, count);
    fclose(list);
    stk_decoder_free(decoder);
}
