/* JPEGs: windows at any scale, by every set of kernels and with an index of restarts that may be
 * wrong, have the pixels that libjpeg gives when it finds no damage. The first four bytes choose.
 */
#include "image/jpeg/jpeg_turbo.h"
#include "image/jpeg/region.h"
#include "image/jpeg/restart_index.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHOICE_BYTES = 4, MOST_PIXELS = 1 << 16, MOST_SEGMENTS = 64 };

static void demand(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "fuzz_jpeg_region: %s\n", what);
    abort();
}

static stk_rect choose_window(const uint8_t *choice, int32_t width, int32_t height)
{
    const int32_t x = choice[1] * width / 256, y = choice[2] * height / 256;
    return (stk_rect){x, y, 1 + choice[3] % 16 * (width - x - 1) / 15,
                      1 + choice[3] / 16 * (height - y - 1) / 15};
}

/* Where markers are, one of them shifted now and then. */
static void make_index(const stk_jpeg_header *header, stk_bytes encoded, uint8_t choice,
                       stk_blob *out)
{
    uint32_t  lengths[MOST_SEGMENTS], count = 0;
    size_t    begin = header->scan;
    stk_error err;
    while (count < MOST_SEGMENTS && begin < encoded.size) {
        const stk_bytes rest = stk_bytes_of(encoded.data + begin, encoded.size - begin);
        lengths[count++] = (uint32_t)stk_find_marker_plain(rest) + 2;
        begin += lengths[count - 1];
    }
    if (count && choice & 1) lengths[choice % count] += 1;
    if (stk_restart_index_write(out, header->restart_interval, (uint32_t)header->scan, lengths,
                                count, &err))
        abort();
}

/* The window by libjpeg; false when it finds anything wrong. */
static bool decode_reference(stk_decoder *decoder, const stk_codec_request *request, uint8_t *dst)
{
    const stk_image_info *info = &request->header->info;
    stk_codec_request     all = *request;
    stk_decode_outcome    outcome = {0};
    stk_error             err;
    const size_t          pixel = (size_t)request->channels;
    all.window = (stk_rect){0, 0, (info->stored_width + request->shrink - 1) / request->shrink,
                            (info->stored_height + request->shrink - 1) / request->shrink};
    uint8_t *whole = malloc((size_t)all.window.width * (size_t)all.window.height * pixel);
    if (!whole) abort();
    const stk_status st = stk_jpeg_turbo_decode(decoder, &all, true, whole, &outcome, &err);
    for (int32_t y = 0; !st && y < request->window.height; y++)
        memcpy(dst + (size_t)(y * request->window.width) * pixel,
               whole +
                   (size_t)((request->window.y + y) * all.window.width + request->window.x) * pixel,
               (size_t)request->window.width * pixel);
    free(whole);
    return !st;
}

static void compare(stk_decoder *decoder, const stk_jpeg_header *header,
                    const stk_codec_request *request)
{
    static const stk_jpeg_kernels *const all[] = {&stk_jpeg_kernels_plain, &stk_jpeg_kernels_avx2,
                                                  &stk_jpeg_kernels_avx512};
    const size_t                         bytes =
        (size_t)request->window.width * (size_t)request->window.height * (size_t)request->channels;
    uint8_t                 *want = malloc(bytes), *got = malloc(bytes);
    stk_error                err;
    struct stk_jpeg_decoder *jpeg = stk_decoder_jpeg(decoder, &err);
    if (!want || !got || !jpeg) abort();
    const bool whole = decode_reference(decoder, request, want);
    bool       last = false;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        bool done;
        jpeg->kernels = all[i];
        demand(!stk_region_decode(decoder, jpeg, header, request, got, &done, &err), "no memory");
        demand(i == 0 || done == last, "kernels differ in what they decode");
        last = done;
        if (done && whole) demand(!memcmp(want, got, bytes), "a window differs from libjpeg's");
        if (all[i] == stk_jpeg_kernels_best()) break;
    }
    free(want);
    free(got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= CHOICE_BYTES) return 0;
    const stk_bytes  encoded = stk_bytes_of(data + CHOICE_BYTES, size - CHOICE_BYTES);
    stk_image_limits limits = {.pixels = MOST_PIXELS};
    stk_image_header header;
    stk_decoder     *decoder;
    stk_blob         index;
    stk_error        err;
    if (stk_image_format_of(encoded) != STK_IMAGE_JPEG ||
        stk_image_read_header(encoded, &limits, &header, &err))
        return 0;
    if (stk_decoder_new(&decoder, NULL, &err)) abort();
    stk_blob_init(&index, NULL, STK_MEMORY_DECODE);
    if (data[0] & 8) make_index(&header.jpeg, encoded, data[0] >> 4, &index);
    const int                shrink = 1 << (data[0] & 3);
    const stk_decode_options options = {.limits = limits, .restarts = stk_blob_bytes(&index)};
    const stk_codec_request  request = {
         .encoded = encoded,
         .header = &header,
         .window = choose_window(data, (header.info.stored_width + shrink - 1) / shrink,
                                 (header.info.stored_height + shrink - 1) / shrink),
         .shrink = shrink,
         .channels = data[0] & 4 ? 1 : 3,
         .options = &options};
    compare(decoder, &header.jpeg, &request);
    stk_blob_release(&index);
    stk_decoder_free(decoder);
    return 0;
}
