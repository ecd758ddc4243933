/* Images as a pack stores them, from arbitrary bytes and in every mode: what comes out is a
 * image again, of the size asked for. The first three bytes choose. */
#include "fuzz_image.h"
#include "storage/pack/pack_image.h"

enum { HEADER = 3 };

static const stk_pack_format formats[] = {STK_PACK_SEEKABLE, STK_PACK_JPEG, STK_PACK_RAW,
                                          STK_PACK_AUTO};

static int32_t shortest(const stk_image_info *info)
{
    return info->width < info->height ? info->width : info->height;
}

/* That made can be decoded, and is not larger than asked for. */
static void expect_image(stk_bytes source, const stk_pack_images *images,
                         const stk_image_made *made, stk_bytes restarts)
{
    stk_error          err;
    stk_image_info     before, after;
    stk_decoder       *decoder;
    stk_pixels         pixels;
    stk_decode_options options = {.limits = {.pixels = MOST_PIXELS}, .restarts = restarts};
    demand(made->seekable == (restarts.size > 0), "an index without restarts, or none with");
    if (!made->encoded && !made->seekable) {
        demand(made->bytes.data == source.data && made->bytes.size == source.size, "other bytes");
        return;
    }
    demand(!stk_image_read_info(made->bytes, NULL, &after, &err), "no header");
    /* libjpeg, which makes images seekable, takes some headers that we refuse. */
    if (!stk_image_read_info(source, NULL, &before, &err)) {
        const int32_t least = shortest(&before);
        const int32_t wanted = images->resize && images->resize < least ? images->resize : least;
        demand(shortest(&after) == wanted, "another size");
    }
    if (stk_decoder_new(&decoder, NULL, &err)) abort();
    const stk_status st =
        stk_image_decode(decoder, made->bytes, NULL, 1, &options, &pixels, NULL, &err);
    demand(!st, "what was packed cannot be decoded");
    stk_decoder_free(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEADER) return 0;
    const stk_pack_images images = {.format = formats[data[0] & 3],
                                    .quality = data[1] % 101,
                                    .resize = data[0] & 4 ? data[2] : 0,
                                    .no_restarts = data[0] & 8};
    /* Small images are left alone: zeros behind make them large enough. */
    const size_t     least = data[0] & 16 ? STK_SEEKABLE_BYTES_MIN : 1, there = size - HEADER;
    const size_t     padded = there < least ? least : there;
    uint8_t         *copy = calloc(padded, 1);
    stk_image_maker *maker;
    stk_image_made   made;
    stk_image_info   info;
    stk_blob         out, restarts;
    stk_error        err = {0};
    if (!copy) abort();
    memcpy(copy, data + HEADER, there);
    const stk_bytes source = stk_bytes_of(copy, padded);
    /* Large ones are right, but slow. */
    if (!stk_image_read_info(source, NULL, &info, &err) &&
        (uint64_t)info.width * (uint64_t)info.height > MOST_PIXELS) {
        free(copy);
        return 0;
    }
    if (stk_image_maker_new(&maker, NULL, &err)) abort();
    stk_blob_init(&out, NULL, STK_MEMORY_DECODE);
    stk_blob_init(&restarts, NULL, STK_MEMORY_DECODE);
    const stk_status st = stk_image_make(maker, &images, source, &out, &restarts, &made, &err);
    if (st)
        demand_reason(st, &err);
    else
        expect_image(source, &images, &made, stk_blob_bytes(&restarts));
    stk_blob_release(&out);
    stk_blob_release(&restarts);
    stk_image_maker_free(maker);
    free(copy);
    return 0;
}
