/* Images in folders: a class per folder, splits above them where there are any. */
#include "storage/file/paths.h"
#include "storage/source/class_path.h"
#include "storage/source/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEEPEST = 32,       /* folders below each other; links may lead round in circles */
    CANCEL_EVERY = 256, /* entries between two looks at the token */
};

typedef struct item {
    stk_placed at;
    uint64_t   bytes;
    int64_t    modified_ns;
} item;

typedef struct folder_source {
    stk_source source;
    stk_blob   items;     /* item[] */
    bool       has_label; /* then the fields are image, label, filename; else image, filename */
} folder_source;

/* One entry of the folder being listed. */
typedef struct entry {
    const char   *name; /* a folder's ends in '/', so that entries sort as whole paths do */
    stk_file_info info;
} entry;

typedef struct walk {
    folder_source *folder;
    stk_arena      names;   /* of the folders on the way down */
    stk_blob      *entries; /* entry[] of the folder being listed */
    stk_blob       relative, full;
    uint64_t       looked_at; /* entries of all folders */
    uint64_t       others;    /* files that are no images */
} walk;

static bool claims_entry(const char *name, stk_file_kind kind)
{
    return kind == STK_FILE_DIRECTORY || stk_path_is_image(name);
}

static stk_status add_entry(void *context, const char *name, const stk_file_info *info,
                            stk_error *err)
{
    walk *w = context;
    if (w->looked_at++ % CANCEL_EVERY == 0)
        STK_TRY(stk_cancel_check(w->folder->source.cancel, "source", err));
    if (name[0] == '.') return STK_OK;
    if (info->kind != STK_FILE_DIRECTORY && !stk_path_is_image(name)) {
        w->others++;
        return STK_OK;
    }
    const size_t length = strlen(name);
    const bool   folder = info->kind == STK_FILE_DIRECTORY;
    char        *copy = stk_arena_alloc(&w->names, length + 2, err);
    if (!copy) return err->status;
    memcpy(copy, name, length + 1);
    if (folder) memcpy(copy + length, "/", 2);
    return stk_blob_append(w->entries, &(entry){copy, *info}, sizeof(entry), err);
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

/* A link to nothing, or an image that went while the folder was listed: says what is the matter, or
 * that it is there after all. */
static stk_status look_again(walk *w, const char *path, stk_file_info *info, stk_error *err)
{
    const stk_source *source = &w->folder->source;
    STK_TRY(stk_path_join(&w->full, source->path, path, err));
    return stk_path_info(source->fs, (const char *)w->full.data, info, err);
}

/* Sizes come with the listing, so that a source knows how much work it is and whether a file
 * changed. */
static stk_status add_file(walk *w, const char *name, stk_file_info info, stk_error *err)
{
    stk_source  *source = &w->folder->source;
    const size_t folder_length = w->relative.size, name_length = strlen(name);
    char        *path = stk_arena_alloc(&source->arena, folder_length + name_length + 1, err);
    if (!path) return err->status;
    if (folder_length) memcpy(path, w->relative.data, folder_length);
    memcpy(path + folder_length, name, name_length + 1);
    if (info.kind != STK_FILE_REGULAR) STK_TRY(look_again(w, path, &info, err));
    if (info.kind != STK_FILE_REGULAR) {
        w->others++;
        return STK_OK;
    }
    const item found = {{path, -1, 0}, info.bytes, info.modified_ns};
    return stk_blob_append(&w->folder->items, &found, sizeof found, err);
}

static stk_status list_below(walk *w, int depth, stk_error *err);

static stk_status enter(walk *w, const char *name, int depth, stk_error *err)
{
    const size_t before = w->relative.size;
    STK_TRY(stk_blob_append(&w->relative, name, strlen(name), err));
    STK_TRY(list_below(w, depth + 1, err));
    w->relative.size = before;
    return STK_OK;
}

static stk_status take_entries(walk *w, const stk_blob *entries, int depth, stk_error *err)
{
    entry       *all = (entry *)(void *)entries->data;
    const size_t count = entries->size / sizeof *all;
    if (count) qsort(all, count, sizeof *all, compare_entries);
    for (size_t i = 0; i < count; i++)
        STK_TRY(all[i].info.kind == STK_FILE_DIRECTORY
                    ? enter(w, all[i].name, depth, err)
                    : add_file(w, all[i].name, all[i].info, err));
    return STK_OK;
}

static stk_status list_below(walk *w, int depth, stk_error *err)
{
    const stk_source *source = &w->folder->source;
    stk_blob          entries;
    STK_TRY(stk_blob_append(&w->relative, "", 1, err)); /* a terminator, for the join only */
    w->relative.size--;
    STK_TRY(stk_path_join(&w->full, source->path, (const char *)w->relative.data, err));
    if (depth > DEEPEST)
        return stk_fail(err, STK_E_LIMIT, "source", (const char *)w->full.data,
                        "folders lie more than %d deep here; does a link lead back up?", DEEPEST);
    stk_blob_init(&entries, source->arena.ledger, STK_MEMORY_INDEX);
    w->entries = &entries;
    stk_status st =
        stk_path_list(source->fs, (const char *)w->full.data, STK_LIST_INFO, add_entry, w, err);
    if (!st) st = take_entries(w, &entries, depth, err);
    stk_blob_release(&entries);
    return st;
}

static stk_status list_images(folder_source *folder, uint64_t *others, stk_error *err)
{
    stk_ledger *ledger = folder->source.arena.ledger;
    walk        w = {.folder = folder};
    stk_arena_init(&w.names, ledger, STK_MEMORY_INDEX);
    stk_blob_init(&w.relative, ledger, STK_MEMORY_INDEX);
    stk_blob_init(&w.full, ledger, STK_MEMORY_INDEX);
    const stk_status st = list_below(&w, 0, err);
    *others = w.others;
    stk_blob_release(&w.full);
    stk_blob_release(&w.relative);
    stk_arena_release(&w.names);
    return st;
}

static const item *item_at(const folder_source *folder, uint64_t index)
{
    return (const item *)(const void *)folder->items.data + index;
}

/* The encoding that all images have by their names, or "". */
static const char *common_encoding(const folder_source *folder)
{
    const char *encoding = stk_path_image_encoding(item_at(folder, 0)->at.path);
    for (uint64_t i = 1; i < folder->source.count; i++)
        if (strcmp(encoding, stk_path_image_encoding(item_at(folder, i)->at.path))) return "";
    return encoding;
}

static stk_status describe(folder_source *folder, const stk_classes *classes, stk_error *err)
{
    stk_source       *source = &folder->source;
    stk_feature_info *image, *label;
    STK_TRY(stk_source_reserve_features(source, 3, err));
    STK_TRY(
        stk_source_add_feature(source, "image", STK_MEANING_IMAGE, STK_DTYPE_BYTES, &image, err));
    strcpy(image->encoding, common_encoding(folder));
    folder->has_label = classes->count > 0;
    if (folder->has_label) {
        STK_TRY(
            stk_source_add_feature(source, "label", STK_MEANING_LABEL, STK_DTYPE_I64, &label, err));
        label->class_names = classes->names;
        label->class_count = classes->count;
    }
    return stk_source_add_feature(source, "image/filename", STK_MEANING_TEXT, STK_DTYPE_BYTES, NULL,
                                  err);
}

static stk_status open_folder(stk_source *source, stk_error *err)
{
    folder_source *folder = (folder_source *)source;
    uint64_t       others;
    stk_classes    classes;
    stk_blob_init(&folder->items, source->arena.ledger, STK_MEMORY_INDEX);
    STK_TRY(list_images(folder, &others, err));
    source->count = folder->items.size / sizeof(item);
    if (!source->count)
        return stk_fail(err, STK_E_NOTFOUND, "source", source->path,
                        "no images here: looked for .jpg .jpeg .jpe .png .webp .gif .bmp in the "
                        "folder and below, found %" PRIu64 " other files",
                        others);
    STK_TRY(stk_classes_from_paths(source, folder->items.data, sizeof(item), source->count, false,
                                   &classes, err));
    return describe(folder, &classes, err);
}

static void close_folder(stk_source *source)
{
    stk_blob_release(&((folder_source *)source)->items);
}

static void describe_item(const stk_source *source, uint64_t index, stk_source_item *out)
{
    const item *found = item_at((const folder_source *)source, index);
    *out = (stk_source_item){.name = found->at.path,
                             .bytes = found->bytes,
                             .modified_ns = found->modified_ns,
                             .label = found->at.label,
                             .split = found->at.split};
}

static stk_status read_item(stk_source_cursor *cursor, uint64_t index, stk_error *err)
{
    const folder_source *folder = (const folder_source *)cursor->source;
    const item          *found = item_at(folder, index);
    size_t               field = 0;
    STK_TRY(stk_source_read_file(cursor, folder->source.path, found->at.path, found->bytes, err));
    cursor->values[field++].bytes = stk_blob_bytes(&cursor->content);
    if (folder->has_label) cursor->values[field++].integer = found->at.label;
    cursor->values[field].bytes = stk_bytes_text(found->at.path);
    cursor->sample.from = (stk_provenance){.file = (const char *)cursor->path.data};
    return STK_OK;
}

const stk_importer stk_importer_folder = {
    .source_bytes = sizeof(folder_source),
    .cursor_bytes = sizeof(stk_source_cursor),
    .claims_entry = claims_entry,
    .open = open_folder,
    .close = close_folder,
    .item = describe_item,
    .read = read_item,
};
