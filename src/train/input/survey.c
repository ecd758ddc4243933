/* Samples images. Medians over some hundred images stand for the data, whatever single files are.
 * Samples are chosen by index alone, so equal data gives equal results. */
#include "train/input/survey.h"
#include "base/hash.h"
#include "storage/source/source_internal.h"
#include "train/input/cache_choice.h"
#include <stdio.h>
#include <stdlib.h>
#include <stoker/image.h>
#include <stoker/iterator.h>
#include <stoker/presets.h>
#include <string.h>

enum {
    SAMPLES_MAX = 400,
    HEAD_BYTES = 64 << 10,    /* EXIF with a thumbnail precedes the size */
    BUDGET_BYTES = 256 << 20, /* read at most, if files cannot be read in part */
    SAMPLES_MIN = 32          /* sampled whatever they cost */
};

typedef struct survey {
    stk_train_data   *data;
    stk_train_survey *out;
    const char       *path;
    int64_t           widths[SAMPLES_MAX], heights[SAMPLES_MAX];
    int64_t           colour; /* images with more than one channel, not counting alpha */
    int64_t           formats[STK_IMAGE_FORMATS];
    stk_error         why; /* of the first unreadable image */
} survey;

static void note_size(survey *s, int64_t width, int64_t height)
{
    stk_train_survey *o = s->out;
    const int64_t     area = width * height, longer = width > height ? width : height;
    const int64_t     shorter = width > height ? height : width;
    if (!o->looked || area < o->min_width * o->min_height)
        o->min_width = width, o->min_height = height;
    if (!o->looked || area > o->max_width * o->max_height)
        o->max_width = width, o->max_height = height;
    if (shorter > 0 && (double)longer / (double)shorter > o->longest)
        o->longest = (double)longer / (double)shorter;
    s->widths[o->looked] = width;
    s->heights[o->looked++] = height;
}

static void note_unreadable(survey *s, const stk_error *why, const char *where)
{
    if (s->out->unreadable++) return;
    s->why = *why;
    if (!*s->why.where) snprintf(s->why.where, sizeof s->why.where, "%s", where);
    snprintf(s->out->bad, sizeof s->out->bad, "%s: %s", where, why->message);
}

static void note_image(survey *s, const stk_image_info *info)
{
    s->out->grey += info->channels < 3;
    s->colour += info->channels >= 3;
    s->formats[info->format]++;
    note_size(s, info->width, info->height);
}

static const stk_field *image_of(const stk_sample *sample)
{
    const stk_field *field = stk_sample_field(sample, "image");
    return field && field->dtype == STK_DTYPE_BYTES && !field->shape.rank ? field : NULL;
}

/* Reads the beginning of a file; all of it if the header is longer. */
static stk_status read_header(stk_source_cursor *cursor, uint64_t index, uint64_t *bytes,
                              stk_image_info *info, stk_error *err)
{
    const stk_sample *sample;
    stk_status        st = STK_E_DATALOSS;
    for (uint64_t limit = HEAD_BYTES; st == STK_E_DATALOSS; limit = 0) {
        stk_source_cursor_limit(cursor, limit);
        STK_TRY(stk_source_read(cursor, index, &sample, err));
        const stk_bytes encoded = *(const stk_bytes *)image_of(sample)->data;
        *bytes += encoded.size;
        st = stk_image_read_info(encoded, NULL, info, err);
        if (!limit || encoded.size < limit) break;
    }
    return st;
}

/* An invalid image is counted and does not stop the survey. */
static stk_status look_at_item(survey *s, stk_source_cursor *cursor, uint64_t index,
                               uint64_t *bytes, stk_error *err)
{
    stk_source_item  item;
    stk_image_info   info;
    stk_error        why;
    const stk_status st = read_header(cursor, index, bytes, &info, &why);
    if (stk_status_is_environment(st)) {
        if (err) *err = why;
        return st;
    }
    stk_source_item_at(s->data->source, index, &item);
    char where[256];
    snprintf(where, sizeof where, item.record ? "%s, item %llu" : "%s", item.name,
             (unsigned long long)item.record);
    if (st)
        note_unreadable(s, &why, where);
    else
        note_image(s, &info);
    return STK_OK;
}

/* Indices of the training split's items. */
static stk_status list_items(const stk_train_data *data, uint64_t **items, uint64_t *count,
                             stk_error *err)
{
    const uint64_t all = stk_source_count(data->source);
    *count = 0;
    *items = calloc(all + 1, sizeof **items);
    if (!*items) return stk_fail(err, STK_E_NOMEM, "data", NULL, "no memory for a list");
    for (uint64_t i = 0; i < all; i++) {
        stk_source_item item;
        stk_source_item_at(data->source, i, &item);
        if (strcmp(stk_source_split_name(data->source, item.split), data->train_split) == 0)
            (*items)[(*count)++] = i;
    }
    return STK_OK;
}

/* A random member of each of so many equal parts: data may be periodic. */
static uint64_t spread(uint64_t i, uint64_t samples, uint64_t count)
{
    const uint64_t begin = i * count / samples, end = (i + 1) * count / samples;
    return begin + (end > begin ? stk_hash64_number(0, i) % (end - begin) : 0);
}

static stk_status look_at_items(survey *s, stk_error *err)
{
    stk_source_cursor *cursor = NULL;
    uint64_t          *items, count, bytes = 0;
    stk_status         st = list_items(s->data, &items, &count, err);
    if (!st) st = stk_source_cursor_new(&cursor, s->data->source, err);
    const uint64_t samples = count < SAMPLES_MAX ? count : SAMPLES_MAX;
    for (uint64_t i = 0; !st && i < samples && (bytes < BUDGET_BYTES || i < SAMPLES_MIN); i++)
        st = look_at_item(s, cursor, items[spread(i, samples, count)], &bytes, err);
    stk_source_cursor_free(cursor);
    free(items);
    return st;
}

/* Images stored as pixels all have one shape. */
static void note_pixels(survey *s, const stk_value *value)
{
    const bool has_channels = value->shape.rank == 3;
    s->data->height = value->shape.rank >= 2 ? value->shape.dim[0] : 0;
    s->data->width = value->shape.rank >= 2 ? value->shape.dim[1] : 0;
    s->data->channels = has_channels ? value->shape.dim[2] : 1;
}

static void note_element(survey *s, const stk_element *element)
{
    char            where[256];
    stk_error       err;
    stk_image_info  info;
    const stk_bytes encoded = ((const stk_bytes *)stk_value_data(stk_element_value(element, 0)))[0];
    if (stk_image_read_info(encoded, NULL, &info, &err) == STK_OK) {
        note_image(s, &info);
        return;
    }
    stk_element_where(element, where, sizeof where);
    note_unreadable(s, &err, *where ? where : s->path);
}

static stk_status look_at_elements(survey *s, stk_dataset *data, uint64_t ceiling, stk_error *err)
{
    const stk_iterator_options options = {
        .threads = 1, .no_autotune = true, .memory_bytes = ceiling};
    stk_iterator *it;
    stk_status    st = STK_OK;
    bool          pixels = false;
    STK_TRY(stk_iterator_start(&it, data, &options, err));
    for (int i = 0; i < SAMPLES_MAX && !st && !pixels; i++) {
        stk_element *element = NULL;
        st = stk_iterator_next(it, &element, err);
        if (st || !element) break;
        const stk_value *value = stk_element_value(element, 0);
        pixels = value->dtype != STK_DTYPE_BYTES;
        if (pixels)
            note_pixels(s, value);
        else
            note_element(s, element);
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    return st;
}

static stk_status no_labels(const survey *s, stk_error *err)
{
    return stk_fail(err, STK_E_NOTFOUND, "data", s->path,
                    "the images have no labels; put them into folders by class, or name the "
                    "field with the label");
}

static stk_status look_at_stream(survey *s, const stk_train_recipe *recipe, uint64_t bytes,
                                 stk_error *err)
{
    const int64_t            every = s->data->train_count / SAMPLES_MAX;
    const stk_images_options options = {.kind = *recipe->data.kind ? recipe->data.kind : NULL,
                                        .source = s->data->source,
                                        .follow_outside = recipe->data.follow_outside,
                                        .split = s->data->train_split,
                                        .subsample = bytes < BUDGET_BYTES && every > 1 ? every : 0};
    stk_dataset             *data;
    STK_TRY(stk_dataset_images(&data, recipe->data.path, &options, err));
    const bool labelled = stk_element_spec_find(stk_dataset_spec(data), "label") >= 0;
    stk_status st =
        labelled ? look_at_elements(s, data, stk_cache_ceiling(recipe), err) : no_labels(s, err);
    stk_dataset_unref(data);
    return st;
}

static const stk_feature_info *feature(const stk_source *source, const char *name)
{
    size_t                  count;
    const stk_feature_info *features = stk_source_features(source, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(features[i].name, name) == 0) return &features[i];
    return NULL;
}

/* Files and archive members have random access; streams do not. */
static bool has_items(const stk_train_data *data)
{
    if (!data->source || strcmp(stk_source_kind_name(data->source), "tfrecord") == 0) return false;
    const stk_feature_info *image = feature(data->source, "image");
    return image && image->meaning == STK_MEANING_IMAGE && image->dtype == STK_DTYPE_BYTES;
}

static stk_status look(survey *s, const stk_train_recipe *recipe, uint64_t bytes, stk_error *err)
{
    if (!has_items(s->data)) return look_at_stream(s, recipe, bytes, err);
    return feature(s->data->source, "label") ? look_at_items(s, err) : no_labels(s, err);
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int64_t median(int64_t *numbers, int64_t count)
{
    qsort(numbers, (size_t)count, sizeof *numbers, compare);
    return numbers[count / 2];
}

static void name_formats(survey *s)
{
    char  *text = s->out->formats;
    size_t used = 0, capacity = sizeof s->out->formats;
    for (int i = 0; i < STK_IMAGE_FORMATS && used < capacity; i++)
        if (s->formats[i])
            used += (size_t)snprintf(text + used, capacity - used, "%s%lld %s", used ? ", " : "",
                                     (long long)s->formats[i],
                                     stk_image_format_name((stk_image_format)i));
}

/* A few colour images among grey ones do not make the data colour. */
static stk_status conclude(survey *s, stk_error *err)
{
    enum { FEW = 20 };
    stk_train_survey *o = s->out;
    if (s->data->width) return STK_OK; /* pixels */
    if (!o->looked && !o->unreadable)
        return stk_fail(err, STK_E_NOTFOUND, "data", s->path, "there is not a single image here");
    if (!o->looked) {
        if (err) *err = s->why;
        return s->why.status;
    }
    s->data->width = median(s->widths, o->looked);
    s->data->height = median(s->heights, o->looked);
    s->data->channels = s->colour * FEW > o->looked ? 3 : 1;
    name_formats(s);
    return STK_OK;
}

stk_status stk_survey_take(const stk_train_recipe *recipe, uint64_t bytes, stk_train_data *data,
                           stk_error *err)
{
    survey *s = calloc(1, sizeof *s);
    if (!s) return stk_fail(err, STK_E_NOMEM, "data", recipe->data.path, "no memory for a look");
    s->data = data;
    s->out = &data->survey;
    s->path = recipe->data.path;
    stk_status st = look(s, recipe, bytes, err);
    if (!st) st = conclude(s, err);
    free(s);
    return st;
}
