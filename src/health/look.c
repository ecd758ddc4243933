/* Looking at one image: it is decoded, and made so small that it can be compared with others. */
#include "base/hash.h"
#include "health/facts.h"
#include "image/codec/codec.h"
#include "image/resize/resize.h"

#include <stdlib.h>

enum {
    SIDE_MIN = 64, /* JPEGs are decoded smaller, as long as this is left: damage shows as well */
    MARGIN = 2,    /* levels that a cell has to be lighter */
    FLAT = 5       /* a mean distance from the mean, in levels */
};

struct stk_health_looker {
    const stk_source       *source;
    stk_source_cursor      *cursor;
    stk_decoder            *decoder;
    stk_resizer            *resizer;
    const stk_feature_info *image;
};

/* Encoded images, or a feature of their name that has their shape. */
static const stk_feature_info *find_image(const stk_source *source)
{
    size_t                  count;
    const stk_feature_info *all = stk_source_features(source, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].meaning == STK_MEANING_IMAGE) return &all[i];
    for (size_t i = 0; i < count; i++)
        if (!strcmp(all[i].name, "image") && (all[i].shape.rank == 2 || all[i].shape.rank == 3) &&
            (all[i].dtype == STK_DTYPE_U8 || all[i].dtype == STK_DTYPE_BYTES))
            return &all[i];
    return NULL;
}

bool stk_health_applies(const stk_source *source)
{
    return find_image(source) != NULL;
}

stk_status stk_health_looker_new(stk_health_looker **out, const stk_source *source,
                                 stk_ledger *ledger, stk_error *err)
{
    stk_health_looker *looker = *out = calloc(1, sizeof *looker);
    if (!looker) return stk_fail(err, STK_E_NOMEM, "health", NULL, "no memory to look at images");
    looker->source = source;
    looker->image = find_image(source);
    stk_status st = stk_source_cursor_new(&looker->cursor, source, err);
    if (!st) st = stk_decoder_new(&looker->decoder, ledger, err);
    if (!st) st = stk_resizer_new(&looker->resizer, ledger, err);
    if (!st) return STK_OK;
    stk_health_looker_free(looker);
    *out = NULL;
    return st;
}

void stk_health_looker_free(stk_health_looker *looker)
{
    if (!looker) return;
    stk_source_cursor_free(looker->cursor);
    stk_decoder_free(looker->decoder);
    stk_resizer_free(looker->resizer);
    free(looker);
}

/* Pixels that are stored as they are, in a shape that the feature says. */
static bool as_pixels(const stk_feature_info *image, stk_bytes bytes, stk_pixels *out)
{
    const stk_shape *s = &image->shape;
    const int64_t    channels = s->rank == 3 ? s->dim[2] : 1;
    if (image->meaning == STK_MEANING_IMAGE || s->rank < 2 || s->dim[0] <= 0 || s->dim[1] <= 0 ||
        (channels != 1 && channels != 3) || s->dim[0] > 65535 || s->dim[1] > 65535 ||
        (uint64_t)(s->dim[0] * s->dim[1] * channels) != bytes.size)
        return false;
    *out = (stk_pixels){(uint8_t *)bytes.data, (int32_t)s->dim[1], (int32_t)s->dim[0],
                        (int32_t)channels, (size_t)(s->dim[1] * channels)};
    return true;
}

static stk_bytes bytes_of(const stk_field *field)
{
    if (field->dtype == STK_DTYPE_BYTES) return *(const stk_bytes *)field->data;
    return stk_bytes_of(field->data, field->count);
}

static int choose_shrink(const stk_image_info *info)
{
    const int32_t side = info->width < info->height ? info->width : info->height;
    int           shrink = 1;
    while (info->format == STK_IMAGE_JPEG && shrink < 8 && side / (2 * shrink) >= SIDE_MIN)
        shrink *= 2;
    return shrink;
}

static bool has_wrong_ending(const stk_source *source, uint64_t item, stk_image_format format)
{
    static const struct {
        const char      *ending;
        stk_image_format format;
    } known[] = {{".jpg", STK_IMAGE_JPEG},  {".jpeg", STK_IMAGE_JPEG}, {".png", STK_IMAGE_PNG},
                 {".webp", STK_IMAGE_WEBP}, {".gif", STK_IMAGE_GIF},   {".bmp", STK_IMAGE_BMP},
                 {".tif", STK_IMAGE_TIFF},  {".tiff", STK_IMAGE_TIFF}};
    stk_source_item listed;
    stk_source_item_at(source, item, &listed);
    const char *dot = strrchr(listed.name, '.');
    for (size_t i = 0; dot && i < sizeof known / sizeof known[0]; i++)
        if (!strcasecmp(dot, known[i].ending)) return known[i].format != format;
    return false;
}

static stk_status decode(stk_health_looker *looker, stk_bytes bytes, stk_health_fact *fact,
                         stk_pixels *out, stk_error *err)
{
    static const stk_decode_options options = {.channels = 1};
    stk_decode_outcome              unasked;
    stk_image_header                header;
    const stk_image_info           *info = &header.info;
    STK_TRY(stk_image_read_header(bytes, NULL, &header, err));
    fact->format = (uint8_t)info->format;
    fact->channels = (uint8_t)info->channels;
    fact->bits = (uint8_t)info->bits;
    fact->turned = info->orientation != 1;
    fact->more_frames = info->more_frames;
    fact->width = info->width;
    fact->height = info->height;
    fact->wrong_ending = has_wrong_ending(looker->source, fact->item, info->format);
    return stk_image_decode_measured(looker->decoder, bytes, &header, NULL, choose_shrink(info),
                                     &options, out, &unasked, err);
}

static void take_pixels(stk_health_fact *fact, const stk_pixels *pixels)
{
    fact->format = STK_IMAGE_NONE;
    fact->channels = (uint8_t)pixels->channels;
    fact->bits = 8;
    fact->width = pixels->width;
    fact->height = pixels->height;
}

/* Of colours the green cells have to do: they are most of grey. */
static stk_status make_cells(stk_health_looker *looker, const stk_pixels *pixels,
                             stk_health_fact *fact, stk_error *err)
{
    uint8_t                  cells[3 * STK_HEALTH_CELLS];
    const stk_resize_request request = {
        .width = pixels->width,
        .height = pixels->height,
        .out_width = STK_HEALTH_GRID,
        .out_height = STK_HEALTH_GRID,
        .part = {.width = STK_HEALTH_GRID, .height = STK_HEALTH_GRID},
        .sampling = {.filter = STK_FILTER_AREA, .like = STK_RESIZE_PIL},
        .ending = {.dtype = STK_DTYPE_U8}};
    STK_TRY(stk_resize(looker->resizer, pixels, &request, cells, err));
    for (int i = 0; i < STK_HEALTH_CELLS; i++)
        fact->cells[i] = pixels->channels == 1 ? cells[i] : cells[3 * i + 1];
    return STK_OK;
}

static void compare_cells(stk_health_fact *fact)
{
    int sum = 0, distance = 0;
    for (int i = 0; i < STK_HEALTH_CELLS; i++)
        sum += fact->cells[i];
    for (int i = 0; i < STK_HEALTH_CELLS; i++)
        distance += abs(fact->cells[i] - sum / STK_HEALTH_CELLS);
    fact->flat = distance < FLAT * STK_HEALTH_CELLS;
    for (int bit = 0; bit < 64; bit++) {
        const uint8_t *cell = &fact->cells[bit / 8 * STK_HEALTH_GRID + bit % 8];
        fact->looks[0] |= (uint64_t)(cell[1] > cell[0] + MARGIN) << bit;
        fact->looks[1] |= (uint64_t)(cell[STK_HEALTH_GRID] > cell[0] + MARGIN) << bit;
    }
}

static stk_status look_at(stk_health_looker *looker, stk_health_fact *fact, stk_error *err)
{
    const stk_sample *sample;
    stk_pixels        pixels;
    STK_TRY(stk_source_read(looker->cursor, fact->item, &sample, err));
    const stk_field *field = stk_sample_field(sample, looker->image->name);
    if (!field || (field->dtype == STK_DTYPE_BYTES && field->count != 1))
        return stk_fail(err, STK_E_FORMAT, "health", NULL, "it has no image in \"%s\"",
                        looker->image->name);
    const stk_bytes bytes = bytes_of(field);
    fact->bytes = bytes.size;
    fact->content = stk_hash64(0, bytes.data, bytes.size);
    if (as_pixels(looker->image, bytes, &pixels))
        take_pixels(fact, &pixels);
    else
        STK_TRY(decode(looker, bytes, fact, &pixels, err));
    STK_TRY(make_cells(looker, &pixels, fact, err));
    compare_cells(fact);
    return STK_OK;
}

stk_status stk_health_look(stk_health_looker *looker, stk_health_fact *fact, stk_error *reason,
                           stk_error *err)
{
    stk_source_item item;
    stk_source_item_at(looker->source, fact->item, &item);
    fact->label = item.label;
    fact->split = item.split;
    fact->bad = look_at(looker, fact, reason);
    if (fact->bad != STK_E_NOMEM && fact->bad != STK_E_CEILING && fact->bad != STK_E_CANCELLED)
        return STK_OK;
    *err = *reason;
    return fact->bad;
}
