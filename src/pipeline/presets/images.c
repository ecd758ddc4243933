/* Images with labels from any data: parses packs and other records with examples; importers read
 * all else. */
#include "base/arena.h"
#include "storage/dataset/dataset_info_check.h"
#include "storage/file/split_name.h"
#include "storage/source/inside.h"

#include <stdlib.h>
#include <stoker/dataset_info.h>
#include <stoker/dataset_operators.h>
#include <stoker/dataset_sources.h>
#include <stoker/functions.h>
#include <stoker/presets.h>
#include <stoker/shards.h>
#include <string.h>

static const char restarts_name[] = "image_restarts";

/* The spec before the first record is read. */
typedef struct opening {
    const char               *path;
    const stk_images_options *options;
    const char               *image, *label; /* the fields' names */
    stk_dataset              *data;
} opening;

/* Puts function on the data; its reference is taken over. */
static stk_status put(opening *o, stk_function *function, stk_error *err)
{
    const stk_status st = stk_dataset_map(&o->data, function, NULL, err);
    stk_function_unref(function);
    return st;
}

/* Whether what was found says that this is no data of the kind looked for; anything else, as no
 * memory or a disk that fails, says nothing about it. */
static bool is_other_data(stk_status st)
{
    return st == STK_E_NOTFOUND || st == STK_E_FORMAT || st == STK_E_DATALOSS ||
           st == STK_E_INVALID || st == STK_E_LIMIT || st == STK_E_UNSUPPORTED;
}

/* Sets shards empty for other data. A single file of any name is TFRecords if its first record has
 * a valid header. */
static stk_status find_records(const opening *o, stk_shards *shards, stk_error *err)
{
    uint64_t length;
    *shards = (stk_shards){0};
    if (o->options->kind && strcmp(o->options->kind, "tfrecord") != 0) return STK_OK;
    stk_status st = stk_shards_find(shards, o->options->fs, o->path, err);
    if (!st && shards->count == 1)
        st = stk_tfrecord_peek(o->options->fs, shards->paths[0], NULL, &length, err);
    if (st) stk_shards_release(shards);
    return is_other_data(st) ? STK_OK : st;
}

static stk_status no_split(const opening *o, const char *const *names, size_t count,
                           const char *split, stk_error *err)
{
    char   list[160] = "";
    size_t used = 0;
    for (size_t i = 0; i < count && used + 40 < sizeof list; i++) {
        if (i && strcmp(names[i], names[i - 1]) == 0) continue;
        if (strlen(names[i]) > 30) continue;
        if (used) memcpy(list + used, ", ", 2), used += 2;
        memcpy(list + used, names[i], strlen(names[i]));
        used += strlen(names[i]);
        list[used] = 0;
    }
    return stk_fail(err, STK_E_NOTFOUND, "images", o->path,
                    "there is no split \"%s\" here; there are: %s", split, used ? list : "none");
}

/* The name that the files give the split that is meant; NULL: all. */
static const char *split_of(const opening *o, const stk_shards *shards)
{
    const char  *wanted = o->options->split;
    const size_t found = stk_split_find((const char *const *)shards->splits, shards->count,
                                        wanted ? wanted : "train");
    return found < shards->count ? shards->splits[found] : wanted;
}

/* The files of the split in order, to be read in a row or by number. */
static stk_status open_files(opening *o, const stk_shards *shards, stk_error *err)
{
    const char  *split = split_of(o, shards);
    const char **paths = calloc(shards->count, sizeof *paths);
    size_t       count = 0;
    if (!paths) return stk_fail(err, STK_E_NOMEM, "images", o->path, "no memory for a list");
    for (size_t i = 0; i < shards->count; i++)
        if (!split || strcmp(shards->splits[i], split) == 0) paths[count++] = shards->paths[i];
    stk_status st =
        !count ? no_split(o, (const char *const *)shards->splits, shards->count, split, err)
        : o->options->labels
            ? stk_dataset_tfrecord_indexed_files(&o->data, o->options->fs, paths, count, NULL, err)
            : stk_dataset_tfrecord_files(&o->data, o->options->fs, paths, count, NULL, err);
    free(paths);
    return st;
}

static const stk_feature_info *feature(const stk_dataset_info *info, const char *name)
{
    return info->feature_count ? stk_dataset_info_feature(info, name) : NULL;
}

/* A folder without a description is taken to have images and labels under the usual names. */
static size_t wanted(const opening *o, const stk_dataset_info *info, stk_feature_spec specs[3])
{
    size_t count = 0;
    specs[count++] = (stk_feature_spec){.name = o->image, .dtype = STK_DTYPE_BYTES};
    if (!info->feature_count || feature(info, o->label))
        specs[count++] = (stk_feature_spec){.name = o->label, .dtype = STK_DTYPE_I64};
    if (feature(info, restarts_name))
        specs[count++] = (stk_feature_spec){.name = restarts_name, .dtype = STK_DTYPE_BYTES};
    return count;
}

/* Pixels that are stored as they are. */
static stk_status as_pixels(opening *o, int value, const stk_shape *shape, stk_error *err)
{
    stk_function *function;
    const bool    fits = (shape->rank == 2 || shape->rank == 3) && shape->dim[0] > 0 &&
                      shape->dim[1] > 0 && shape->dim[0] <= INT32_MAX && shape->dim[1] <= INT32_MAX;
    char text[128];
    if (!fits)
        return stk_fail(err, STK_E_SHAPE, "images", o->path,
                        "\"%s\" has shape %s; an image is [height,width] or "
                        "[height,width,channels]",
                        o->image, stk_shape_text(shape, text, sizeof text));
    const int channels = shape->rank == 3 ? (int)shape->dim[2] : 1;
    STK_TRY(stk_function_as_image(&function, value, (int)shape->dim[0], (int)shape->dim[1],
                                  channels, err));
    return put(o, function, err);
}

static stk_status parse(opening *o, const stk_dataset_info *info, stk_error *err)
{
    stk_feature_spec        specs[3];
    const size_t            count = wanted(o, info, specs);
    const stk_feature_info *image = feature(info, o->image);
    stk_function           *function;
    if (info->feature_count && !image)
        return stk_fail(err, STK_E_NOTFOUND, "images", o->path,
                        "features.json knows no field \"%s\"; name the one with the images",
                        o->image);
    STK_TRY(stk_function_parse_example(&function, 0, specs, count, err));
    STK_TRY(put(o, function, err));
    if (!image || image->meaning != STK_MEANING_TENSOR) return STK_OK;
    return as_pixels(o, 0, &image->shape, err);
}

/* As many as fit in a reasonable part of memory: packs are shuffled completely when made. */
static int64_t default_buffer(const stk_dataset_info *info)
{
    enum {
        BUFFER_BYTES_MAX = 256 * STK_BYTES_PER_MB,
        BUFFER_MIN = 256,
        BUFFER_MAX = 10000,
        DEFAULT_BYTES = 100000
    };
    uint64_t bytes = 0, records = 0;
    for (size_t i = 0; i < info->split_count; i++) {
        bytes += info->splits[i].bytes;
        for (size_t k = 0; k < info->splits[i].shard_count; k++)
            records += info->splits[i].shard_lengths[k];
    }
    const uint64_t each = records && bytes >= records ? bytes / records : DEFAULT_BYTES;
    const int64_t  count = (int64_t)((uint64_t)BUFFER_BYTES_MAX / each);
    return count < BUFFER_MIN ? BUFFER_MIN : count > BUFFER_MAX ? BUFFER_MAX : count;
}

/* Packs are shuffled, and data in the order of its classes is parted evenly by counting. */
static stk_status put_holdout(opening *o, stk_error *err)
{
    const stk_images_options *p = o->options;
    const int64_t             last = p->holdout_every - 1;
    if (p->holdout_every > 1 && p->holdout_only)
        STK_TRY(stk_dataset_shard(&o->data, p->holdout_every, last, err));
    else if (p->holdout_every > 1)
        STK_TRY(stk_dataset_shard_others(&o->data, p->holdout_every, last, err));
    return p->subsample > 1 ? stk_dataset_shard(&o->data, p->subsample, 0, err) : STK_OK;
}

static stk_status put_balance(opening *o, stk_error *err)
{
    const stk_images_options *p = o->options;
    return stk_dataset_balance(&o->data, p->labels, p->label_count, p->classes, NULL, err);
}

/* Before parsing: an element is one block of bytes there. */
static stk_status put_order(opening *o, const stk_dataset_info *info, stk_error *err)
{
    const stk_images_options *p = o->options;
    const int64_t             buffer = p->shuffle > 0 ? p->shuffle : default_buffer(info);
    if (p->labels)
        STK_TRY(put_balance(o, err));
    else if (p->shuffle)
        STK_TRY(stk_dataset_shuffle(&o->data, buffer, NULL, err));
    return p->repeat ? stk_dataset_repeat(&o->data, p->repeat, err) : STK_OK;
}

static stk_status name_values(opening *o, stk_error *err)
{
    static const char *const default_names[] = {"image", "label", "image_restarts"};
    const stk_element_spec  *spec = stk_dataset_spec(o->data);
    const char              *names[3];
    stk_function            *function;
    for (size_t i = 0; i < spec->count && i < 3; i++)
        names[i] = default_names[i];
    const bool no_label = spec->count == 2 && strcmp(spec->values[1].name, restarts_name) == 0;
    if (no_label) names[1] = default_names[2];
    STK_TRY(stk_function_rename(&function, names, spec->count, err));
    return put(o, function, err);
}

static bool is_folder(const opening *o)
{
    stk_file_info info;
    return !stk_path_info(o->options->fs, o->path, &info, NULL) && info.kind == STK_FILE_DIRECTORY;
}

static stk_status open_records(opening *o, const stk_shards *shards, stk_error *err)
{
    stk_dataset_info info;
    const bool       folder = is_folder(o);
    /* Class names are read beside the records: neither may be a link to foreign files. */
    if (folder && !o->options->follow_outside)
        STK_TRY(stk_inside_check(o->options->fs, o->path, NULL, err));
    stk_status st = stk_dataset_info_read(&info, o->options->fs, o->path, err);
    if (st && st != STK_E_NOTFOUND) return st;
    st = folder ? stk_dataset_info_check(&info, o->options->fs, o->path, shards, err) : STK_OK;
    if (!st) st = open_files(o, shards, err);
    if (!st) st = put_holdout(o, err);
    if (!st) st = put_order(o, &info, err);
    if (!st) st = parse(o, &info, err);
    if (!st) st = name_values(o, err);
    stk_dataset_info_release(&info);
    return st;
}

/* The image first, and the label. */
static stk_status select_fields(opening *o, stk_error *err)
{
    const stk_element_spec *spec = stk_dataset_spec(o->data);
    const int               image = stk_element_spec_find(spec, o->image);
    const int               label = stk_element_spec_find(spec, o->label);
    const int               indices[] = {image, label};
    stk_function           *function;
    if (image < 0)
        return stk_fail(err, STK_E_NOTFOUND, "images", o->path,
                        "there is no field \"%s\" here; name the one with the images", o->image);
    const stk_value_spec value = spec->values[image];
    STK_TRY(stk_function_select(&function, indices, label < 0 ? 1 : 2, err));
    STK_TRY(put(o, function, err));
    if (value.dtype == STK_DTYPE_BYTES) return STK_OK;
    return as_pixels(o, 0, &value.shape, err);
}

static stk_status open_source(opening *o, stk_error *err)
{
    const stk_images_options *p = o->options;
    const char               *split = p->split ? p->split : "train";
    stk_error                 why;
    stk_source               *source = p->source ? stk_source_ref(p->source) : NULL;
    stk_status                st = STK_OK;
    if (!source)
        st = stk_source_open(&source, p->fs, o->path,
                             &(stk_source_options){.kind = p->kind,
                                                   .skip_bad = p->skip_bad,
                                                   .follow_outside = p->follow_outside},
                             &why);
    if (!st)
        st = stk_dataset_of_source_part(&o->data, source, o->path, split, p->holdout_every,
                                        p->holdout_only, &why);
    const bool all = is_other_data(st) && source && !p->split;
    if (all) st = stk_dataset_of_source(&o->data, source, o->path, NULL, &why);
    stk_source_free(source);
    if (st) {
        if (err) *err = why;
        return st;
    }
    if (all)
        STK_TRY(put_holdout(o, err));
    else if (p->subsample > 1)
        STK_TRY(stk_dataset_shard(&o->data, p->subsample, 0, err));
    if (p->labels)
        STK_TRY(put_balance(o, err));
    else if (p->shuffle)
        STK_TRY(stk_dataset_global_shuffle(&o->data, NULL, err));
    if (p->repeat) STK_TRY(stk_dataset_repeat(&o->data, p->repeat, err));
    STK_TRY(select_fields(o, err));
    return name_values(o, err);
}

stk_status stk_dataset_images(stk_dataset **out, const char *path,
                              const stk_images_options *options, stk_error *err)
{
    static const stk_images_options default_names = {0};
    opening    o = {.path = path, .options = options ? options : &default_names};
    stk_shards shards;
    o.image = o.options->image ? o.options->image : "image";
    o.label = o.options->label ? o.options->label : "label";
    *out = NULL;
    stk_status st = find_records(&o, &shards, err);
    if (!st) st = shards.count ? open_records(&o, &shards, err) : open_source(&o, err);
    stk_shards_release(&shards);
    if (st) {
        stk_dataset_unref(o.data);
        return st;
    }
    *out = o.data;
    return STK_OK;
}
