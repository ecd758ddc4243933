/* Images that are cut off, damaged, or claim too much; and memory that runs out. */
#include "codec_support.h"
#include "failing_alloc.h"

static golden list[MOST_GOLDEN];

static uint64_t held(const stk_ledger *ledger)
{
    uint64_t bytes, ceiling;
    stk_ledger_total(ledger, &bytes, &ceiling);
    return bytes;
}

/* A copy of just these bytes, so that a sanitizer sees a read past them. */
static stk_bytes copy_bytes(stk_bytes bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    EXPECT(copy != NULL);
    memcpy(copy, bytes.data, size);
    return stk_bytes_of(copy, size);
}

static bool is_expected(stk_status st)
{
    return st == STK_E_DATALOSS || st == STK_E_FORMAT || st == STK_E_UNSUPPORTED ||
           st == STK_E_LIMIT;
}

/* What stands behind the last pixel of these is of no use to them: an end mark, a line break, other
 * pages. */
static bool is_whole(const golden *g, const stk_pixels *pixels)
{
    const stk_image_format format = stk_image_format_of(g->encoded);
    return format >= STK_IMAGE_PNM && pixels->data && sum_pixels(pixels) == g->rgb;
}

STK_TEST(images_cut_off_anywhere_are_damage)
{
    stk_error                err;
    stk_pixels               pixels;
    stk_decoder             *decoder = new_decoder(NULL);
    const size_t             count = read_golden(list, ".");
    const stk_decode_options options = {.pillow_16bit = true};
    for (size_t i = 0; i < count; i++) {
        if (stk_image_format_of(list[i].encoded) == STK_IMAGE_JPEG) continue;
        for (size_t cut = 0; cut < list[i].encoded.size; cut++) {
            const stk_bytes  part = copy_bytes(list[i].encoded, cut);
            const stk_status st =
                stk_image_decode(decoder, part, NULL, 1, &options, &pixels, NULL, &err);
            const bool whole = !st && is_whole(&list[i], &pixels);
            if (!whole && (cut < 12 ? !is_expected(st) : st != STK_E_DATALOSS))
                fail_msg("%s cut at %zu: %s", list[i].name, cut, stk_status_name(st));
            EXPECT(whole || (err.message[0] && !pixels.data));
            free((void *)part.data);
        }
    }
    stk_decoder_free(decoder);
}

/* Rows, from the top, that are the same. */
static int32_t count_same(const stk_pixels *a, const stk_pixels *b)
{
    int32_t y = 0;
    while (y < a->height &&
           !memcmp(a->data + (size_t)y * a->stride, b->data + (size_t)y * b->stride,
                   (size_t)(a->width * a->channels)))
        y++;
    return y;
}

/* How many rows half the bytes of an image give, and that all below them is 0. */
static void expect_recovers(const char *name, int32_t least)
{
    stk_error                err;
    stk_pixels               pixels;
    stk_decode_outcome       outcome;
    stk_decoder             *decoder = new_decoder(NULL);
    const stk_decode_options options = {.recover = true};
    const stk_bytes          encoded = read_image(name);
    EXPECT_OK(stk_image_decode(decoder, encoded, NULL, 1, &options, &pixels, &outcome, &err));
    EXPECT(!outcome.recovered);
    const stk_pixels whole = copy_pixels(&pixels);
    const stk_bytes  half = copy_bytes(encoded, encoded.size / 2);
    EXPECT_OK(stk_image_decode(decoder, half, NULL, 1, &options, &pixels, &outcome, &err));
    EXPECT(outcome.recovered);
    const int32_t same = count_same(&whole, &pixels);
    if (same < least || same == whole.height) fail_msg("%d rows of %s", same, name);
    for (int32_t i = 0; i < pixels.width * 3; i++)
        EXPECT_INT_EQ(0, pixels.data[(size_t)(pixels.height - 1) * pixels.stride + (size_t)i]);
    free((void *)half.data);
    free(whole.data);
    stk_decoder_free(decoder);
}

STK_TEST(of_a_image_cut_off_the_rows_that_are_there_can_be_had)
{
    expect_recovers("rgb8.png", 5);
    expect_recovers("grey16.png", 5);
    expect_recovers("rgb-alpha8.png", 5);
    expect_recovers("rgb.ppm", 2);
    expect_recovers("rgb-plain.ppm", 2);
    expect_recovers("no-palette.gif", 1);
    expect_recovers("rgb.tif", 0); /* libtiff gives whole strips */
    expect_recovers("lossy.webp", 5);
    expect_recovers("lossless.webp", 0); /* libwebp gives sixteen rows at a time */
}

STK_TEST(recovering_never_fails_but_for_the_header)
{
    stk_error                err;
    stk_pixels               pixels;
    stk_decoder             *decoder = new_decoder(NULL);
    const stk_decode_options options = {.recover = true, .pillow_16bit = true};
    const size_t             count = read_golden(list, ".");
    for (size_t i = 0; i < count; i++)
        for (size_t cut = 0; cut < list[i].encoded.size; cut += 3) {
            stk_image_info     info;
            stk_decode_outcome outcome;
            if (stk_image_format_of(list[i].encoded) == STK_IMAGE_JPEG) continue;
            const stk_bytes part = copy_bytes(list[i].encoded, cut);
            if (!stk_image_read_info(part, NULL, &info, &err)) {
                EXPECT_OK(
                    stk_image_decode(decoder, part, NULL, 1, &options, &pixels, &outcome, &err));
                EXPECT(outcome.recovered || is_whole(&list[i], &pixels));
            }
            free((void *)part.data);
        }
    stk_decoder_free(decoder);
}

STK_TEST(flipped_bits_end_in_an_error_or_in_pixels)
{
    stk_error    err;
    stk_pixels   pixels;
    uint32_t     lot = 3;
    stk_decoder *decoder = new_decoder(NULL);
    const size_t count = read_golden(list, ".");
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 200; k++) {
            const stk_decode_options options = {.recover = k % 2, .limits = {.pixels = 1 << 20}};
            if (stk_image_format_of(list[i].encoded) == STK_IMAGE_JPEG) continue;
            const stk_bytes hurt = copy_bytes(list[i].encoded, list[i].encoded.size);
            for (uint32_t flips = 1 + draw(&lot) % 4; flips; flips--)
                ((uint8_t *)hurt.data)[draw(&lot) % hurt.size] ^= (uint8_t)(1 << draw(&lot) % 8);
            const stk_status st =
                stk_image_decode(decoder, hurt, NULL, 1, &options, &pixels, NULL, &err);
            EXPECT(!st || is_expected(st));
            free((void *)hurt.data);
        }
    stk_decoder_free(decoder);
}

static void put_u32(uint8_t *p, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* A PNG's header with another size and a right checksum. */
static stk_bytes claim_png(uint8_t *out, uint32_t width, uint32_t height)
{
    const stk_bytes png = read_image("rgb8.png");
    memcpy(out, png.data, png.size);
    put_u32(out + 16, width);
    put_u32(out + 20, height);
    put_u32(out + 29, (uint32_t)crc32(0, out + 12, 17));
    return stk_bytes_of(out, png.size);
}

static stk_bytes claim_bmp(uint8_t *out, uint16_t width, uint16_t height, const char *name)
{
    const stk_bytes bmp = read_image(name);
    memcpy(out, bmp.data, bmp.size);
    memcpy(out + 18, &width, sizeof width);
    memcpy(out + 22, &height, sizeof height);
    return stk_bytes_of(out, bmp.size);
}

/* grey4.tif has its directory at 8, of entries of 12 bytes, with the sizes first. */
static stk_bytes claim_tiff(uint8_t *out, uint16_t width, uint16_t height)
{
    const stk_bytes tiff = read_image("grey4.tif");
    memcpy(out, tiff.data, tiff.size);
    memcpy(out + 18, &width, sizeof width);
    memcpy(out + 30, &height, sizeof height);
    return stk_bytes_of(out, tiff.size);
}

STK_TEST(sizes_past_the_limits_are_refused_before_memory_is_taken)
{
    static uint8_t png[4096], bmp[5][8192];
    stk_error      err;
    stk_pixels     pixels;
    stk_image_info info;
    stk_ledger    *ledger;
    EXPECT_OK(stk_ledger_new(&ledger, 1 << 20, &err));
    stk_decoder *decoder = new_decoder(ledger);
    const struct {
        stk_bytes   encoded;
        stk_status  status;
        const char *message;
    } cases[] = {
        {stk_bytes_text("P6 65535 65535 255 "), STK_E_LIMIT, "the limit is 268435456 in all"},
        {stk_bytes_text("P6 65536 1 255 "), STK_E_LIMIT, "the limit of a side is 65535"},
        {stk_bytes_text("P6 16384 16384 255 "), STK_E_DATALOSS, "needs 805306368 bytes"},
        {stk_bytes_text("P6 99999999999999999999 1 255 "), STK_E_LIMIT, "above 16777216"},
        {stk_bytes_text("P3 16384 16384 255 1 2 3"), STK_E_DATALOSS, "needs 805306368 bytes"},
        {stk_bytes_of("GIF89a\0\x40\0\x40\0\0\0,\0\0\0\0\0\x40\0\x40\0\2\1\0\0", 27),
         STK_E_DATALOSS, "cannot be in a GIF of 27"},
        {claim_bmp(bmp[0], 16384, 16384, "rgb24.bmp"), STK_E_DATALOSS, "needs 805306368 bytes"},
        {claim_bmp(bmp[1], 65535, 65535, "rgb24.bmp"), STK_E_LIMIT, "the limit is 268435456"},
        {claim_bmp(bmp[2], 16384, 16384, "runs8.bmp"), STK_E_DATALOSS, "needs 260111 bytes"},
        {claim_tiff(bmp[3], 16384, 16384), STK_E_DATALOSS, "cannot be in a TIFF of"},
        {claim_tiff(bmp[4], 65535, 65535), STK_E_LIMIT, "the limit is 268435456"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        EXPECT_STATUS(cases[i].status, stk_image_decode(decoder, cases[i].encoded, NULL, 1, NULL,
                                                        &pixels, NULL, &err));
        EXPECT_CONTAINS(cases[i].message, err.message);
        EXPECT_INT_EQ(0, held(ledger));
    }
    EXPECT_STATUS(STK_E_LIMIT,
                  stk_image_read_info(claim_png(png, 65535, 65535), NULL, &info, &err));
    EXPECT_STATUS(STK_E_FORMAT, stk_image_read_info(claim_png(png, 0, 5), NULL, &info, &err));
    EXPECT_STATUS(STK_E_FORMAT,
                  stk_image_read_info(claim_png(png, 0x80000000, 5), NULL, &info, &err));
    EXPECT_STATUS(STK_E_DATALOSS, stk_image_decode(decoder, claim_png(png, 16384, 16384), NULL, 1,
                                                   NULL, &pixels, NULL, &err));
    EXPECT_CONTAINS("cannot be in a PNG of", err.message);
    EXPECT_INT_EQ(0, held(ledger));
    const stk_image_limits narrow = {.side = 18};
    EXPECT_STATUS(STK_E_LIMIT, stk_image_read_info(read_image("rgb8.png"), &narrow, &info, &err));
    const stk_decode_options few = {.limits = {.pixels = 45 * 39 - 1}};
    EXPECT_STATUS(STK_E_LIMIT, stk_image_decode(decoder, read_image("lossy.webp"), NULL, 1, &few,
                                                &pixels, NULL, &err));
    stk_decoder_free(decoder);
    stk_ledger_unref(ledger);
}

/* What can never fit is the image's fault, and may be left out; what others hold is not. */
STK_TEST(a_image_over_the_ceiling_is_told_from_memory_that_others_hold)
{
    stk_error   err;
    stk_pixels  pixels;
    stk_ledger *ledger;
    stk_bytes   encoded = read_image("rgb8.png");
    EXPECT_OK(stk_ledger_new(&ledger, 1 << 20, &err));
    stk_decoder *decoder = new_decoder(ledger);
    EXPECT_OK(stk_ledger_reserve(ledger, STK_MEMORY_RECORD, (1 << 20) - 64, &err));
    EXPECT_STATUS(STK_E_CEILING,
                  stk_image_decode(decoder, encoded, NULL, 1, NULL, &pixels, NULL, &err));
    stk_ledger_release(ledger, STK_MEMORY_RECORD, (1 << 20) - 64);
    EXPECT_OK(stk_image_decode(decoder, encoded, NULL, 1, NULL, &pixels, NULL, &err));
    stk_decoder_free(decoder);
    stk_ledger_unref(ledger);
    EXPECT_OK(stk_ledger_new(&ledger, 1000, &err));
    decoder = new_decoder(ledger);
    EXPECT_STATUS(STK_E_LIMIT,
                  stk_image_decode(decoder, encoded, NULL, 1, NULL, &pixels, NULL, &err));
    EXPECT_STR_EQ("decode", err.component);
    EXPECT_CONTAINS("bytes to decode, and the memory ceiling is 1000", err.message);
    stk_decoder_free(decoder);
    stk_ledger_unref(ledger);
}

STK_TEST(the_ledger_sees_all_and_its_ceiling_holds)
{
    static const char *const names[] = {"rgb8.png",      "rgb16-interlaced.png",
                                        "lossless.webp", "turned6.webp",
                                        "codes.gif",     "runs8.bmp",
                                        "rgb24.bmp",     "grey-plain.pgm",
                                        "tiles.tif",     "turned6.tif"};
    stk_error                err;
    stk_pixels               pixels;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        for (uint64_t ceiling = 64; ceiling < 1 << 20; ceiling = ceiling * 5 / 4) {
            stk_ledger *ledger;
            EXPECT_OK(stk_ledger_new(&ledger, ceiling, &err));
            stk_decoder     *decoder = new_decoder(ledger);
            const stk_status st =
                stk_image_decode(decoder, read_image(names[i]), NULL, 1, NULL, &pixels, NULL, &err);
            EXPECT(st == STK_OK || st == STK_E_CEILING || st == STK_E_LIMIT);
            if (st == STK_E_LIMIT) EXPECT_CONTAINS("the memory ceiling is", err.message);
            EXPECT(st || held(ledger) >= (uint64_t)(pixels.width * pixels.height * 3));
            stk_decoder_free(decoder);
            EXPECT_INT_EQ(0, held(ledger));
            stk_ledger_unref(ledger);
        }
}

static stk_status decode_once(void *context, stk_error *err)
{
    stk_decoder *decoder;
    stk_pixels   pixels;
    STK_TRY(stk_decoder_new(&decoder, NULL, err));
    const stk_status st =
        stk_image_decode(decoder, *(stk_bytes *)context, NULL, 1, NULL, &pixels, NULL, err);
    stk_decoder_free(decoder);
    return st;
}

STK_TEST(memory_that_runs_out_is_an_error_and_nothing_leaks)
{
    static const char *const names[] = {"rgb8.png",           "palette4-interlaced.png",
                                        "turned6.png",        "lossy.webp",
                                        "animated-part.webp", "comments.ppm",
                                        "codes.gif",          "runs8.bmp",
                                        "rgb24.bmp",          "rgb31.ppm",
                                        "tiles.tif",          "planes.tif"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        stk_bytes encoded = read_image(names[i]);
        stk_test_fail_each_allocation(decode_once, &encoded);
    }
}

STK_TEST(wrong_checksums_are_damage)
{
    static uint8_t  png[4096];
    stk_error       err;
    stk_pixels      pixels;
    stk_decoder    *decoder = new_decoder(NULL);
    const stk_bytes sound = read_image("rgb8.png");
    memcpy(png, sound.data, sound.size);
    png[29] ^= 1; /* of the header */
    EXPECT_STATUS(STK_E_DATALOSS, stk_image_decode(decoder, stk_bytes_of(png, sound.size), NULL, 1,
                                                   NULL, &pixels, NULL, &err));
    png[29] ^= 1;
    png[sound.size - 13] ^= 1; /* of the last pixels */
    EXPECT_STATUS(STK_E_DATALOSS, stk_image_decode(decoder, stk_bytes_of(png, sound.size), NULL, 1,
                                                   NULL, &pixels, NULL, &err));
    EXPECT_CONTAINS("CRC error", err.message);
    stk_decode_outcome       outcome;
    const stk_decode_options recover = {.recover = true};
    EXPECT_OK(stk_image_decode(decoder, stk_bytes_of(png, sound.size), NULL, 1, &recover, &pixels,
                               &outcome, &err));
    EXPECT(outcome.recovered);
    stk_decoder_free(decoder);
}
