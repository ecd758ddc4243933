/* Images: decoded, made smaller, encoded and made seekable, as far as each is asked for. */
#include "storage/pack/pack_image.h"

#include "image/resize/resize.h"

#include <stdlib.h>

enum { TINY_PIXELS = 64 * 64 }; /* that many take longer to decode than to read */

struct stk_image_maker {
    stk_decoder *decoder;
    stk_resizer *resizer;
    stk_blob     smaller; /* pixels */
    stk_blob     encoded; /* before restarts are put in */
};

stk_status stk_image_maker_new(stk_image_maker **out, stk_ledger *ledger, stk_error *err)
{
    stk_image_maker *maker = *out = calloc(1, sizeof *maker);
    if (!maker) return stk_fail(err, STK_E_NOMEM, "pack", NULL, "no memory for images");
    stk_blob_init(&maker->smaller, ledger, STK_MEMORY_DECODE);
    stk_blob_init(&maker->encoded, ledger, STK_MEMORY_DECODE);
    stk_status st = stk_decoder_new(&maker->decoder, ledger, err);
    if (!st) st = stk_resizer_new(&maker->resizer, ledger, err);
    if (!st) return STK_OK;
    stk_image_maker_free(maker);
    *out = NULL;
    return st;
}

void stk_image_maker_free(stk_image_maker *maker)
{
    if (!maker) return;
    stk_decoder_free(maker->decoder);
    stk_resizer_free(maker->resizer);
    stk_blob_release(&maker->smaller);
    stk_blob_release(&maker->encoded);
    free(maker);
}

/* The target form of an image. */
typedef struct intent {
    int32_t width, height;
    int32_t channels;
    bool    smaller;
    bool    raw, jpeg, png; /* encoded so; none: the source's bytes */
} intent;

static int32_t scaled(int32_t side, int32_t wanted, int32_t shortest)
{
    const int64_t twice = 2 * (int64_t)side * wanted + shortest; /* rounds to the nearest */
    return (int32_t)(twice / (2 * (int64_t)shortest));
}

/* Formats that TensorFlow does not read, and that pixels lose nothing of as PNGs. */
static bool is_foreign(stk_image_format format, const stk_pack_images *images)
{
    return (format == STK_IMAGE_TIFF || format == STK_IMAGE_PNM) &&
           images->format == STK_PACK_SEEKABLE && !images->no_png;
}

static intent decide(const stk_image_info *info, const stk_pack_images *images)
{
    const int32_t shortest = info->width < info->height ? info->width : info->height;
    intent        i = {.width = info->width,
                       .height = info->height,
                       .channels = info->channels <= 2 ? 1 : 3,
                       .smaller = images->resize && shortest > images->resize};
    if (i.smaller) {
        i.width = scaled(info->width, images->resize, shortest);
        i.height = scaled(info->height, images->resize, shortest);
    }
    const bool tiny = (int64_t)i.width * i.height <= TINY_PIXELS;
    i.raw = images->format == STK_PACK_RAW || (images->format == STK_PACK_AUTO && tiny);
    i.jpeg = !i.raw &&
             (i.smaller || (images->format != STK_PACK_SEEKABLE && info->format != STK_IMAGE_JPEG));
    i.png = !i.raw && !i.jpeg && is_foreign(info->format, images);
    return i;
}

/* Lanczos as Pillow has it: it is done once, and what is lost here stays lost. */
static stk_status shrink(stk_image_maker *maker, const intent *wanted, stk_pixels *pixels,
                         stk_error *err)
{
    const stk_resize_request request = {
        .width = pixels->width,
        .height = pixels->height,
        .out_width = wanted->width,
        .out_height = wanted->height,
        .part = {.width = wanted->width, .height = wanted->height},
        .sampling = {.filter = STK_FILTER_LANCZOS, .like = STK_RESIZE_PIL},
        .ending = {.dtype = STK_DTYPE_U8}};
    const size_t bytes =
        stk_output_format_bytes(&request.ending, wanted->width, wanted->height, pixels->channels);
    STK_TRY(stk_blob_reserve_exact(&maker->smaller, bytes, err));
    STK_TRY(stk_resize(maker->resizer, pixels, &request, maker->smaller.data, err));
    *pixels = (stk_pixels){.data = maker->smaller.data,
                           .width = wanted->width,
                           .height = wanted->height,
                           .channels = pixels->channels,
                           .stride = (size_t)wanted->width * (size_t)pixels->channels};
    return STK_OK;
}

static stk_status encode(stk_image_maker *maker, const stk_pack_images *images,
                         const intent *wanted, stk_bytes source, stk_blob *out, stk_error *err)
{
    const stk_decode_options     decode = {.channels = wanted->channels};
    const stk_jpeg_write_options jpeg = {.quality = images->quality, .subsample = true};
    stk_pixels                   pixels;
    STK_TRY(stk_image_decode(maker->decoder, source, NULL, 1, &decode, &pixels, NULL, err));
    if (wanted->smaller) STK_TRY(shrink(maker, wanted, &pixels, err));
    if (wanted->png) return stk_image_write_png(out, &pixels, err);
    return wanted->raw ? stk_image_write_pnm(out, &pixels, err)
                       : stk_image_write_jpeg(out, &pixels, &jpeg, err);
}

static void swap(stk_blob *a, stk_blob *b)
{
    const stk_blob was = *a;
    *a = *b;
    *b = was;
}

/* The encoded image is in out and moves aside while it is rewritten. */
static stk_status make_seekable(stk_image_maker *maker, stk_blob *out, stk_blob *restarts,
                                stk_image_made *made, stk_error *err)
{
    stk_seekable_result result;
    if (made->encoded) swap(out, &maker->encoded);
    out->size = 0;
    STK_TRY(stk_jpeg_make_seekable(made->bytes, NULL, out, restarts, &result, err));
    made->seekable = result.rewritten;
    if (made->seekable)
        made->bytes = stk_blob_bytes(out);
    else if (made->encoded)
        swap(out, &maker->encoded);
    return STK_OK;
}

stk_status stk_image_check(stk_image_maker *maker, stk_bytes source, stk_error *err)
{
    const stk_decode_options decode = {.channels = 3};
    stk_pixels               pixels;
    return stk_image_decode(maker->decoder, source, NULL, 1, &decode, &pixels, NULL, err);
}

stk_status stk_image_make(stk_image_maker *maker, const stk_pack_images *images, stk_bytes source,
                          stk_blob *out, stk_blob *restarts, stk_image_made *made, stk_error *err)
{
    *made = (stk_image_made){.bytes = source};
    out->size = restarts->size = 0;
    if (images->format != STK_PACK_SEEKABLE || images->resize ||
        is_foreign(stk_image_format_of(source), images)) {
        stk_image_info info;
        STK_TRY(stk_image_read_info(source, NULL, &info, err));
        const intent wanted = decide(&info, images);
        made->encoded = wanted.raw || wanted.jpeg || wanted.png;
        made->converted = wanted.png;
        if (made->encoded) {
            STK_TRY(encode(maker, images, &wanted, source, out, err));
            made->bytes = stk_blob_bytes(out);
        }
    }
    if (!images->no_restarts) STK_TRY(make_seekable(maker, out, restarts, made, err));
    if (made->encoded || made->seekable || images->on_bad == STK_PACK_BAD_FAILS) return STK_OK;
    return stk_image_check(maker, source, err);
}
