/* Writing a data set's description so that TensorFlow Datasets loads the folder. */
#include "storage/dataset/dataset_info_internal.h"
#include "storage/file/paths.h"

#include <inttypes.h>
#include <stdio.h>
#include <stoker/dataset_info.h>
#include <stoker/json.h>
#include <string.h>

#define CLASSES_OF "tensorflow_datasets.core.features."

typedef struct writing {
    const stk_dataset_info *info;
    const stk_filesystem   *fs;
    const char             *folder;
    stk_blob                text, path;
} writing;

/* 64-bit numbers are strings in protobuf's JSON. */
static void write_number(stk_json_writer *w, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    stk_json_string(w, text);
}

static void write_shape(stk_json_writer *w, const stk_shape *shape)
{
    stk_json_key(w, "shape");
    stk_json_object(w);
    if (shape->rank) {
        stk_json_key(w, "dimensions");
        stk_json_array(w);
        for (int i = 0; i < shape->rank; i++)
            write_number(w, shape->dim[i]);
        stk_json_array_end(w);
    }
    stk_json_object_end(w);
}

/* Only the encodings that TensorFlow Datasets knows are named; others are found by content. */
static void write_image(stk_json_writer *w, const stk_feature_info *feature)
{
    const stk_shape any = stk_shape_3d(-1, -1, 3);
    const bool      named = !strcmp(feature->encoding, "jpeg") || !strcmp(feature->encoding, "png");
    stk_json_key(w, "image");
    stk_json_object(w);
    write_shape(w, feature->shape.rank == 3 ? &feature->shape : &any);
    stk_json_pair_string(w, "dtype", "uint8");
    if (named) stk_json_pair_string(w, "encodingFormat", feature->encoding);
    stk_json_object_end(w);
    stk_json_pair_string(w, "pythonClassName", CLASSES_OF "image_feature.Image");
}

static void write_label(stk_json_writer *w, const stk_feature_info *feature)
{
    stk_json_key(w, "classLabel");
    stk_json_object(w);
    if (feature->class_count) {
        stk_json_key(w, "numClasses");
        write_number(w, (int64_t)feature->class_count);
    }
    stk_json_object_end(w);
    stk_json_pair_string(w, "pythonClassName", CLASSES_OF "class_label_feature.ClassLabel");
}

static void write_text(stk_json_writer *w, const stk_feature_info *feature)
{
    (void)feature;
    stk_json_key(w, "text");
    stk_json_object(w);
    stk_json_object_end(w);
    stk_json_pair_string(w, "pythonClassName", CLASSES_OF "text_feature.Text");
}

/* Bytes (U8) are stored as one byte string, which is what "bytes" says. */
static void write_tensor(stk_json_writer *w, const stk_feature_info *feature)
{
    stk_json_key(w, "tensor");
    stk_json_object(w);
    write_shape(w, &feature->shape);
    stk_json_pair_string(
        w, "dtype", feature->dtype == STK_DTYPE_BYTES ? "string" : stk_dtype_name(feature->dtype));
    stk_json_pair_string(w, "encoding", feature->dtype == STK_DTYPE_U8 ? "bytes" : "none");
    stk_json_object_end(w);
    stk_json_pair_string(w, "pythonClassName", CLASSES_OF "tensor_feature.Tensor");
}

static void write_feature(stk_json_writer *w, const stk_feature_info *feature)
{
    static void (*const writers[])(stk_json_writer *, const stk_feature_info *) = {
        [STK_MEANING_TENSOR] = write_tensor,
        [STK_MEANING_TEXT] = write_text,
        [STK_MEANING_IMAGE] = write_image,
        [STK_MEANING_LABEL] = write_label,
    };
    /* A text is one string; a list of them is a tensor. */
    const bool list = feature->meaning == STK_MEANING_TEXT && feature->shape.rank;
    stk_json_key(w, feature->name);
    stk_json_object(w);
    (list ? write_tensor : writers[feature->meaning])(w, feature);
    stk_json_object_end(w);
}

static stk_status put_file(writing *w, const char *name, stk_error *err)
{
    stk_output *out;
    STK_TRY(stk_path_join(&w->path, w->folder, name, err));
    STK_TRY(stk_output_create(&out, w->fs, (const char *)w->path.data, err));
    stk_status st = stk_output_write(out, w->text.data, w->text.size, err);
    if (!st) st = stk_output_commit(out, err);
    stk_output_close(out);
    return st;
}

static stk_status write_features(writing *w, stk_error *err)
{
    stk_json_writer json;
    w->text.size = 0;
    stk_json_begin(&json, &w->text, 4);
    stk_json_object(&json);
    stk_json_key(&json, "featuresDict");
    stk_json_object(&json);
    stk_json_key(&json, "features");
    stk_json_object(&json);
    for (size_t i = 0; i < w->info->feature_count; i++)
        write_feature(&json, &w->info->features[i]);
    stk_json_object_end(&json);
    stk_json_object_end(&json);
    stk_json_pair_string(&json, "pythonClassName", CLASSES_OF "features_dict.FeaturesDict");
    stk_json_object_end(&json);
    STK_TRY(stk_json_end(&json, err));
    return put_file(w, STK_FEATURES_FILE, err);
}

static stk_status write_class_names(writing *w, const stk_feature_info *feature, stk_error *err)
{
    stk_blob name;
    w->text.size = 0;
    for (size_t i = 0; i < feature->class_count; i++) {
        const char *text = feature->class_names[i];
        if (strpbrk(text, "\r\n"))
            return stk_fail(err, STK_E_INVALID, "dataset info", feature->name,
                            "the name of class %zu has a line break, which a list of one name a "
                            "line cannot hold",
                            i);
        STK_TRY(stk_blob_append(&w->text, text, strlen(text), err));
        STK_TRY(stk_blob_append(&w->text, "\n", 1, err));
    }
    stk_blob_init(&name, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_labels_file_name(&name, "", feature->name, err);
    if (!st) st = put_file(w, (const char *)name.data, err);
    stk_blob_release(&name);
    return st;
}

static void write_split(stk_json_writer *w, const stk_split_info *split)
{
    stk_json_object(w);
    stk_json_pair_string(w, "filepathTemplate", "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}");
    stk_json_pair_string(w, "name", split->name);
    stk_json_key(w, "numBytes");
    write_number(w, (int64_t)split->bytes);
    stk_json_key(w, "shardLengths");
    stk_json_array(w);
    for (size_t i = 0; i < split->shard_count; i++)
        write_number(w, (int64_t)split->shard_lengths[i]);
    stk_json_array_end(w);
    stk_json_object_end(w);
}

static stk_status write_info(writing *w, stk_error *err)
{
    const stk_dataset_info *info = w->info;
    stk_json_writer         json;
    w->text.size = 0;
    stk_json_begin(&json, &w->text, 2);
    stk_json_object(&json);
    stk_json_pair_string(&json, "fileFormat", "tfrecord");
    stk_json_pair_string(&json, "name", info->name ? info->name : "");
    stk_json_key(&json, "splits");
    stk_json_array(&json);
    for (size_t i = 0; i < info->split_count; i++)
        write_split(&json, &info->splits[i]);
    stk_json_array_end(&json);
    stk_json_pair_string(&json, "version", info->version ? info->version : "1.0.0");
    stk_json_object_end(&json);
    STK_TRY(stk_json_end(&json, err));
    return put_file(w, STK_INFO_FILE, err);
}

static stk_status write_all(writing *w, stk_error *err)
{
    STK_TRY(write_features(w, err));
    for (size_t i = 0; i < w->info->feature_count; i++) {
        const stk_feature_info *feature = &w->info->features[i];
        if (feature->meaning == STK_MEANING_LABEL && feature->class_names)
            STK_TRY(write_class_names(w, feature, err));
    }
    return write_info(w, err);
}

stk_status stk_dataset_info_write(const stk_dataset_info *info, const stk_filesystem *fs,
                                  const char *folder, stk_error *err)
{
    writing w = {.info = info, .fs = fs, .folder = folder};
    stk_blob_init(&w.text, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&w.path, NULL, STK_MEMORY_OUTPUT);
    const stk_status st = write_all(&w, err);
    stk_blob_release(&w.text);
    stk_blob_release(&w.path);
    return st;
}
