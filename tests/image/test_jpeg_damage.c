/* JPEGs cut off, damaged, or of odd kinds; and memory that runs out. */
#include "image/jpeg/jpeg_kernels.h"
#include "image/jpeg_support.h"

static stk_decoder *new_decoder(void)
{
    stk_decoder *decoder;
    stk_error    err;
    EXPECT_OK(stk_decoder_new(&decoder, NULL, &err));
    return decoder;
}

static stk_bytes copy_bytes(stk_bytes bytes, size_t size)
{
    uint8_t *copy = malloc(size + !size);
    memcpy(copy, bytes.data, size);
    return stk_bytes_of(copy, size);
}

static const jpeg_recipe plain = {.width = 40,
                                  .height = 30,
                                  .components = 3,
                                  .quality = 85,
                                  .h = {2, 1, 1},
                                  .v = {2, 1, 1},
                                  .roughness = 60};

STK_TEST(a_jpeg_cut_off_anywhere_is_damage_even_behind_the_window)
{
    const stk_rect           corner = {0, 0, 3, 2};
    const stk_decode_options recover = {.recover = true};
    stk_decoder             *decoder = new_decoder();
    for (int kind = 0; kind < 3; kind++) {
        jpeg_recipe recipe = plain;
        recipe.restart = kind == 1 ? 2 : 0;
        recipe.progressive = kind == 2;
        const stk_bytes encoded = jpeg_make(&recipe, 1);
        for (size_t cut = 3; cut < encoded.size; cut++) {
            const stk_bytes    part = copy_bytes(encoded, cut);
            stk_decode_outcome outcome;
            stk_pixels         out;
            stk_image_info     info;
            stk_error          err;
            EXPECT_STATUS(STK_E_DATALOSS,
                          stk_image_decode(decoder, part, &corner, 1, NULL, &out, NULL, &err));
            EXPECT_CONTAINS("cut off", err.message);
            if (!stk_image_read_info(part, NULL, &info, &err)) {
                EXPECT_OK(stk_image_decode(decoder, part, NULL, 1, &recover, &out, &outcome, &err));
                EXPECT(outcome.recovered);
            }
            free((void *)part.data);
        }
        free((void *)encoded.data);
    }
    stk_decoder_free(decoder);
}

STK_TEST(what_is_recovered_begins_with_the_image)
{
    const stk_decode_options recover = {.recover = true};
    const stk_bytes          encoded = jpeg_make(&plain, 2);
    const jpeg_image         whole = jpeg_reference(encoded, 1);
    stk_decoder             *decoder = new_decoder();
    stk_decode_outcome       outcome;
    stk_pixels               out;
    stk_error                err;
    EXPECT_OK(stk_image_decode(decoder, encoded, NULL, 1, &recover, &out, &outcome, &err));
    EXPECT(!outcome.recovered);
    EXPECT_OK(stk_image_decode(decoder, stk_bytes_of(encoded.data, encoded.size - 100), NULL, 1,
                               &recover, &out, &outcome, &err));
    EXPECT(outcome.recovered);
    EXPECT_MEM_EQ(whole.data, out.data, 3 * 40 * 14);
    stk_decoder_free(decoder);
    free(whole.data);
    free((void *)encoded.data);
}

STK_TEST(flipped_bits_end_in_an_error_or_in_pixels)
{
    static const stk_jpeg_kernels *const all[] = {&stk_jpeg_kernels_plain, NULL};
    uint64_t                             seed = 3;
    stk_decoder                         *decoder = new_decoder();
    for (int i = 0; i < 3000; i++) {
        jpeg_recipe recipe = plain;
        stk_error   err;
        stk_pixels  out;
        recipe.restart = i % 3;
        recipe.progressive = i % 7 == 0;
        recipe.optimize = i % 2;
        const stk_bytes          encoded = jpeg_make(&recipe, (uint64_t)i);
        const stk_decode_options options = {.recover = i % 2, .limits = {.pixels = 1 << 16}};
        const size_t             at = jpeg_random(&seed) % encoded.size;
        ((uint8_t *)encoded.data)[at] ^= (uint8_t)(1u << jpeg_random(&seed) % 8);
        stk_decoder_jpeg(decoder, &err)->kernels = i % 5 ? stk_jpeg_kernels_best() : all[0];
        const stk_status st =
            stk_image_decode(decoder, encoded, NULL, 1 << i % 4, &options, &out, NULL, &err);
        EXPECT(st ? err.message[0] != 0 : out.data != NULL);
        EXPECT(st != STK_E_NOMEM && st != STK_E_INVALID);
        free((void *)encoded.data);
    }
    stk_decoder_free(decoder);
}

/* The place of a marker's segment. */
static size_t find_segment(stk_bytes encoded, uint8_t marker)
{
    for (size_t i = 2; i + 3 < encoded.size;
         i += 2 + ((size_t)encoded.data[i + 2] << 8 | encoded.data[i + 3]))
        if (encoded.data[i + 1] == marker) return i;
    fail_msg("no segment %02x", marker);
    return 0;
}

STK_TEST(kinds_that_nobody_decodes_are_named)
{
    stk_decoder *decoder = new_decoder();
    stk_bytes    encoded = jpeg_make(&plain, 4);
    stk_pixels   out;
    stk_error    err;
    uint8_t     *frame = (uint8_t *)encoded.data + find_segment(encoded, 0xc0);
    frame[4] = 12;
    EXPECT_STATUS(STK_E_UNSUPPORTED,
                  stk_image_decode(decoder, encoded, NULL, 1, NULL, &out, NULL, &err));
    frame[4] = 8;
    frame[1] = 0xc3; /* lossless */
    EXPECT_STATUS(STK_E_UNSUPPORTED,
                  stk_image_decode(decoder, encoded, NULL, 1, NULL, &out, NULL, &err));
    frame[1] = 0xc0;
    frame[5] = frame[6] = 0; /* no height: it would follow in a DNL segment */
    EXPECT_STATUS(STK_E_FORMAT,
                  stk_image_decode(decoder, encoded, NULL, 1, NULL, &out, NULL, &err));
    stk_decoder_free(decoder);
    free((void *)encoded.data);
}

STK_TEST(bytes_between_segments_and_behind_the_end_are_no_damage)
{
    const stk_bytes    encoded = jpeg_make(&plain, 5);
    const jpeg_image   whole = jpeg_reference(encoded, 1);
    const size_t       at = find_segment(encoded, 0xc0);
    const stk_rect     all = {0, 0, whole.width, whole.height};
    stk_decoder       *decoder = new_decoder();
    stk_decode_outcome outcome;
    stk_pixels         out;
    stk_error          err;
    uint8_t           *longer = malloc(encoded.size + 20);
    memcpy(longer, encoded.data, at);
    memset(longer + at, 0x55, 10);
    memcpy(longer + at + 10, encoded.data + at, encoded.size - at);
    memset(longer + encoded.size + 10, 0x55, 10);
    EXPECT_OK(stk_image_decode(decoder, stk_bytes_of(longer, encoded.size + 20), NULL, 1, NULL,
                               &out, &outcome, &err));
    EXPECT(jpeg_same(&whole, all, &out) && !outcome.recovered);
    stk_decoder_free(decoder);
    free(longer);
    free(whole.data);
    free((void *)encoded.data);
}

/* Pillow 9.4 and 13: inks are stored inverted; RGB is what black leaves, less each ink's share. */
STK_TEST(four_inks_become_rgb_as_in_pillow)
{
    static const J_COLOR_SPACE spaces[] = {JCS_CMYK, JCS_YCCK};
    stk_decoder               *decoder = new_decoder();
    for (size_t s = 0; s < COUNT_OF(spaces); s++) {
        const jpeg_recipe recipe = {.width = 33,
                                    .height = 17,
                                    .components = 4,
                                    .quality = 90,
                                    .space = spaces[s],
                                    .roughness = 200};
        const stk_bytes   encoded = jpeg_make(&recipe, 6);
        const jpeg_image  inks = jpeg_reference(encoded, 1);
        stk_pixels        out;
        stk_error         err;
        EXPECT_INT_EQ(4, inks.channels);
        EXPECT_OK(stk_image_decode(decoder, encoded, NULL, 1, NULL, &out, NULL, &err));
        for (int i = 0; i < 33 * 17; i++)
            for (int c = 0; c < 3; c++) {
                const int left = inks.data[4 * i + 3];
                const int product = (255 - inks.data[4 * i + c]) * left + 128;
                EXPECT_INT_EQ(left - (((product >> 8) + product) >> 8), out.data[3 * i + c]);
            }
        free(inks.data);
        free((void *)encoded.data);
    }
    stk_decoder_free(decoder);
}

/* Two images, of which one needs libjpeg, with a decoder of their own. */
static stk_status decode_two(void *context, stk_error *err)
{
    const stk_bytes *encoded = context;
    stk_decoder     *decoder;
    stk_pixels       out;
    stk_status       st = stk_decoder_new(&decoder, NULL, err);
    for (int i = 0; i < 2 && !st; i++)
        st = stk_image_decode(decoder, encoded[i], NULL, 1, NULL, &out, NULL, err);
    stk_decoder_free(decoder);
    return st;
}

STK_TEST(decoding_gives_up_cleanly_without_memory)
{
    jpeg_recipe recipe = plain;
    stk_bytes   encoded[2];
    encoded[0] = jpeg_make(&recipe, 7);
    recipe.progressive = true;
    encoded[1] = jpeg_make(&recipe, 7);
    stk_test_fail_each_allocation(decode_two, encoded);
    free((void *)encoded[0].data);
    free((void *)encoded[1].data);
}

/* 12,000 by 12,000 pixels that a few kilobytes claim: refused before any memory is taken, of every
 * kind of scan. */
STK_TEST(a_header_that_claims_too_much_costs_no_memory)
{
    for (int progressive = 0; progressive < 2; progressive++) {
        const jpeg_recipe recipe = {.width = 240,
                                    .height = 176,
                                    .components = 3,
                                    .quality = 90,
                                    .progressive = progressive};
        const stk_bytes   encoded = jpeg_make(&recipe, 8);
        uint8_t          *frame =
            memmem(encoded.data, encoded.size, progressive ? "\xff\xc2" : "\xff\xc0", 2);
        stk_ledger       *ledger;
        stk_decoder      *decoder;
        stk_pixels        out;
        stk_error         err;
        stk_ledger_report report;
        EXPECT(frame != NULL);
        memcpy(frame + 5, "\x2e\xe0\x2e\xe0", 4);
        EXPECT_OK(stk_ledger_new(&ledger, 2000000000, &err));
        EXPECT_OK(stk_decoder_new(&decoder, ledger, &err));
        EXPECT_STATUS(STK_E_DATALOSS,
                      stk_image_decode(decoder, encoded, NULL, 1, NULL, &out, NULL, &err));
        EXPECT_CONTAINS("12000 x 12000 pixels cannot be in a JPEG of", err.message);
        stk_ledger_read(ledger, &report);
        EXPECT(report.peak_bytes < 1000000);
        stk_decoder_free(decoder);
        stk_ledger_unref(ledger);
        free((void *)encoded.data);
    }
}

STK_TEST(a_ledger_sees_what_libjpeg_holds)
{
    const jpeg_recipe recipe = {
        .width = 600, .height = 600, .components = 3, .quality = 50, .progressive = true};
    const stk_bytes encoded = jpeg_make(&recipe, 8);
    stk_ledger     *ledger;
    stk_decoder    *decoder;
    stk_pixels      out;
    stk_error       err;
    EXPECT_OK(stk_ledger_new(&ledger, 2 << 20, &err));
    EXPECT_OK(stk_decoder_new(&decoder, ledger, &err));
    EXPECT_STATUS(STK_E_LIMIT, stk_image_decode(decoder, encoded, NULL, 1, NULL, &out, NULL, &err));
    EXPECT_CONTAINS("the memory ceiling is 2097152", err.message);
    stk_decoder_free(decoder);
    stk_ledger_unref(ledger);
    free((void *)encoded.data);
}
