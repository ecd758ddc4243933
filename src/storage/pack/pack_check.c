/* Looking over a listing before hours of work. */
#include "storage/pack/pack_check.h"

#include "storage/dataset/dataset_info_internal.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

/* Lists of class names have one name a line. */
static stk_status check_class_names(const stk_feature_info *feature, stk_error *err)
{
    for (size_t i = 0; i < feature->class_count; i++)
        if (strpbrk(feature->class_names[i], "\r\n"))
            return stk_fail(err, STK_E_INVALID, "pack", feature->name,
                            "the name of class %zu, '%.100s', has a line break, which a list of "
                            "one name a line cannot hold; rename the class",
                            i, feature->class_names[i]);
    return STK_OK;
}

static stk_status check_label(const stk_feature_info *feature, stk_error *err)
{
    stk_blob name;
    if (feature->meaning != STK_MEANING_LABEL || !feature->class_names) return STK_OK;
    STK_TRY(check_class_names(feature, err));
    stk_blob_init(&name, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_labels_file_name(&name, "", feature->name, err);
    if (!st && strlen((const char *)name.data) > NAME_MAX)
        st = stk_fail(err, STK_E_INVALID, "pack", feature->name,
                      "the file of its class names would have a name of %zu characters, and %d is "
                      "the most; rename the field",
                      strlen((const char *)name.data), NAME_MAX);
    stk_blob_release(&name);
    return st;
}

static bool has_image(const stk_source *source)
{
    size_t                  count;
    const stk_feature_info *features = stk_source_features(source, &count);
    for (size_t i = 0; i < count; i++)
        if (features[i].meaning == STK_MEANING_IMAGE) return true;
    return false;
}

/* Reading would find the first of them, perhaps late; and without it the plan is another, so that
 * all work up to there would be lost. */
static stk_status check_images(const stk_source *source, stk_error *err)
{
    stk_source_item item, first = {0};
    uint64_t        empty = 0;
    if (!has_image(source)) return STK_OK;
    for (uint64_t i = 0; i < stk_source_count(source); i++) {
        stk_source_item_at(source, i, &item);
        if (!item.bytes && !empty++) first = item;
    }
    if (!empty) return STK_OK;
    return stk_fail(
        err, STK_E_DATALOSS, "pack", first.name,
        "holds no bytes (item %" PRIu64 " in it; %" PRIu64 " of %" PRIu64
        " items are empty); replace or remove what is empty, or leave it out with --on-bad skip",
        first.record, empty, stk_source_count(source));
}

stk_status stk_pack_check_source(const stk_source *source, const stk_pack_images *images,
                                 stk_error *err)
{
    size_t                  count;
    const stk_feature_info *features = stk_source_features(source, &count);
    for (size_t i = 0; i < count; i++)
        STK_TRY(check_label(&features[i], err));
    const bool skips = images->on_bad == STK_PACK_BAD_SKIPPED && images->format != STK_PACK_KEEP;
    return skips ? STK_OK : check_images(source, err);
}
