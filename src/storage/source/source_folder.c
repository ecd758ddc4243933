/* Images in folders: a class per folder, splits above them where there are any. */
#include "storage/file/paths.h"
#include "storage/source/class_path.h"
#include "storage/source/inside.h"
#include "storage/source/source_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEEPEST = 32,       /* folders below each other */
    CANCEL_EVERY = 256, /* entries between two looks at the token */
};

typedef struct item {
    stk_path_class at;
    uint64_t       bytes;
    int64_t        modified_ns;
} item;

typedef struct folder_source {
    stk_source source;
    stk_blob   items;     /* item[] */
    bool       has_label; /* then the fields are image, label, filename; else image, filename */
} folder_source;

/* One entry of the folder being listed. */
typedef struct entry {
    const char   *name; /* a folder's ends in '/', so that entries sort as full paths */
    stk_file_info info;
} entry;

typedef struct walk {
    folder_source *folder;
    stk_arena      names;   /* of the folders on the way down */
    stk_blob      *entries; /* entry[] of the folder being listed */
    stk_blob       relative, full;
    uint64_t       looked_at; /* entries of all folders */
    uint64_t       others;    /* files that are no images */
    uint64_t       barren;    /* folders that were left out */
    stk_inside     inside;
    stk_file_info trail[DEEPEST + 2]; /* the folders from the source down to the one being listed */
} walk;

/* The folder being listed, relative to the source; ends in '/' unless it is the source. */
static const char *folder_of(walk *w)
{
    w->relative.data[w->relative.size] = '\0'; /* reserved by list_below */
    return (const char *)w->relative.data;
}

static stk_status leave_out(walk *w, stk_left_out_reason reason, const char *name, stk_error *err)
{
    stk_source *source = &w->folder->source;
    return stk_left_out_add(&source->left_out, &source->arena, reason, folder_of(w), name, err);
}

static stk_status pass_over(walk *w, const char *name, stk_error *err)
{
    w->others++;
    return leave_out(w, stk_left_out_reason_of(name), name, err);
}

/* Whether an error concerns one file or folder, not the whole listing. */
static bool is_local(stk_status status)
{
    return status != STK_E_NOMEM && status != STK_E_CEILING && status != STK_E_CANCELLED;
}

/* A link to nothing has no kind; one without an ending may have been a folder. */
static bool may_be_item(const char *name, stk_file_kind kind)
{
    return stk_path_is_image(name) || (kind == STK_FILE_OTHER && !*stk_path_extension(name));
}

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

/* Checks a dangling link, or an image that vanished during the listing: fails, or finds it after
 * all. *vanished: it was skipped. */
static stk_status look_again(walk *w, const char *name, stk_file_info *info, bool *vanished,
                             stk_error *err)
{
    const stk_source *source = &w->folder->source;
    stk_blob          path;
    stk_blob_init(&path, source->arena.ledger, STK_MEMORY_INDEX);
    stk_status st = stk_path_join(&path, folder_of(w), name, err);
    if (!st) st = stk_path_join(&w->full, source->path, (const char *)path.data, err);
    stk_blob_release(&path);
    if (st) return st;
    st = stk_path_info(source->fs, (const char *)w->full.data, info, err);
    *vanished = st && is_local(st);
    if (!*vanished) return st;
    if (source->skip_bad) return leave_out(w, STK_LEFT_OUT_LINK, name, err);
    return stk_fail(err, st, "source", (const char *)w->full.data,
                    "is a link to nothing, or went just now; remove it, or leave such files out "
                    "with --on-bad skip (in a recipe: data.on_bad_sample: skip)");
}

/* Sizes come with the listing, so that a source knows how much work it is and whether a file
 * changed. */
static stk_status add_file(walk *w, const char *name, stk_file_info info, stk_error *err)
{
    stk_source  *source = &w->folder->source;
    const size_t folder_length = w->relative.size, name_length = strlen(name);
    bool         vanished = false;
    if (info.kind != STK_FILE_REGULAR) STK_TRY(look_again(w, name, &info, &vanished, err));
    if (vanished) return STK_OK;
    if (info.kind != STK_FILE_REGULAR || !stk_path_is_image(name)) return pass_over(w, name, err);
    char *path = stk_arena_alloc(&source->arena, folder_length + name_length + 1, err);
    if (!path) return err->status;
    if (folder_length) memcpy(path, w->relative.data, folder_length);
    memcpy(path + folder_length, name, name_length + 1);
    const item found = {{path, -1, 0}, info.bytes, info.modified_ns};
    return stk_blob_append(&w->folder->items, &found, sizeof found, err);
}

static stk_status list_below(walk *w, int depth, stk_error *err);

/* Whether a folder is one of those that it lies in. */
static bool leads_up(const walk *w, const stk_file_info *info, int depth)
{
    for (int i = 0; i <= depth; i++)
        if (info->inode && w->trail[i].inode == info->inode && w->trail[i].device == info->device)
            return true;
    return false;
}

/* name, without the '/' at its end, was not entered. */
static stk_status leave_folder_out(walk *w, stk_left_out_reason reason, const char *name,
                                   stk_error *err)
{
    char shown[256];
    snprintf(shown, sizeof shown, "%.*s", (int)strlen(name) - 1, name);
    w->barren++;
    return leave_out(w, reason, shown, err);
}

static stk_status refuse_loop(walk *w, const char *name, stk_error *err)
{
    const stk_source *source = &w->folder->source;
    STK_TRY(stk_blob_append(&w->relative, name, strlen(name), err));
    STK_TRY(stk_path_join(&w->full, source->path, folder_of(w), err));
    return stk_fail(
        err, STK_E_LIMIT, "source", (const char *)w->full.data,
        "is a link that leads back up, to a folder that it lies in; remove it, or leave "
        "such links out with --on-bad skip (in a recipe: data.on_bad_sample: skip)");
}

/* A folder that cannot be listed; the reason is in err. */
static stk_status refuse_folder(walk *w, stk_status st, stk_error *err)
{
    char why[sizeof err->message];
    memcpy(why, err->message, sizeof why);
    return stk_fail(err, st, "source", (const char *)w->full.data,
                    "%.120s; leave such folders out with --on-bad skip (in a recipe: "
                    "data.on_bad_sample: skip)",
                    why);
}

static stk_status enter(walk *w, const entry *folder, int depth, stk_error *err)
{
    const bool     skip = w->folder->source.skip_bad;
    const size_t   before = w->relative.size;
    const uint64_t items = w->folder->items.size, barren = w->barren;
    if (leads_up(w, &folder->info, depth))
        return skip ? leave_folder_out(w, STK_LEFT_OUT_LOOP, folder->name, err)
                    : refuse_loop(w, folder->name, err);
    w->trail[depth + 1] = folder->info;
    STK_TRY(stk_blob_append(&w->relative, folder->name, strlen(folder->name), err));
    const stk_status st = list_below(w, depth + 1, err);
    w->relative.size = before;
    if (st == STK_E_PERMISSION && skip)
        return leave_folder_out(w, STK_LEFT_OUT_DENIED, folder->name, err);
    if (st) return st;
    if (items == w->folder->items.size && barren == w->barren)
        return leave_folder_out(w, STK_LEFT_OUT_EMPTY, folder->name, err);
    return STK_OK;
}

/* *taken: the link e stays inside of the source, or may lead out of it. */
static stk_status follow(walk *w, const entry *e, bool *taken, stk_error *err)
{
    stk_source  *source = &w->folder->source;
    const size_t before = w->relative.size, length = strlen(e->name);
    char         shown[256];
    STK_TRY(stk_blob_append(&w->relative, e->name, length + 1, err));
    stk_status st = stk_path_join(&w->full, source->path, (const char *)w->relative.data, err);
    w->relative.size = before;
    if (!st) st = stk_inside_holds(&w->inside, (const char *)w->full.data, true, taken, err);
    if (st || *taken) return st;
    snprintf(shown, sizeof shown, "%.*s", (int)(length - (e->name[length - 1] == '/')), e->name);
    return stk_source_meet_outside(source, folder_of(w), shown, taken, err);
}

static stk_status take_entry(walk *w, const entry *e, int depth, stk_error *err)
{
    bool taken = true;
    if (e->name[0] == '.') return leave_out(w, STK_LEFT_OUT_HIDDEN, e->name, err);
    const bool may_be_taken =
        e->info.kind == STK_FILE_DIRECTORY || may_be_item(e->name, e->info.kind);
    if (e->info.link && e->info.kind != STK_FILE_OTHER && may_be_taken)
        STK_TRY(follow(w, e, &taken, err));
    if (!taken) return STK_OK;
    if (e->info.kind == STK_FILE_DIRECTORY) return enter(w, e, depth, err);
    if (!may_be_item(e->name, e->info.kind)) return pass_over(w, e->name, err);
    return add_file(w, e->name, e->info, err);
}

static stk_status take_entries(walk *w, const stk_blob *entries, int depth, stk_error *err)
{
    entry       *all = (entry *)(void *)entries->data;
    const size_t count = entries->size / sizeof *all;
    if (count) qsort(all, count, sizeof *all, compare_entries);
    for (size_t i = 0; i < count; i++)
        STK_TRY(take_entry(w, &all[i], depth, err));
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
    if (!depth) w->trail[0] = source->info;
    stk_blob_init(&entries, source->arena.ledger, STK_MEMORY_INDEX);
    w->entries = &entries;
    stk_status st =
        stk_path_list(source->fs, (const char *)w->full.data, STK_LIST_INFO, add_entry, w, err);
    if (st == STK_E_PERMISSION && depth) st = refuse_folder(w, st, err);
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
    stk_status st = stk_inside_open(&w.inside, folder->source.fs, folder->source.path, ledger, err);
    if (!st) st = list_below(&w, 0, err);
    if (!st) st = stk_source_report_outside(&folder->source, "link leads", "links lead", err);
    *others = w.others;
    stk_inside_release(&w.inside);
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

static stk_status refuse_none(const stk_source *source, uint64_t others, stk_error *err)
{
    char left_out[120];
    stk_source_left_out_text(source, left_out, sizeof left_out);
    return stk_fail(
        err, STK_E_NOTFOUND, "source", source->path,
        "no images here (.jpg .png .webp .gif .bmp .tif .pnm and their like) nor below; "
        "found %" PRIu64 " other files%s%s",
        others, *left_out ? ": " : "", left_out);
}

static stk_status open_folder(stk_source *source, stk_error *err)
{
    folder_source *folder = (folder_source *)source;
    uint64_t       others;
    stk_classes    classes;
    stk_blob_init(&folder->items, source->arena.ledger, STK_MEMORY_INDEX);
    STK_TRY(list_images(folder, &others, err));
    source->count = folder->items.size / sizeof(item);
    if (!source->count) return refuse_none(source, others, err);
    size_t count = (size_t)source->count;
    STK_TRY(stk_classes_from_paths(source, folder->items.data, sizeof(item), &count, false,
                                   &classes, err));
    source->count = count;
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
    cursor->sample.from = (stk_sample_origin){.file = (const char *)cursor->path.data};
    return STK_OK;
}

const stk_importer stk_importer_folder = {
    .source_bytes = sizeof(folder_source),
    .cursor_bytes = sizeof(stk_source_cursor),
    .walks = true,
    .claims_entry = claims_entry,
    .open = open_folder,
    .close = close_folder,
    .item = describe_item,
    .read = read_item,
};
