/* Reading a data set's description: TensorFlow Datasets' protobuf messages in JSON form, where
 * 64-bit numbers are strings. */
#include "storage/dataset/dataset_info_internal.h"
#include "storage/file/paths.h"
#include "storage/file/text_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stoker/dataset_info.h>
#include <stoker/json.h>
#include <string.h>

enum {
    LARGEST = 64 << 20, /* of a JSON file; those with statistics reach a few MB */
    DEEPEST = 16,       /* features inside of features */
    CLASSES_MAX = 1 << 24,
};

typedef struct reading {
    const stk_filesystem *fs;
    const char           *folder;
    stk_dataset_info     *info;
    size_t                feature_capacity;
    stk_blob              path, text; /* scratch */
    bool                  told;       /* the error names its file and says what to do */
} reading;

static stk_status no_memory(const reading *r, stk_error *err)
{
    return stk_fail(err, STK_E_NOMEM, "dataset info", r->folder, "no memory for what is in it");
}

/* Parses the file name in the folder. *doc is NULL when there is none. */
static stk_status parse_file(reading *r, const char *name, stk_json_document **doc, stk_error *err)
{
    *doc = NULL;
    STK_TRY(stk_path_join(&r->path, r->folder, name, err));
    const char      *path = (const char *)r->path.data;
    const stk_status st = stk_file_read_all(r->fs, path, 0, LARGEST, &r->text, err);
    if (st == STK_E_NOTFOUND) return stk_path_check_missing(r->fs, path, err);
    if (st) return st;
    return stk_json_parse(doc, stk_blob_bytes(&r->text), path, err);
}

static stk_status add_feature(reading *r, const char *name, stk_feature_info **out, stk_error *err)
{
    stk_dataset_info *info = r->info;
    if (info->feature_count == r->feature_capacity) {
        const size_t      capacity = r->feature_capacity ? 2 * r->feature_capacity : 8;
        stk_feature_info *grown = realloc(info->features, capacity * sizeof *grown);
        if (!grown) return no_memory(r, err);
        info->features = grown;
        r->feature_capacity = capacity;
    }
    char *copy = strdup(name);
    if (!copy) return no_memory(r, err);
    *out = &info->features[info->feature_count++];
    **out = (stk_feature_info){.name = copy};
    return STK_OK;
}

static stk_status read_shape(const reading *r, const stk_json_value *message, stk_shape *shape,
                             const char *name, stk_error *err)
{
    const stk_json_value *dims = stk_json_get(stk_json_get(message, "shape"), "dimensions");
    const size_t          rank = stk_json_count(dims);
    if (rank > STK_MAX_RANK)
        return stk_fail(err, STK_E_UNSUPPORTED, "dataset info", r->folder,
                        "feature '%s' has %zu dimensions, more than %d", name, rank,
                        (int)STK_MAX_RANK);
    shape->rank = (int)rank;
    for (size_t i = 0; i < rank; i++) {
        const int64_t dim = stk_json_integer(stk_json_at(dims, i), -1);
        shape->dim[i] = dim < 0 ? -1 : dim;
    }
    return STK_OK;
}

/* Types we have no tensors of are read as what an Example holds them in. */
static stk_dtype read_dtype(const stk_json_value *message)
{
    static const struct {
        const char *name;
        stk_dtype   dtype;
    } others[] = {{"string", STK_DTYPE_BYTES}, {"str", STK_DTYPE_BYTES},
                  {"object", STK_DTYPE_BYTES}, {"int16", STK_DTYPE_I64},
                  {"uint16", STK_DTYPE_I64},   {"uint32", STK_DTYPE_I64},
                  {"uint64", STK_DTYPE_I64},   {"bfloat16", STK_DTYPE_BF16}};
    const char *name = stk_json_text(stk_json_get(message, "dtype"), "");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (!strcmp(name, others[i].name)) return others[i].dtype;
    return stk_dtype_from_name(name);
}

static void read_encoding(stk_feature_info *feature, const stk_json_value *value)
{
    const char *text = stk_json_text(value, "");
    if (strlen(text) < sizeof feature->encoding) strcpy(feature->encoding, text);
}

static stk_status copy_names(const reading *r, stk_feature_info *feature, char *const *names,
                             stk_error *err)
{
    feature->class_names = calloc(feature->class_count, sizeof *feature->class_names);
    if (!feature->class_names) return no_memory(r, err);
    for (size_t i = 0; i < feature->class_count; i++) {
        feature->class_names[i] = strdup(names[i]);
        if (!feature->class_names[i]) return no_memory(r, err);
    }
    return STK_OK;
}

static stk_status take_names(const reading *r, stk_feature_info *feature, char *const *names,
                             size_t count, stk_error *err)
{
    if (feature->class_count && feature->class_count != count)
        return stk_fail(err, STK_E_FORMAT, "dataset info", (const char *)r->path.data,
                        "has %zu class names, but " STK_FEATURES_FILE
                        " says that '%s' has %zu classes",
                        count, feature->name, feature->class_count);
    feature->class_count = count;
    return count ? copy_names(r, feature, names, err) : STK_OK;
}

static bool is_about_file(stk_status st)
{
    return st && st != STK_E_NOMEM && st != STK_E_CANCELLED;
}

/* That file is not to be removed: classes are matched by their names. */
static stk_status fail_names(reading *r, stk_status st, const char *label, stk_error *err)
{
    char why[sizeof err->message];
    memcpy(why, err->message, sizeof why);
    r->told = true;
    return stk_fail(err, st, "dataset info", (const char *)r->path.data,
                    "%.150s; mend the file: the classes of '%.40s' have their names from it", why,
                    label);
}

/* Class names stand in a file of their own, one a line; it may be missing. */
static stk_status read_class_names(reading *r, stk_feature_info *feature, const char *outer,
                                   const char *key, stk_error *err)
{
    stk_arena arena;
    char    **names;
    size_t    count;
    STK_TRY(stk_labels_file_name(&r->text, outer, key, err));
    STK_TRY(stk_path_join(&r->path, r->folder, (const char *)r->text.data, err));
    stk_arena_init(&arena, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_lines_read(r->fs, (const char *)r->path.data, &arena, &names, &count, err);
    if (!st)
        st = take_names(r, feature, names, count, err);
    else if (st == STK_E_NOTFOUND)
        st = stk_path_check_missing(r->fs, (const char *)r->path.data, err);
    stk_arena_release(&arena);
    return is_about_file(st) ? fail_names(r, st, feature->name, err) : st;
}

static stk_status read_label(reading *r, stk_feature_info *feature, const stk_json_value *message,
                             const char *outer, const char *key, stk_error *err)
{
    const int64_t classes = stk_json_integer(stk_json_get(message, "numClasses"), 0);
    if (classes < 0 || classes > CLASSES_MAX)
        return stk_fail(err, STK_E_FORMAT, "dataset info", r->folder,
                        "'%s' has %" PRId64 " classes, not 0 to %d", feature->name, classes,
                        (int)CLASSES_MAX);
    feature->meaning = STK_MEANING_LABEL;
    feature->dtype = STK_DTYPE_I64;
    feature->class_count = (size_t)classes;
    return read_class_names(r, feature, outer, key, err);
}

/* One feature that is none of dictionaries. Kinds not known here are tensors of the shape and type
 * they state. */
static stk_status read_leaf(reading *r, const stk_json_value *node, const char *name,
                            const char *outer, const char *key, stk_error *err)
{
    const stk_json_value *image = stk_json_get(node, "image");
    const stk_json_value *label = stk_json_get(node, "classLabel");
    const stk_json_value *tensor = stk_json_get(node, "tensor");
    stk_feature_info     *feature = NULL;
    STK_TRY(add_feature(r, name, &feature, err));
    if (label) return read_label(r, feature, label, outer, key, err);
    if (stk_json_get(node, "text")) {
        feature->meaning = STK_MEANING_TEXT;
        feature->dtype = STK_DTYPE_BYTES;
        return STK_OK;
    }
    if (image) {
        feature->meaning = STK_MEANING_IMAGE;
        feature->dtype = STK_DTYPE_BYTES;
        read_encoding(feature, stk_json_get(image, "encodingFormat"));
        return read_shape(r, image, &feature->shape, name, err);
    }
    for (size_t i = 0; !tensor && i < stk_json_count(node); i++)
        if (stk_json_type_of(stk_json_at(node, i)) == STK_JSON_OBJECT)
            tensor = stk_json_at(node, i);
    feature->meaning = STK_MEANING_TENSOR;
    feature->dtype = read_dtype(tensor);
    const char *encoding = stk_json_text(stk_json_get(tensor, "encoding"), "none");
    if (strcmp(encoding, "none")) read_encoding(feature, stk_json_get(tensor, "encoding"));
    return read_shape(r, tensor, &feature->shape, name, err);
}

static stk_status read_node(reading *r, const stk_json_value *node, const char *name,
                            const char *outer, const char *key, int depth, stk_error *err);

/* The features of a dictionary; those inside "name" are called "name/key", as Examples call them.
 */
static stk_status read_dictionary(reading *r, const stk_json_value *features, const char *name,
                                  int depth, stk_error *err)
{
    stk_blob   joined;
    stk_status st = STK_OK;
    stk_blob_init(&joined, NULL, STK_MEMORY_INDEX);
    for (size_t i = 0; i < stk_json_count(features) && !st; i++) {
        const char *key = stk_json_key_at(features, i);
        st = stk_path_join(&joined, name, key, err);
        if (!st)
            st = read_node(r, stk_json_at(features, i), (const char *)joined.data, name, key, depth,
                           err);
    }
    stk_blob_release(&joined);
    return st;
}

/* A sequence of something is that with one more dimension. */
static stk_status read_sequence(reading *r, const stk_json_value *sequence, const char *name,
                                const char *outer, const char *key, int depth, stk_error *err)
{
    const size_t  first = r->info->feature_count;
    const int64_t length = stk_json_integer(stk_json_get(sequence, "length"), -1);
    STK_TRY(read_node(r, stk_json_get(sequence, "feature"), name, outer, key, depth, err));
    for (size_t i = first; i < r->info->feature_count; i++) {
        stk_feature_info *feature = &r->info->features[i];
        stk_shape         inner = feature->shape;
        if (inner.rank == STK_MAX_RANK)
            return stk_fail(err, STK_E_UNSUPPORTED, "dataset info", r->folder,
                            "feature '%s' has more than %d dimensions", feature->name,
                            (int)STK_MAX_RANK);
        feature->shape.rank = inner.rank + 1;
        feature->shape.dim[0] = length < 0 ? -1 : length;
        memcpy(feature->shape.dim + 1, inner.dim, (size_t)inner.rank * sizeof inner.dim[0]);
        feature->meaning = STK_MEANING_TENSOR;
    }
    return STK_OK;
}

static stk_status read_node(reading *r, const stk_json_value *node, const char *name,
                            const char *outer, const char *key, int depth, stk_error *err)
{
    const stk_json_value *dictionary = stk_json_get(node, "featuresDict");
    const stk_json_value *sequence = stk_json_get(node, "sequence");
    if (depth > DEEPEST)
        return stk_fail(err, STK_E_LIMIT, "dataset info", r->folder,
                        "features lie more than %d deep in each other", (int)DEEPEST);
    if (dictionary)
        return read_dictionary(r, stk_json_get(dictionary, "features"), name, depth + 1, err);
    if (sequence) return read_sequence(r, sequence, name, outer, key, depth + 1, err);
    return read_leaf(r, node, name, outer, key, err);
}

/* The form of before 2022 ("type" and "content") has no "featuresDict" and gives no features. */
static stk_status read_features(reading *r, const stk_json_value *root, stk_error *err)
{
    if (!stk_json_get(root, "featuresDict")) return STK_OK;
    return read_node(r, root, "", "", "", 0, err);
}

static stk_status read_count(const reading *r, const stk_json_value *value, const char *what,
                             uint64_t *out, stk_error *err)
{
    const int64_t number = stk_json_integer(value, value ? -1 : 0);
    if (number < 0)
        return stk_fail(err, STK_E_FORMAT, "dataset info", r->folder,
                        STK_INFO_FILE ": %s is not a number of 0 or more", what);
    *out = (uint64_t)number;
    return STK_OK;
}

static stk_status read_split(reading *r, const stk_json_value *node, stk_split_info *split,
                             stk_error *err)
{
    const stk_json_value *lengths = stk_json_get(node, "shardLengths");
    if (stk_json_type_of(node) != STK_JSON_OBJECT ||
        (lengths && stk_json_type_of(lengths) != STK_JSON_ARRAY))
        return stk_fail(err, STK_E_FORMAT, "dataset info", r->folder,
                        "an entry of \"splits\" is no object with a list of \"shardLengths\"");
    split->name = strdup(stk_json_text(stk_json_get(node, "name"), ""));
    split->shard_count = stk_json_count(lengths);
    split->shard_lengths = calloc(split->shard_count ? split->shard_count : 1, sizeof(uint64_t));
    if (!split->name || !split->shard_lengths) return no_memory(r, err);
    STK_TRY(read_count(r, stk_json_get(node, "numBytes"), "numBytes", &split->bytes, err));
    for (size_t i = 0; i < split->shard_count; i++)
        STK_TRY(read_count(r, stk_json_at(lengths, i), "a shard's length", &split->shard_lengths[i],
                           err));
    return STK_OK;
}

static stk_status copy_text(const reading *r, const stk_json_value *value, char **out,
                            stk_error *err)
{
    const char *text = stk_json_text(value, NULL);
    if (!text) return STK_OK;
    *out = strdup(text);
    return *out ? STK_OK : no_memory(r, err);
}

static stk_status read_info(reading *r, const stk_json_value *root, stk_error *err)
{
    const stk_json_value *splits = stk_json_get(root, "splits");
    const size_t          count = stk_json_count(splits);
    if (splits && stk_json_type_of(splits) != STK_JSON_ARRAY)
        return stk_fail(err, STK_E_FORMAT, "dataset info", r->folder, "\"splits\" is no list");
    STK_TRY(copy_text(r, stk_json_get(root, "name"), &r->info->name, err));
    STK_TRY(copy_text(r, stk_json_get(root, "version"), &r->info->version, err));
    r->info->splits = calloc(count ? count : 1, sizeof *r->info->splits);
    if (!r->info->splits) return no_memory(r, err);
    for (size_t i = 0; i < count; i++) {
        r->info->split_count = i + 1;
        STK_TRY(read_split(r, stk_json_at(splits, i), &r->info->splits[i], err));
    }
    return STK_OK;
}

static stk_status take_part(reading *r, const char *name,
                            stk_status (*take)(reading *, const stk_json_value *, stk_error *),
                            bool *found, stk_error *err)
{
    stk_json_document *doc;
    STK_TRY(parse_file(r, name, &doc, err));
    if (!doc) return STK_OK;
    *found = true;
    const stk_json_value *root = stk_json_root(doc);
    const bool            valid = stk_json_type_of(root) == STK_JSON_OBJECT && stk_json_count(root);
    const stk_status      st = valid ? take(r, root, err)
                                     : stk_fail(err, STK_E_FORMAT, "dataset info", name,
                                                "it is no JSON object with a description");
    stk_json_document_free(doc);
    return st;
}

/* Without its description data would be read with other fields, buffers and splits: an unusable
 * file is always an error. */
static stk_status read_part(reading *r, const char *name,
                            stk_status (*take)(reading *, const stk_json_value *, stk_error *),
                            bool *found, stk_error *err)
{
    const stk_status st = take_part(r, name, take, found, err);
    char             why[sizeof err->message];
    if (!is_about_file(st) || r->told) return st;
    memcpy(why, err->message, sizeof why);
    if (stk_path_join(&r->path, r->folder, name, err)) return err->status;
    return stk_fail(err, st, "dataset info", (const char *)r->path.data,
                    "%.150s; mend the file, or remove it if it is not about this data", why);
}

stk_status stk_dataset_info_read(stk_dataset_info *out, const stk_filesystem *fs,
                                 const char *folder, stk_error *err)
{
    reading r = {.fs = fs, .folder = folder, .info = out};
    bool    found = false;
    *out = (stk_dataset_info){0};
    stk_error unasked;
    if (!err) err = &unasked; /* helpers pass on the status it holds */
    stk_blob_init(&r.path, NULL, STK_MEMORY_INDEX);
    stk_blob_init(&r.text, NULL, STK_MEMORY_INDEX);
    stk_status st = read_part(&r, STK_FEATURES_FILE, read_features, &found, err);
    if (!st) st = read_part(&r, STK_INFO_FILE, read_info, &found, err);
    if (!st && !found)
        st = stk_fail(err, STK_E_NOTFOUND, "dataset info", folder,
                      "has neither " STK_FEATURES_FILE " nor " STK_INFO_FILE);
    stk_blob_release(&r.path);
    stk_blob_release(&r.text);
    if (st) stk_dataset_info_release(out);
    return st;
}
