/* Seekable JPEGs: the same pixels to the bit, an index that is right, and damage told. */
#include "image/jpeg/restart_index.h"
#include "turbo_support.h"

typedef struct seekable {
    stk_blob            file, index;
    stk_seekable_result result;
} seekable;

static stk_status make(seekable *s, stk_bytes encoded, stk_error *err)
{
    stk_blob_init(&s->file, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&s->index, NULL, STK_MEMORY_OUTPUT);
    return stk_jpeg_make_seekable(encoded, NULL, &s->file, &s->index, &s->result, err);
}

static void release(seekable *s)
{
    stk_blob_release(&s->file);
    stk_blob_release(&s->index);
}

/* Markers 0 to 7 in turn before every segment but the first, and EOI at the end. */
static void expect_right_index(const seekable *s)
{
    stk_restart_index index;
    EXPECT(stk_restart_index_read(&index, stk_blob_bytes(&s->index)));
    EXPECT_INT_EQ(s->result.interval, index.interval);
    EXPECT(index.count > 1);
    uint32_t *places = malloc((index.count + 1) * sizeof *places);
    EXPECT(stk_restart_index_offsets(&index, (uint32_t)s->file.size, places));
    for (uint32_t i = 1; i < index.count; i++) {
        EXPECT_INT_EQ(0xff, s->file.data[places[i] - 2]);
        EXPECT_INT_EQ(0xd0 + (i - 1) % 8, s->file.data[places[i] - 1]);
    }
    EXPECT_INT_EQ(s->file.size, places[index.count]);
    EXPECT_INT_EQ(0xd9, s->file.data[s->file.size - 1]);
    free(places);
}

/* Wants what libjpeg makes of a from b too; false where it cannot decode a. */
static bool same_pixels(stk_bytes a, stk_bytes b)
{
    jpeg_pixels x = decode_jpeg(a), y = decode_jpeg(b);
    if (x.data) {
        EXPECT(y.data != NULL);
        EXPECT_INT_EQ(x.size, y.size);
        EXPECT(memcmp(x.data, y.data, x.size) == 0);
    }
    free(x.data);
    free(y.data);
    return x.size != 0;
}

static void expect_seekable(const jpeg_kind *kind)
{
    stk_error       err;
    seekable        s;
    const stk_bytes encoded = make_jpeg(kind, (stk_bytes){0});
    EXPECT_OK(make(&s, encoded, &err));
    EXPECT(s.result.rewritten);
    EXPECT_INT_EQ(encoded.size, s.result.bytes_before);
    EXPECT_INT_EQ(s.file.size + s.index.size, s.result.bytes_after);
    EXPECT(same_pixels(encoded, stk_blob_bytes(&s.file)));
    expect_right_index(&s);
    release(&s);
    free((void *)encoded.data);
}

STK_TEST(pixels_stay_the_same_for_every_sampling_and_coding)
{
    static const int samplings[][2] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}, {4, 2}};
    static const int sizes[][2] = {{320, 240}, {357, 291}, {301, 339}};
    for (size_t s = 0; s < COUNT_OF(samplings); s++)
        for (int coding = 0; coding < 4; coding++) {
            const int *size = sizes[(s + (size_t)coding) % COUNT_OF(sizes)];
            expect_seekable(&(jpeg_kind){.width = size[0],
                                         .height = size[1],
                                         .components = 3,
                                         .h = samplings[s][0],
                                         .v = samplings[s][1],
                                         .quality = 95 + coding,
                                         .progressive = coding % 2,
                                         .restart = coding / 2 * 7});
        }
}

STK_TEST(pixels_stay_the_same_in_every_colour_space)
{
    expect_seekable(&(jpeg_kind){.width = 301, .height = 233, .components = 1, .quality = 95});
    expect_seekable(
        &(jpeg_kind){.width = 301, .height = 233, .components = 1, .h = 2, .v = 2, .quality = 95});
    expect_seekable(&(jpeg_kind){
        .width = 163, .height = 201, .components = 3, .quality = 95, .space = JCS_RGB});
    expect_seekable(&(jpeg_kind){.width = 163, .height = 201, .components = 4, .quality = 95});
    expect_seekable(&(jpeg_kind){
        .width = 163, .height = 201, .components = 4, .quality = 95, .space = JCS_YCCK});
    expect_seekable(&(jpeg_kind){
        .width = 163, .height = 201, .components = 4, .quality = 95, .progressive = true});
}

STK_TEST(thin_images_have_segments_no_longer_than_a_row)
{
    expect_seekable(&(jpeg_kind){.width = 8, .height = 6000, .components = 3, .quality = 95});
    expect_seekable(&(jpeg_kind){.width = 6000, .height = 8, .components = 3, .quality = 95});
    expect_seekable(
        &(jpeg_kind){.width = 1, .height = 9000, .components = 3, .quality = 95, .h = 2, .v = 2});
}

/* A window decoded by way of the index has the pixels that libjpeg has there. */
static void expect_window(stk_decoder *decoder, const seekable *s, const jpeg_kind *kind,
                          const jpeg_pixels *whole, stk_rect window)
{
    stk_error                err;
    stk_pixels               part;
    const stk_decode_options options = {.channels = kind->components,
                                        .restarts = stk_blob_bytes(&s->index)};
    EXPECT_OK(stk_image_decode(decoder, stk_blob_bytes(&s->file), &window, 1, &options, &part, NULL,
                               &err));
    const size_t channels = (size_t)kind->components, stride = (size_t)kind->width * channels;
    for (int32_t y = 0; y < window.height; y++)
        EXPECT_MEM_EQ(whole->data + (size_t)(window.y + y) * stride + (size_t)window.x * channels,
                      part.data + (size_t)y * part.stride, (size_t)window.width * channels);
}

STK_TEST(windows_come_out_by_way_of_the_index)
{
    static const jpeg_kind kinds[] = {
        {.width = 357, .height = 291, .components = 3, .quality = 96},
        {.width = 357, .height = 291, .components = 3, .quality = 96, .h = 2, .v = 2},
        {.width = 301, .height = 339, .components = 3, .quality = 96, .h = 2},
        {.width = 301, .height = 339, .components = 1, .quality = 96},
        {.width = 320, .height = 240, .components = 3, .quality = 98, .progressive = true}};
    stk_error    err;
    stk_decoder *decoder;
    EXPECT_OK(stk_decoder_new(&decoder, NULL, &err));
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        seekable        s;
        const stk_bytes encoded = make_jpeg(&kinds[k], (stk_bytes){0});
        jpeg_pixels     whole = decode_jpeg(encoded);
        EXPECT_OK(make(&s, encoded, &err));
        EXPECT(s.result.rewritten);
        for (int32_t i = 0; i < 60; i++) {
            const int32_t  x = i * 37 % 290, y = i * 53 % 230;
            const stk_rect window = {x, y, 1 + i * 29 % (kinds[k].width - x),
                                     1 + i * 41 % (kinds[k].height - y)};
            expect_window(decoder, &s, &kinds[k], &whole, window);
        }
        release(&s);
        free(whole.data);
        free((void *)encoded.data);
    }
    stk_decoder_free(decoder);
}

static void expect_left_alone(stk_bytes encoded)
{
    stk_error err;
    seekable  s;
    EXPECT_OK(make(&s, encoded, &err));
    EXPECT(!s.result.rewritten);
    EXPECT_INT_EQ(0, s.file.size);
    EXPECT_INT_EQ(0, s.index.size);
    EXPECT_INT_EQ(encoded.size, s.result.bytes_after);
    release(&s);
}

static void expect_kind_left_alone(const jpeg_kind *kind)
{
    const stk_bytes encoded = make_jpeg(kind, (stk_bytes){0});
    expect_left_alone(encoded);
    free((void *)encoded.data);
}

STK_TEST(what_would_not_pay_or_is_of_another_kind_is_left_alone)
{
    static uint8_t zeros[20000];
    expect_left_alone(stk_bytes_of("", 0));
    expect_left_alone(stk_bytes_of(zeros, sizeof zeros));
    expect_kind_left_alone(
        &(jpeg_kind){.width = 100, .height = 90, .components = 3, .quality = 90}); /* small */
    expect_kind_left_alone(&(jpeg_kind){
        .width = 240, .height = 176, .components = 3, .quality = 97, .arithmetic = true});
}

/* Bytes of the file up to the marker of scan number scans, and EOI. */
static stk_bytes cut_scans(stk_bytes encoded, int scans)
{
    uint8_t *data = (uint8_t *)encoded.data;
    for (size_t i = 0; i + 1 < encoded.size; i++)
        if (data[i] == 0xff && data[i + 1] == 0xda && !scans--) {
            data[i + 1] = 0xd9;
            return stk_bytes_of(data, i + 2);
        }
    return encoded;
}

STK_TEST(progressive_images_without_their_last_scans_are_left_alone)
{
    const jpeg_kind kind = {
        .width = 340, .height = 376, .components = 3, .quality = 97, .progressive = true};
    for (int scans = 5; scans < 10; scans++) {
        const stk_bytes encoded = make_jpeg(&kind, (stk_bytes){0});
        const stk_bytes less = cut_scans(encoded, scans);
        EXPECT(less.size >= 16384 && less.size < encoded.size);
        expect_left_alone(less);
        free((void *)encoded.data);
    }
}

static bool contains(stk_bytes where, stk_bytes what)
{
    return memmem(where.data, where.size, what.data, what.size) != NULL;
}

/* encoded with a marker's block put behind SOI; freed by the caller. */
static stk_bytes with_marker(stk_bytes encoded, uint8_t marker, stk_bytes content)
{
    const size_t  length = content.size + 2;
    const uint8_t head[] = {0xff, 0xd8, 0xff, marker, (uint8_t)(length >> 8), (uint8_t)length};
    uint8_t      *data = malloc(encoded.size + length + 2);
    memcpy(data, head, sizeof head);
    memcpy(data + sizeof head, content.data, content.size);
    memcpy(data + sizeof head + content.size, encoded.data + 2, encoded.size - 2);
    return stk_bytes_of(data, encoded.size + length + 2);
}

static bool is_kept(uint8_t marker, stk_bytes content)
{
    stk_error       err;
    seekable        s;
    const jpeg_kind kind = {.width = 240, .height = 176, .components = 3, .quality = 97};
    const stk_bytes plain = make_jpeg(&kind, (stk_bytes){0});
    const stk_bytes encoded = with_marker(plain, marker, content);
    EXPECT_OK(make(&s, encoded, &err));
    EXPECT(s.result.rewritten);
    const bool kept = contains(stk_blob_bytes(&s.file), content);
    EXPECT(same_pixels(encoded, stk_blob_bytes(&s.file)));
    expect_right_index(&s);
    release(&s);
    free((void *)plain.data);
    free((void *)encoded.data);
    return kept;
}

STK_TEST(orientation_profile_and_comment_are_kept_and_places_are_not)
{
    static uint8_t large[65533];
    for (size_t i = 0; i < sizeof large; i++)
        large[i] = (uint8_t)(i * 7);
    EXPECT(is_kept(0xe1, stk_bytes_of("Exif\0\0II*\0\10\0\0\0\0\0", 16)));
    EXPECT(is_kept(0xe1, stk_bytes_of(large, sizeof large)));
    EXPECT(is_kept(0xe2, stk_bytes_of("ICC_PROFILE\0\1\1profile", 21)));
    EXPECT(is_kept(0xfe, stk_bytes_text("made by hand")));
    EXPECT(is_kept(0xee, stk_bytes_of("Adobe\0\144\0\0\0\0\0", 12))); /* RGB, and said so */
    EXPECT(!is_kept(0xe2, stk_bytes_of("MPF\0MM\0*\0\0\0\10", 12)));
    EXPECT(!is_kept(0xed, stk_bytes_text("Photoshop 3.0")));
}

/* Some cameras fill up with zeros. Decoders take no notice. */
STK_TEST(bytes_that_nobody_needs_are_no_damage)
{
    stk_error       err;
    seekable        s, plain;
    const jpeg_kind kind = {.width = 240, .height = 176, .components = 3, .quality = 97};
    const stk_bytes encoded = make_jpeg(&kind, (stk_bytes){0});
    const size_t    end = encoded.size - 2;
    uint8_t        *data = calloc(1, encoded.size + 200);
    memcpy(data, encoded.data, end);
    memcpy(data + end + 100, encoded.data + end, 2);
    EXPECT_OK(make(&plain, encoded, &err));
    EXPECT_OK(make(&s, stk_bytes_of(data, encoded.size + 200), &err)); /* before and behind EOI */
    EXPECT(s.result.rewritten);
    EXPECT(stk_bytes_equal(stk_blob_bytes(&plain.file), stk_blob_bytes(&s.file)));
    release(&plain);
    release(&s);
    free(data);
    free((void *)encoded.data);
}

STK_TEST(every_cut_is_damage)
{
    stk_error       err;
    seekable        s;
    const jpeg_kind kinds[] = {
        {.width = 180, .height = 130, .components = 3, .quality = 98},
        {.width = 180, .height = 130, .components = 3, .quality = 98, .progressive = true}};
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        const stk_bytes encoded = make_jpeg(&kinds[k], (stk_bytes){0});
        for (size_t size = 16384; size < encoded.size; size += size < encoded.size - 40 ? 37 : 1) {
            uint8_t *copy = malloc(size);
            memcpy(copy, encoded.data, size);
            EXPECT_STATUS(STK_E_DATALOSS, make(&s, stk_bytes_of(copy, size), &err));
            EXPECT_INT_EQ(0, s.file.size);
            release(&s);
            free(copy);
        }
        free((void *)encoded.data);
    }
}

/* A flip may go unseen by libjpeg; then the pixels are those of the flipped file. */
STK_TEST(flipped_bits_are_damage_or_keep_the_pixels)
{
    stk_error       err;
    seekable        s;
    int             damaged = 0, rewritten = 0;
    const jpeg_kind kind = {
        .width = 181, .height = 133, .components = 3, .h = 2, .quality = 99, .restart = 9};
    const stk_bytes encoded = make_jpeg(&kind, (stk_bytes){0});
    uint8_t        *data = (uint8_t *)encoded.data;
    for (size_t bit = 0; bit < 8 * encoded.size; bit += bit < 8 * 700 ? 5 : 397) {
        data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        const stk_status st = make(&s, encoded, &err);
        EXPECT(st != STK_E_NOMEM);
        damaged += st != STK_OK;
        rewritten += s.result.rewritten && same_pixels(encoded, stk_blob_bytes(&s.file));
        release(&s);
        data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    EXPECT(damaged > 100 && rewritten > 100);
    free(data);
}

STK_TEST(headers_that_claim_too_much_cost_no_memory)
{
    stk_error       err;
    seekable        s;
    stk_ledger     *ledger;
    const jpeg_kind kind = {.width = 240, .height = 176, .components = 3, .quality = 97};
    const stk_bytes encoded = make_jpeg(&kind, (stk_bytes){0});
    uint8_t        *frame = memmem(encoded.data, encoded.size, "\xff\xc0", 2);
    EXPECT(frame != NULL);
    frame[5] = frame[7] = 0x20; /* some 8400 by 8400 */
    EXPECT_STATUS(STK_E_DATALOSS, make(&s, encoded, &err));
    EXPECT_CONTAINS("cannot hold", err.message);
    frame[5] = frame[7] = 0xff;
    EXPECT_STATUS(STK_E_LIMIT, make(&s, encoded, &err));
    frame[5] = frame[7] = 0;
    EXPECT_OK(stk_ledger_new(&ledger, 100000, &err)); /* the coefficients take 253 kB */
    stk_blob_init(&s.file, ledger, STK_MEMORY_OUTPUT);
    EXPECT_STATUS(STK_E_LIMIT,
                  stk_jpeg_make_seekable(encoded, NULL, &s.file, &s.index, &s.result, &err));
    release(&s);
    stk_ledger_unref(ledger);
    free((void *)encoded.data);
}

STK_TEST(limits_are_the_callers)
{
    stk_error       err;
    seekable        s;
    const jpeg_kind kind = {.width = 240, .height = 176, .components = 3, .quality = 97};
    const stk_bytes encoded = make_jpeg(&kind, (stk_bytes){0});
    static const stk_image_limits limits[] = {{.side = 239}, {.pixels = 240 * 176 - 1}};
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        EXPECT_OK(make(&s, encoded, &err));
        release(&s);
        EXPECT_STATUS(STK_E_LIMIT, stk_jpeg_make_seekable(encoded, &limits[i], &s.file, &s.index,
                                                          &s.result, &err));
        EXPECT_CONTAINS("240 by 176", err.message);
        release(&s);
    }
    free((void *)encoded.data);
}

static stk_status make_and_release(void *context, stk_error *err)
{
    seekable         s;
    const stk_status st = make(&s, *(stk_bytes *)context, err);
    release(&s);
    return st;
}

STK_TEST(no_allocation_of_ours_may_fail_unseen)
{
    const jpeg_kind kind = {.width = 240, .height = 176, .components = 3, .quality = 97};
    stk_bytes       encoded = make_jpeg(&kind, (stk_bytes){0});
    stk_test_fail_each_allocation(make_and_release, &encoded);
    free((void *)encoded.data);
}
