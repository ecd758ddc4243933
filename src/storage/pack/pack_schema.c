/* Which features images have and get. */
#include "storage/pack/pack_schema.h"

#include "storage/file/paths.h"

#include <stoker/image.h>
#include <string.h>

static const char ending[] = "_restarts";

/* Whether an image may be decoded and encoded. */
static bool may_encode(const stk_pack_images *images)
{
    return (images->format != STK_PACK_SEEKABLE && images->format != STK_PACK_KEEP) ||
           images->resize;
}

/* Whether an image of this feature may come out seekable. */
static bool may_seek(const stk_feature_info *feature, const stk_pack_images *images,
                     uint64_t largest)
{
    const bool other = feature->encoding[0] && strcmp(feature->encoding, "jpeg") != 0;
    if (images->no_restarts || largest < STK_SEEKABLE_BYTES_MIN) return false;
    if (images->format == STK_PACK_RAW || images->format == STK_PACK_KEEP) return false;
    return may_encode(images) || !other;
}

static bool is_foreign_name(const char *name)
{
    static const char *const endings[] = {".tif", ".tiff", ".pnm", ".ppm", ".pgm", ".pbm"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (stk_path_ends_in(name, endings[i])) return true;
    return false;
}

/* By file names; entries of archives and tables must be inspected. */
static bool may_hold_foreign(const stk_source *source)
{
    stk_source_item item;
    if (strcmp(stk_source_kind_name(source), "folder") != 0) return true;
    for (uint64_t i = 0; i < stk_source_count(source); i++) {
        stk_source_item_at(source, i, &item);
        if (is_foreign_name(item.name)) return true;
    }
    return false;
}

/* Whether an image of this feature may be a TIFF or a PNM, and has to become a PNG. Records that
 * hold them were packed so on purpose. */
static bool may_be_foreign(const stk_feature_info *feature, const stk_source *source,
                           const stk_pack_images *images)
{
    return images->format == STK_PACK_SEEKABLE && !images->no_png && !feature->encoding[0] &&
           strcmp(stk_source_kind_name(source), "tfrecord") != 0 && may_hold_foreign(source);
}

/* Whether bad images are looked for where nothing else needs a look. */
static bool may_check(const stk_pack_images *images)
{
    return images->on_bad != STK_PACK_BAD_FAILS && images->format != STK_PACK_KEEP;
}

/* Known properties of the images that no longer hold. */
static void describe_image(stk_feature_info *feature, const stk_pack_images *images)
{
    const bool jpeg = images->format == STK_PACK_JPEG && images->on_bad != STK_PACK_BAD_KEPT;
    if (jpeg)
        strcpy(feature->encoding, "jpeg");
    else if (images->format != STK_PACK_SEEKABLE || images->resize)
        feature->encoding[0] = '\0';
    if (images->resize) feature->shape = stk_shape_3d(-1, -1, 3);
}

static int64_t find_feature(const stk_pack_schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->source_count; i++)
        if (!strcmp(schema->features[i].name, name)) return (int64_t)i;
    return STK_NO_FEATURE;
}

/* A source that is a pack already has the feature; its values are replaced, by nothing if need be.
 */
static stk_status add_restarts(stk_pack_schema *schema, size_t index, stk_arena *arena,
                               stk_error *err)
{
    stk_pack_feature *feature = &schema->source_features[index];
    const char       *image = schema->features[index].name;
    const size_t      length = strlen(image);
    char             *name = stk_arena_alloc(arena, length + sizeof ending, err);
    if (!name) return err->status;
    memcpy(name, image, length);
    memcpy(name + length, ending, sizeof ending);
    feature->restarts = find_feature(schema, name);
    if (feature->restarts != STK_NO_FEATURE || !feature->seekable) return STK_OK;
    feature->restarts = (int64_t)schema->feature_count++;
    schema->features[feature->restarts] =
        (stk_feature_info){.name = name, .meaning = STK_MEANING_TEXT, .dtype = STK_DTYPE_BYTES};
    return STK_OK;
}

stk_status stk_pack_schema_init(stk_pack_schema *schema, const stk_source *source,
                                const stk_pack_images *images, uint64_t largest, stk_arena *arena,
                                stk_error *err)
{
    *schema = (stk_pack_schema){0};
    const stk_feature_info *from = stk_source_features(source, &schema->source_count);
    const size_t            count = schema->feature_count = schema->source_count;
    schema->features = stk_arena_array(arena, 2 * count, sizeof *schema->features, err);
    if (!schema->features) return err->status;
    schema->source_features = stk_arena_array(arena, count, sizeof *schema->source_features, err);
    if (!schema->source_features) return err->status;
    memcpy(schema->features, from, count * sizeof *from);
    for (size_t i = 0; i < count; i++) {
        stk_pack_feature *feature = &schema->source_features[i];
        const bool        image = from[i].meaning == STK_MEANING_IMAGE;
        *feature = (stk_pack_feature){.restarts = STK_NO_FEATURE};
        feature->seekable = image && may_seek(&from[i], images, largest);
        feature->foreign = image && may_be_foreign(&from[i], source, images);
        feature->image = image && (feature->seekable || may_encode(images) || feature->foreign);
        feature->checked = image && !feature->image && may_check(images);
        if (feature->image || feature->checked) schema->changes = true;
        if (!feature->image) continue;
        describe_image(&schema->features[i], images);
        STK_TRY(add_restarts(schema, i, arena, err));
    }
    return STK_OK;
}
