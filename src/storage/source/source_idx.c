/* IDX files: pairs of images and labels as MNIST has them, or one file of any numbers. */
#include "storage/file/paths.h"
#include "storage/file/split_name.h"
#include "storage/source/idx.h"
#include "storage/source/source_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES_MAX = 65536, CLASSES_MIN = 10, LABELS_AT_ONCE = 65536 };

/* One file of items with, or without, its file of labels. */
typedef struct part {
    const char *name;       /* of the items' file, relative to the source */
    const char *path;       /* of the same file, for messages */
    const char *label_name; /* NULL when there is none */
    const char *label_path; /* of the same file, for messages */
    const char *split;
    uint32_t    split_index;
    stk_idx     items;
    int32_t    *labels; /* items.count of them, in the arena; NULL when there are none */
    uint64_t    first;  /* number of its first item in the source */
} part;

typedef struct idx_source {
    stk_source  source;
    const char *folder; /* that names are relative to */
    part       *parts;
    size_t      part_count; /* parts whose struct is in use */
    int64_t     largest_label;
} idx_source;

/* Everything the listing of a folder found, before pairs are made. */
typedef struct file_names {
    stk_source *source;
    stk_blob    names; /* char *[] */
} file_names;

static bool is_idx_name(const char *name)
{
    return strstr(name, "-idx") || strstr(name, ".idx");
}

static bool claims_entry(const char *name, stk_file_kind kind)
{
    return kind == STK_FILE_REGULAR && is_idx_name(name) && strstr(name, "images");
}

static bool claims_file(const char *name, stk_bytes head)
{
    return is_idx_name(name) || stk_idx_is(head);
}

static stk_status take_name(void *context, const char *name, const stk_file_info *info,
                            stk_error *err)
{
    file_names *found = context;
    if (name[0] == '.' || info->kind != STK_FILE_REGULAR || !is_idx_name(name)) return STK_OK;
    char *copy = stk_arena_text(&found->source->arena, name, strlen(name), err);
    if (!copy) return err->status;
    return stk_blob_append(&found->names, &copy, sizeof copy, err);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "train" of "emnist-train-images-idx3-ubyte"; MNIST calls its test set "t10k". */
static stk_status name_split(stk_source *source, part *p, stk_error *err)
{
    const char *images = strstr(p->name, "images");
    size_t      end = images ? (size_t)(images - p->name) : 0;
    while (end && strchr("-_.", p->name[end - 1]))
        end--;
    size_t start = end;
    while (start && !strchr("-_.", p->name[start - 1]))
        start--;
    const char *text = p->name + start;
    size_t      length = end - start;
    if (length == 4 && !memcmp(text, "t10k", 4))
        text = "test";
    else if (!stk_path_is_split(text, length))
        text = "train", length = 5;
    p->split = stk_arena_text(&source->arena, text, length, err);
    return p->split ? STK_OK : err->status;
}

/* The name that belongs to an images file: "images" becomes "labels", "idx3" "idx1". */
static stk_status label_name(stk_source *source, const char *images, char **out, stk_error *err)
{
    *out = stk_arena_text(&source->arena, images, strlen(images), err);
    if (!*out) return err->status;
    char *word = strstr(*out, "images"), *rank = strstr(*out, "idx");
    if (word) memcpy(word, "labels", 6);
    if (rank && rank[3]) rank[3] = '1';
    return STK_OK;
}

/* "name.gz" for "name" and the other way round: labels may be packed when images are not. */
static stk_status toggle_gzip(stk_source *source, const char *name, char **out, stk_error *err)
{
    const size_t length = strlen(name);
    const bool   packed = stk_path_ends_in(name, ".gz");
    *out = stk_arena_alloc(&source->arena, length + 4, err);
    if (!*out) return err->status;
    snprintf(*out, length + 4, "%.*s%s", (int)(packed ? length - 3 : length), name,
             packed ? "" : ".gz");
    return STK_OK;
}

static stk_status find_labels(idx_source *idx, part *p, stk_error *err)
{
    stk_source   *source = &idx->source;
    stk_file_info info;
    stk_blob      path;
    char         *names[2] = {NULL, NULL};
    if (!strstr(p->name, "images")) return STK_OK;
    STK_TRY(label_name(source, p->name, &names[0], err));
    STK_TRY(toggle_gzip(source, names[0], &names[1], err));
    stk_blob_init(&path, source->arena.ledger, STK_MEMORY_INDEX);
    stk_status st = STK_OK;
    for (int i = 0; i < 2 && !p->label_name && !st; i++) {
        st = stk_path_join(&path, idx->folder, names[i], err);
        if (!st) st = stk_path_info(source->fs, (const char *)path.data, &info, err);
        if (!st) p->label_name = names[i];
        if (st == STK_E_NOTFOUND) st = STK_OK;
    }
    stk_blob_release(&path);
    return st;
}

static stk_status check_label(idx_source *idx, const part *p, uint64_t record, int64_t label,
                              stk_error *err)
{
    if (label < 0 || label > INT32_MAX)
        return stk_fail(err, STK_E_FORMAT, "idx", p->label_path,
                        "label %" PRIu64 " is %" PRId64 ", not a class number", record, label);
    if (label > idx->largest_label) idx->largest_label = label;
    return STK_OK;
}

static stk_status copy_labels(idx_source *idx, part *p, const stk_idx *labels, stk_blob *scratch,
                              stk_error *err)
{
    for (uint64_t first = 0; first < labels->count; first += LABELS_AT_ONCE) {
        const uint64_t left = labels->count - first;
        const uint64_t count = left < LABELS_AT_ONCE ? left : LABELS_AT_ONCE;
        const void    *values;
        STK_TRY(stk_idx_read(labels, first, count, scratch, &values, err));
        for (uint64_t i = 0; i < count; i++) {
            const int64_t label = labels->dtype == STK_DTYPE_U8 ? ((const uint8_t *)values)[i]
                                                                : ((const int32_t *)values)[i];
            STK_TRY(check_label(idx, p, first + i, label, err));
            p->labels[first + i] = (int32_t)label;
        }
    }
    return STK_OK;
}

static stk_status check_labels(const part *p, const stk_idx *labels, stk_error *err)
{
    if (labels->shape.rank != 0 ||
        (labels->dtype != STK_DTYPE_U8 && labels->dtype != STK_DTYPE_I32))
        return stk_fail(err, STK_E_FORMAT, "idx", p->label_path,
                        "labels are one row of whole numbers, but this file has %d dimensions%s",
                        labels->shape.rank + 1, labels->shape.rank ? "" : " of fractions");
    if (labels->count == p->items.count) return STK_OK;
    return stk_fail(err, STK_E_FORMAT, "idx", p->label_path,
                    "%" PRIu64 " labels, but '%s' has %" PRIu64 " items", labels->count, p->name,
                    p->items.count);
}

static stk_status load_labels(idx_source *idx, part *p, const char *path, stk_error *err)
{
    stk_source *source = &idx->source;
    stk_idx     labels;
    stk_blob    scratch;
    p->label_path = stk_arena_text(&source->arena, path, strlen(path), err);
    if (!p->label_path) return err->status;
    STK_TRY(stk_idx_open(&labels, source->fs, path, source->arena.ledger, err));
    stk_blob_init(&scratch, source->arena.ledger, STK_MEMORY_INDEX);
    stk_status st = check_labels(p, &labels, err);
    if (!st) {
        p->labels = stk_arena_array(&source->arena, labels.count, sizeof *p->labels, err);
        st = p->labels ? copy_labels(idx, p, &labels, &scratch, err) : err->status;
    }
    stk_blob_release(&scratch);
    stk_idx_close(&labels);
    return st;
}

static stk_status open_part(idx_source *idx, part *p, stk_error *err)
{
    stk_source *source = &idx->source;
    stk_blob    path;
    STK_TRY(name_split(source, p, err));
    STK_TRY(find_labels(idx, p, err));
    stk_blob_init(&path, source->arena.ledger, STK_MEMORY_INDEX);
    stk_status st = stk_path_join(&path, idx->folder, p->name, err);
    if (!st) {
        p->path = stk_arena_text(&source->arena, (const char *)path.data, path.size, err);
        if (!p->path) st = err->status;
    }
    if (!st) st = stk_idx_open(&p->items, source->fs, p->path, source->arena.ledger, err);
    if (!st && p->label_name) {
        st = stk_path_join(&path, idx->folder, p->label_name, err);
        if (!st) st = load_labels(idx, p, (const char *)path.data, err);
    }
    stk_blob_release(&path);
    return st;
}

/* All parts must be alike, and each a split of its own. */
static stk_status check_part(const idx_source *idx, size_t index, stk_error *err)
{
    const part *p = &idx->parts[index], *first = &idx->parts[0];
    if (!p->labels != !first->labels) {
        const part *bare = p->labels ? first : p;
        return stk_fail(err, STK_E_NOTFOUND, "idx", idx->source.path,
                        "'%s' has no file of labels beside it, but '%s' has", bare->name,
                        p->labels ? p->name : first->name);
    }
    if (p->items.dtype != first->items.dtype || p->items.shape.rank != first->items.shape.rank ||
        memcmp(p->items.shape.dim, first->items.shape.dim, sizeof p->items.shape.dim))
        return stk_fail(err, STK_E_SHAPE, "idx", idx->source.path,
                        "items of '%s' have another type or shape than those of '%s'", p->name,
                        first->name);
    for (size_t i = 0; i < index; i++)
        if (!strcmp(idx->parts[i].split, p->split))
            return stk_fail(err, STK_E_FORMAT, "idx", idx->source.path,
                            "'%s' and '%s' are both named as the %s split; give one of the files "
                            "instead of the folder",
                            idx->parts[i].name, p->name, p->split);
    return STK_OK;
}

static stk_status open_parts(idx_source *idx, char *const *names, size_t count, stk_error *err)
{
    stk_source *source = &idx->source;
    const char *splits[64];
    idx->parts = stk_arena_array(&source->arena, count, sizeof *idx->parts, err);
    if (!idx->parts) return err->status;
    for (size_t i = 0; i < count; i++) {
        part *p = &idx->parts[i];
        *p = (part){.name = names[i], .split_index = (uint32_t)i, .first = source->count};
        idx->part_count = i + 1;
        STK_TRY(open_part(idx, p, err));
        STK_TRY(check_part(idx, i, err));
        source->count += p->items.count;
        splits[i] = p->split;
    }
    return stk_source_set_splits(source, splits, count, err);
}

static stk_status open_folder(idx_source *idx, stk_error *err)
{
    stk_source *source = &idx->source;
    file_names  found = {.source = source};
    idx->folder = source->path;
    stk_blob_init(&found.names, source->arena.ledger, STK_MEMORY_INDEX);
    stk_status st = stk_path_list(source->fs, source->path, STK_LIST_KINDS, take_name, &found, err);
    char     **names = (char **)(void *)found.names.data;
    size_t     all = found.names.size / sizeof *names, count = 0;
    for (size_t i = 0; i < all; i++)
        if (strstr(names[i], "images")) names[count++] = names[i];
    if (!st && !count)
        st = stk_fail(err, STK_E_NOTFOUND, "idx", source->path,
                      "no images here: looked for names such as train-images-idx3-ubyte and "
                      "train-images-idx3-ubyte.gz");
    if (!st && count > 64)
        st = stk_fail(err, STK_E_LIMIT, "idx", source->path,
                      "%zu files of images are more than 64; give one of them", count);
    if (!st) qsort(names, count, sizeof *names, compare_names);
    if (!st) st = open_parts(idx, names, count, err);
    stk_blob_release(&found.names);
    return st;
}

static stk_status open_file(idx_source *idx, stk_error *err)
{
    stk_source *source = &idx->source;
    char       *name = (char *)stk_path_base(source->path);
    idx->folder = stk_arena_text(&source->arena, source->path, (size_t)(name - source->path), err);
    if (!idx->folder) return err->status;
    return open_parts(idx, &name, 1, err);
}

static bool is_fashion(const char *path)
{
    return strcasestr(path, "fashion") != NULL;
}

static stk_status name_classes(idx_source *idx, stk_feature_info *label, stk_error *err)
{
    static const char *const fashion[] = {"T-shirt/top", "Trouser",   "Pullover", "Dress",
                                          "Coat",        "Sandal",    "Shirt",    "Sneaker",
                                          "Bag",         "Ankle boot"};
    const int64_t            largest = idx->largest_label;
    if (largest >= CLASSES_MAX) return STK_OK; /* numbers, but hardly classes with names */
    STK_TRY(stk_source_number_classes(
        &idx->source, label, largest < CLASSES_MIN ? CLASSES_MIN : (size_t)largest + 1, err));
    if (label->class_count != CLASSES_MIN || !is_fashion(idx->source.path)) return STK_OK;
    for (size_t i = 0; i < CLASSES_MIN; i++) {
        label->class_names[i] =
            stk_arena_text(&idx->source.arena, fashion[i], strlen(fashion[i]), err);
        if (!label->class_names[i]) return err->status;
    }
    return STK_OK;
}

static stk_status describe(idx_source *idx, stk_error *err)
{
    stk_source       *source = &idx->source;
    const stk_idx    *items = &idx->parts[0].items;
    stk_feature_info *data, *label;
    const bool        image =
        items->dtype == STK_DTYPE_U8 && (items->shape.rank == 2 || items->shape.rank == 3);
    STK_TRY(stk_source_reserve_features(source, 2, err));
    STK_TRY(stk_source_add_feature(source, image ? "image" : "data", STK_MEANING_TENSOR,
                                   items->dtype, &data, err));
    data->shape = items->shape;
    if (image && data->shape.rank == 2) { /* height and width of one channel */
        data->shape.rank = 3;
        data->shape.dim[2] = 1;
    }
    if (!idx->parts[0].labels) return STK_OK;
    STK_TRY(stk_source_add_feature(source, "label", STK_MEANING_LABEL, STK_DTYPE_I64, &label, err));
    return name_classes(idx, label, err);
}

static stk_status open_idx(stk_source *source, stk_error *err)
{
    idx_source *idx = (idx_source *)source;
    STK_TRY(source->info.kind == STK_FILE_DIRECTORY ? open_folder(idx, err) : open_file(idx, err));
    return describe(idx, err);
}

static void close_idx(stk_source *source)
{
    idx_source *idx = (idx_source *)source;
    for (size_t i = 0; i < idx->part_count; i++)
        stk_idx_close(&idx->parts[i].items);
}

static const part *part_of(const idx_source *idx, uint64_t index)
{
    size_t i = 0;
    while (i + 1 < idx->part_count && index >= idx->parts[i + 1].first)
        i++;
    return &idx->parts[i];
}

static void describe_item(const stk_source *source, uint64_t index, stk_source_item *out)
{
    const part    *p = part_of((const idx_source *)source, index);
    const uint64_t record = index - p->first;
    *out = (stk_source_item){.name = p->name,
                             .record = record,
                             .bytes = p->items.stored_bytes,
                             .modified_ns = p->items.modified_ns,
                             .label = p->labels ? p->labels[record] : -1,
                             .split = p->split_index};
}

static stk_status read_item(stk_source_cursor *cursor, uint64_t index, stk_error *err)
{
    const part    *p = part_of((const idx_source *)cursor->source, index);
    const uint64_t record = index - p->first;
    const void    *values;
    STK_TRY(stk_idx_read(&p->items, record, 1, &cursor->content, &values, err));
    cursor->fields[0].data = values;
    cursor->fields[0].count = p->items.values;
    if (p->labels) cursor->values[1].integer = p->labels[record];
    cursor->sample.from =
        (stk_sample_origin){.file = p->path,
                            .record = record,
                            .offset = p->items.offset + record * p->items.stored_bytes};
    return STK_OK;
}

const stk_importer stk_importer_idx = {
    .source_bytes = sizeof(idx_source),
    .cursor_bytes = sizeof(stk_source_cursor),
    .claims_entry = claims_entry,
    .claims_file = claims_file,
    .open = open_idx,
    .close = close_idx,
    .item = describe_item,
    .read = read_item,
};
